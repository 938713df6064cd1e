import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from './address.ts';

const access = { username: null, password: null, isTls: false };

describe('the address of Redis', () => {
  it('of one server is passed to the client unchanged', () => {
    for (const url of [
      'redis://cache',
      'rediss://:p%40ss@cache:6380/2',
      'redis://[::1]:6379?x=1',
    ]) {
      expect(parseRedisUrl(url, false)).toEqual({ kind: 'server', url });
    }
  });

  it('is a list of nodes for a cluster, each with its own port', () => {
    expect(parseRedisUrl('redis://one:7001,10.0.0.2,[fe80::1]:7003', true)).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'one', port: 7001 },
        { host: '10.0.0.2', port: 6379 },
        { host: 'fe80::1', port: 7003 },
      ],
      access,
    });
  });

  it('carries user, password and TLS for all nodes', () => {
    expect(parseRedisUrl('rediss://ceiba:p%40ss%3Aword@one,two', true)).toMatchObject({
      nodes: [{ host: 'one' }, { host: 'two' }],
      access: { username: 'ceiba', password: 'p@ss:word', isTls: true },
    });
    expect(parseRedisUrl('redis://:secret@one', true)).toMatchObject({
      access: { username: null, password: 'secret' },
    });
  });

  it('names several servers only for a cluster', () => {
    expect(parseRedisUrl('redis://one,two', false)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('REDIS_CLUSTER'),
    });
  });

  it('names sentinels, the primary by its name, and a database', () => {
    const url = 'rediss+sentinel://ceiba:p%40ss@one,two:26380/mymaster/2';
    expect(parseRedisUrl(url, false)).toEqual({
      kind: 'sentinel',
      sentinels: [
        { host: 'one', port: 26379 },
        { host: 'two', port: 26380 },
      ],
      primaryName: 'mymaster',
      database: 2,
      access: { username: 'ceiba', password: 'p@ss', isTls: true },
    });
    expect(parseRedisUrl('redis+sentinel://one/mymaster', false)).toMatchObject({ database: 0 });
  });

  it('has ports up to the highest, and passwords with colons', () => {
    expect(parseRedisUrl('redis://me:a:b@one:65535', true)).toMatchObject({
      nodes: [{ host: 'one', port: 65_535 }],
      access: { username: 'me', password: 'a:b' },
    });
  });

  it.each([
    ['another scheme', 'http://one', 'redis://host:6379'],
    ['no host', 'redis://', 'redis://host:6379'],
    ['an empty entry in the list', 'redis://one,,two', 'redis://one:6379,two:6379'],
    ['an invalid port', 'redis://one:65536,two', 'redis://one:6379,two:6379'],
    ['a malformed user', 'redis://%zz@one', 'redis://one:6379,two:6379'],
    ['sentinels too', 'redis+sentinel://one/mymaster', 'REDIS_CLUSTER=true'],
  ])('of a cluster is invalid with %s, and the reason says what it must be', (_, url, reason) => {
    const invalid = { kind: 'invalid', reason: expect.stringContaining(reason) };
    expect(parseRedisUrl(url, true)).toEqual(invalid);
  });

  it.each([
    ['no name of the primary', 'redis+sentinel://one,two'],
    ['an empty entry in the list', 'redis+sentinel://one,,two/mymaster'],
    ['a malformed user', 'redis+sentinel://%zz@one/mymaster'],
  ])('of sentinels is invalid with %s, and the reason shows one', (_, url) => {
    const reason = expect.stringContaining('redis+sentinel://one:26379,two:26379/mymaster');
    expect(parseRedisUrl(url, false)).toEqual({ kind: 'invalid', reason });
  });

  it.each(['redis://h:99999', 'redis://h:port', 'redis://[::1', 'redis://a b:6379'])(
    'of one server is invalid as %s, which no client can parse',
    (url) => {
      const reason = expect.stringContaining('redis://user:password@host:6379');
      expect(parseRedisUrl(url, false)).toEqual({ kind: 'invalid', reason });
    },
  );

  it('is never repeated in an error, since it can hold a password', () => {
    expect(JSON.stringify(parseRedisUrl('redis://:hunter2@one,two', false))).not.toContain(
      'hunter2',
    );
  });
});
