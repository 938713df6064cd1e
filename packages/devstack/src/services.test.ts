import { describe, expect, it } from 'vitest';

import { postgresServerOf, redisServerOf } from './services.ts';

describe('postgresServerOf', () => {
  it.each([
    ['postgres://u:p@db/ceiba', { host: 'db', port: 5432 }],
    ['postgres://u@db:6432/ceiba', { host: 'db', port: 6432 }],
    ['postgres://u@[::1]/ceiba', { host: '::1', port: 5432 }],
    ['postgres://localhost/ceiba?port=5433', { host: 'localhost', port: 5433 }],
    ['postgres:///ceiba?host=db', { host: 'db', port: 5432 }],
    ['postgres://db/ceiba?hostaddr=10.0.0.1', { host: '10.0.0.1', port: 5432 }],
  ])('returns the server of %s, as libpq reads it', (url, server) => {
    expect(postgresServerOf(url)).toEqual(server);
  });

  it.each([
    'postgres://u@one,two/ceiba',
    'postgres://u@one:5432,two:5432/ceiba',
    'postgres:///ceiba',
    'postgres://u@%2Fvar%2Frun/ceiba',
    'postgres://localhost/ceiba?host=/var/run',
    'postgres://localhost/ceiba?service=ceiba',
    'postgres://u:a/b@db/ceiba',
  ])('leaves the choice of a server to the client for %s', (url) => {
    expect(postgresServerOf(url)).toBeUndefined();
  });
});

describe('redisServerOf', () => {
  it('returns the server of an address', () => {
    expect(redisServerOf('redis://cache/1')).toEqual({ host: 'cache', port: 6379 });
    expect(redisServerOf('rediss://u:p@cache:6380')).toEqual({ host: 'cache', port: 6380 });
  });

  it.each(['redis://one,two', 'redis+sentinel://one:26379/mymaster'])(
    'leaves the choice of a server to the client for %s',
    (url) => {
      expect(redisServerOf(url)).toBeUndefined();
    },
  );
});
