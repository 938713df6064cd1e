import { describe, expect, it } from 'vitest';

import { readSettings } from './settings.ts';

describe('readSettings', () => {
  it('needs no variable, and takes an empty one for a missing one', () => {
    const defaults = { runtime: 4000, console: 3000, host: 4100 };
    for (const env of [{}, { RUNTIME_PORT: '', DATABASE_URL: ' ', CEIBA_DATA_DIR: '' }]) {
      const settings = readSettings(env);
      expect(settings.ports).toEqual(defaults);
      expect(settings.dataDir).toMatch(/\.ceiba$/);
      expect(settings.databaseUrl).toBeUndefined();
    }
  });

  it.each(['0', '65536', '80.5', 'http', '-1'])('rejects port %s by its variable', (port) => {
    expect(() => readSettings({ HOST_PORT: port })).toThrow('HOST_PORT');
  });

  it('takes a port for the metrics only where one is given', () => {
    expect(readSettings({}).ports).not.toHaveProperty('metrics');
    expect(readSettings({ METRICS_PORT: '9464' }).ports.metrics).toBe(9464);
    expect(readSettings({ METRICS_PORT: 'off' }).ports.metrics).toBe('off');
    expect(() => readSettings({ METRICS_PORT: 'none' })).toThrow('METRICS_PORT must be a port');
  });

  it('rejects one port for two programs', () => {
    expect(() => readSettings({ HOST_PORT: '3000' })).toThrow('must be different ports');
  });

  it('rejects a URL of another scheme without repeating it, since it may hold a password', () => {
    const wrong = () => readSettings({ DATABASE_URL: 'mysql://u:hunter2@h/d' });
    expect(wrong).toThrow('DATABASE_URL');
    expect(wrong).not.toThrow('hunter2');
    expect(() => readSettings({ REDIS_URL: 'localhost:6379' })).toThrow('REDIS_URL');
  });

  it('accepts a list of hosts', () => {
    const databaseUrl = 'postgres://u@one:5432,two:5432/ceiba';
    expect(readSettings({ DATABASE_URL: databaseUrl }).databaseUrl).toBe(databaseUrl);
    const redisUrl = 'redis://one:6379,two:6379';
    expect(readSettings({ REDIS_URL: redisUrl }).redisUrl).toBe(redisUrl);
  });
});
