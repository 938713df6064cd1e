import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CeibaConfigError, type CeibaConfigInput, parseCeibaConfig } from './config.ts';

const SECRET = 'ceiba_secret_never-to-be-shown';
const GOOD = {
  runtimeBaseUrl: 'https://runtime.example.com',
  projectId: '0192f0c0-0000-7000-8000-000000000001',
  projectSecret: SECRET,
};

function errorFor(change: Partial<Record<keyof CeibaConfigInput, unknown>>): CeibaConfigError {
  try {
    parseCeibaConfig({ ...GOOD, ...change } as CeibaConfigInput);
  } catch (error) {
    if (error instanceof CeibaConfigError) return error;
    throw error;
  }
  throw new Error('the config was accepted');
}

describe('parseCeibaConfig', () => {
  it('returns the three values and defaults the deadline to one second', () => {
    const config = parseCeibaConfig(GOOD);
    expect(config.runtimeBaseUrl).toBe('https://runtime.example.com');
    expect(config.projectId).toBe(GOOD.projectId);
    expect(config.projectSecret).toBe(SECRET);
    expect(config.timeoutMs).toBe(1_000);
  });

  it('turns batching on unless it is false', () => {
    expect(parseCeibaConfig(GOOD).batching).toBe(true);
    expect(parseCeibaConfig({ ...GOOD, batching: undefined }).batching).toBe(true);
    expect(parseCeibaConfig({ ...GOOD, batching: false }).batching).toBe(false);
  });

  it('reads no environment variables', () => {
    process.env.CEIBA_RUNTIME_URL = 'https://elsewhere.example.com';
    try {
      const { message } = errorFor({ runtimeBaseUrl: undefined });
      expect(message).toBe('runtimeBaseUrl (CEIBA_RUNTIME_URL) is missing');
    } finally {
      delete process.env.CEIBA_RUNTIME_URL;
    }
  });

  it.each([undefined, null, 'text'])('names what is missing when it is called with %s', (input) => {
    const parse = () => parseCeibaConfig(input as never);
    expect(parse).toThrow(CeibaConfigError);
    expect(parse).toThrow('runtimeBaseUrl (CEIBA_RUNTIME_URL) is missing');
  });

  it.each([
    ['runtimeBaseUrl', 'CEIBA_RUNTIME_URL'],
    ['projectId', 'CEIBA_PROJECT_ID'],
    ['projectSecret', 'CEIBA_PROJECT_SECRET'],
  ] as const)('names the variable beside %s, where it is missing or wrong', (setting, variable) => {
    for (const value of [undefined, 42]) {
      expect(errorFor({ [setting]: value }).message).toContain(`${setting} (${variable}) `);
    }
  });

  it('refuses an API key as the project secret, without showing it', () => {
    const { setting, message } = errorFor({ projectSecret: 'ceiba_a3QtUwNAnever-to-be-shown' });
    expect(setting).toBe('projectSecret');
    expect(message).toContain('is an API key of a caller');
    expect(message).not.toContain('never-to-be-shown');
  });

  it('keeps a path prefix and drops trailing slashes', () => {
    const config = parseCeibaConfig({ ...GOOD, runtimeBaseUrl: 'https://example.com/ceiba//' });
    expect(config.runtimeBaseUrl).toBe('https://example.com/ceiba');
  });

  it.each([
    ['runtimeBaseUrl', undefined, 'is missing'],
    ['runtimeBaseUrl', '', 'is missing'],
    ['runtimeBaseUrl', 'runtime.example.com', 'must be an absolute URL'],
    ['runtimeBaseUrl', 'ftp://example.com', 'must start with https:// or http://'],
    ['runtimeBaseUrl', 'https://user:pass@example.com', 'must not contain credentials'],
    ['runtimeBaseUrl', 'https://user@example.com', 'must not contain credentials'],
    ['runtimeBaseUrl', 'https://example.com/?a=1', 'must not contain a query'],
    ['runtimeBaseUrl', 'https://example.com/#a', 'must not contain a query or a fragment'],
    ['runtimeBaseUrl', 'http://example.com', 'must use https'],
    ['runtimeBaseUrl', 'http://127.0.0.1.example.com', 'must use https'],
    ['runtimeBaseUrl', 'http://localhost.example.com', 'must use https'],
    ['projectId', undefined, 'is missing'],
    ['projectId', 'reports', 'must be a UUID'],
    ['projectId', '../../../etc', 'must be a UUID'],
    ['projectSecret', undefined, 'is missing'],
    ['projectSecret', 42, 'must be a string'],
    ['projectSecret', `${SECRET}\n`, 'trailing space or line break'],
    ['projectSecret', `${SECRET}\r\nx-evil: 1`, 'visible ASCII'],
    ['timeoutMs', 0, 'from 1 to 60000'],
    ['timeoutMs', 1.5, 'whole number'],
    ['timeoutMs', Number.NaN, 'whole number'],
    ['timeoutMs', '1000', 'whole number'],
    ['timeoutMs', 60_001, 'from 1 to 60000'],
    ['batching', 'false', 'must be true or false'],
    ['batching', 0, 'must be true or false'],
  ] as const)('refuses %s when it is %j, and names it', (setting, value, problem) => {
    const error = errorFor({ [setting]: value });
    expect(error.setting).toBe(setting);
    expect(error.message.startsWith(setting)).toBe(true);
    expect(error.message).toContain(problem);
    expect(error.message).not.toContain(SECRET);
  });

  it.each([
    'http://localhost:4000',
    'http://runtime.localhost:4000',
    'http://127.0.0.1:4000',
    'http://127.8.9.10',
    'http://[::1]:4000',
  ])('takes plain HTTP to loopback: %s', (runtimeBaseUrl) => {
    expect(parseCeibaConfig({ ...GOOD, runtimeBaseUrl }).runtimeBaseUrl).toBe(runtimeBaseUrl);
  });

  it('accepts plain HTTP to a host that is not loopback only when it is listed by name', () => {
    const runtimeBaseUrl = 'http://runtime:4000';
    expect(errorFor({ runtimeBaseUrl, allowPlainHttpHosts: ['other'] }).message).toContain(
      '"runtime" must be listed in allowPlainHttpHosts',
    );
    const config = parseCeibaConfig({ ...GOOD, runtimeBaseUrl, allowPlainHttpHosts: ['Runtime'] });
    expect(config.runtimeBaseUrl).toBe(runtimeBaseUrl);
  });

  it('keeps the secret out of logs, JSON and copies', () => {
    const config = parseCeibaConfig(GOOD);
    expect(inspect(config, { depth: 9 })).not.toContain(SECRET);
    expect(JSON.stringify(config)).not.toContain(SECRET);
    expect(inspect({ ...config })).not.toContain(SECRET);
    expect(Object.isFrozen(config)).toBe(true);
  });
});
