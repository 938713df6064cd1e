import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from './redis-address.ts';

const access = { username: null, password: null, isTls: false };

describe('the address of Redis', () => {
  it('is left to the client as it stands for one server', () => {
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

  it('names several servers for a cluster alone', () => {
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
    ['an empty place in the list', 'redis://one,,two'],
    ['a port that is none', 'redis://one:70000,two'],
    ['a user that cannot be read', 'redis://%zz@one'],
  ])('is refused with %s', (_, url) => {
    expect(parseRedisUrl(url, true).kind).toBe('invalid');
  });

  it('is never repeated where it is refused: it can hold a password', () => {
    expect(JSON.stringify(parseRedisUrl('redis://:hunter2@one,two', false))).not.toContain(
      'hunter2',
    );
  });
});
