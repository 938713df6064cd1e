import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  databaseUrl,
  filled,
  flag,
  httpUrl,
  oneOf,
  parseSettings,
  redisUrl,
  wholeNumber,
} from './settings.ts';

const settings = z.object({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl.optional(),
  PORT: wholeNumber(0, 65_535).default(4000),
  LEVEL: oneOf('info', 'debug').default('info'),
  CLUSTER: flag.default(false),
  ISSUER: httpUrl.optional(),
  NAME: filled.optional(),
});

const ONE_HOST = { DATABASE_URL: 'postgres://u@host/db' };

describe('parseSettings', () => {
  it('returns numbers and flags, and the default of an absent or empty variable', () => {
    const values = { ...ONE_HOST, PORT: '8080', CLUSTER: 'true', LEVEL: '' };
    expect(parseSettings(settings, values)).toEqual({
      ...ONE_HOST,
      PORT: 8080,
      CLUSTER: true,
      LEVEL: 'info',
    });
  });

  it.each(['postgres://one:5432,two/db', 'postgresql://host/db'])('accepts %s', (url) => {
    expect(parseSettings(settings, { DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  it('names every setting that is missing or wrong, and shows no value', () => {
    const values = {
      REDIS_URL: 'http://u:hunter2@h',
      PORT: '4000x',
      LEVEL: 'loud',
      CLUSTER: 'yes',
      ISSUER: 'ftp://h',
      NAME: ' ',
    };
    expect(() => parseSettings(settings, values, '/etc/ceiba.env')).toThrow(
      [
        'These settings in /etc/ceiba.env are wrong:',
        '  DATABASE_URL: is required',
        '  REDIS_URL: must be an address such as redis://host:6379',
        '  PORT: must be a whole number from 0 to 65535',
        '  LEVEL: must be one of info, debug',
        '  CLUSTER: must be one of true, false',
        '  ISSUER: must be an address such as https://host:443',
        '  NAME: must not be blank',
      ].join('\n'),
    );
  });
});
