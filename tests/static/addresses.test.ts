import { readSettings } from '@ceiba/devstack/settings';
import { databaseUrl, redisUrl } from '@ceiba/process/settings';
import { expect, it } from 'vitest';

// The launcher runs before the packages are installed, so it cannot share the fields.
it.each([
  'postgres://u@h/d',
  'postgresql://one,two/d',
  'redis://h:6379',
  'rediss://h:6379',
  'redis+sentinel://h:26379/mymaster',
  'rediss+sentinel://h:26379/mymaster',
  'mysql://h/d',
  'http://h',
  'localhost:6379',
])('`npm start` accepts the address %s exactly where the Runtime does', (url) => {
  const accepts = (variable: string) => {
    try {
      return readSettings({ [variable]: url }) !== undefined;
    } catch {
      return false;
    }
  };
  expect(accepts('DATABASE_URL')).toBe(databaseUrl.safeParse(url).success);
  expect(accepts('REDIS_URL')).toBe(redisUrl.safeParse(url).success);
});
