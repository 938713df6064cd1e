import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  databaseUrl,
  filled,
  flag,
  httpUrl,
  mailSender,
  oneOf,
  parseSettings,
  redisUrl,
  smtpUrl,
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
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailSender.optional(),
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

  it.each([
    ['postgres://u:hunter%2@host/db', 'write a % as %25'],
    ['postgres://u:hunter2@host/db?gssencmode=require', 'gssencmode asks for encryption'],
  ])('names the setting of %s, and does not print it', (url, reason) => {
    const parse = () => parseSettings(settings, { DATABASE_URL: url });
    expect(parse).toThrow(/^These settings are wrong:\n {2}DATABASE_URL: /);
    expect(parse).toThrow(reason);
    expect(parse).not.toThrow('hunter');
  });

  it.each(['postgres://one:5432,two/db', 'postgresql://host/db'])('accepts %s', (url) => {
    expect(parseSettings(settings, { DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  it.each([
    ['SMTP_URL', 'smtp://127.0.0.1:25'],
    ['SMTP_URL', 'smtps://user%40example.com:p%40ss@mail.example.com/?name=ceiba'],
    ['MAIL_FROM', 'ceiba@example.com'],
    ['MAIL_FROM', 'Ceiba of Example <ceiba@example.com>'],
  ])('accepts %s=%s', (name, value) => {
    expect(parseSettings(settings, { ...ONE_HOST, [name]: value })).toMatchObject({
      [name]: value,
    });
  });

  it('names every setting that is missing or wrong, and shows no value', () => {
    const values = {
      REDIS_URL: 'http://u:hunter2@h',
      PORT: '4000x',
      LEVEL: 'loud',
      CLUSTER: 'yes',
      ISSUER: 'ftp://h',
      NAME: ' ',
      SMTP_URL: 'smtp://u:hunter2%@h:587:1',
      MAIL_FROM: 'Ceiba <a@b>\r\nBcc: c@d',
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
        '  SMTP_URL: must have its special characters percent-encoded',
        '  MAIL_FROM: must be an address such as Ceiba <ceiba@example.com>',
      ].join('\n'),
    );
  });
});
