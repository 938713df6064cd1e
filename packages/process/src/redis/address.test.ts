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
    expect(parseRedisUrl('redis+sentinel://one,two', false).kind).toBe('invalid');
    expect(parseRedisUrl('redis+sentinel://one/mymaster', true).kind).toBe('invalid');
  });

  it.each([
    ['another scheme', 'http://one'],
    ['no host', 'redis://'],
    ['an empty entry in the list', 'redis://one,,two'],
    ['an invalid port', 'redis://one:70000,two'],
    ['a malformed user', 'redis://%zz@one'],
  ])('is invalid with %s', (_, url) => {
    expect(parseRedisUrl(url, true).kind).toBe('invalid');
  });

  it.each(['redis://h:99999', 'redis://h:port', 'redis://[::1', 'redis://a b:6379'])(
    'of one server is invalid as %s, which no client can parse',
    (url) => {
      expect(parseRedisUrl(url, false)).toMatchObject({ kind: 'invalid' });
    },
  );

  it('is never repeated in an error, since it can hold a password', () => {
    expect(JSON.stringify(parseRedisUrl('redis://:hunter2@one,two', false))).not.toContain(
      'hunter2',
    );
  });
});
