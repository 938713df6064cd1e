import { describe, expect, it } from 'vitest';

import { singleServerOf } from './services.ts';

describe('singleServerOf', () => {
  it.each([
    ['postgres://u:p@db/ceiba', { host: 'db', port: 5432 }],
    ['postgres://u@db:6432/ceiba', { host: 'db', port: 6432 }],
    ['postgres://u@[::1]/ceiba', { host: '::1', port: 5432 }],
  ])('returns the server of %s', (url, server) => {
    expect(singleServerOf(url, 5432)).toEqual(server);
  });

  it.each([
    'postgres://u@one,two/ceiba',
    'postgres://u@one:5432,two:5432/ceiba',
    'redis://one,two',
    'redis+sentinel://one:26379/mymaster',
  ])('leaves the choice of a server to the client for %s', (url) => {
    expect(singleServerOf(url, 5432)).toBeUndefined();
  });
});
