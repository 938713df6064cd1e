import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { readSettings } from './env.ts';

const REQUIRED = {
  DATABASE_URL: 'postgres://ceiba:hunter2@db.internal:5432/ceiba',
  REDIS_URL: 'rediss://:hunter3@cache.internal:6379',
};

const failureOf = (environment: Record<string, string>): string => {
  try {
    readSettings(environment);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
};

describe('the settings', () => {
  it('default to loopback, port 4000, 500 ms per decision, 200 ms for Redis and 300 ms for Postgres', () => {
    expect(readSettings(REQUIRED)).toMatchObject({
      ...REQUIRED,
      RUNTIME_HOST: '127.0.0.1',
      RUNTIME_PORT: 4000,
      KEEP_ALIVE_TIMEOUT: 65_000,
      DECISION_DEADLINE_MS: 500,
      DECISION_REDIS_BUDGET_MS: 200,
      DECISION_DATABASE_BUDGET_MS: 300,
      LOG_LEVEL: 'info',
    });
  });

  it('take :: for every address, also on a machine without IPv6', () => {
    expect(['::', '0.0.0.0']).toContain(
      readSettings({ ...REQUIRED, RUNTIME_HOST: '::' }).RUNTIME_HOST,
    );
  });

  it('are parsed to numbers and flags', () => {
    const given = { ...REQUIRED, RUNTIME_PORT: '4010', REDIS_CLUSTER: 'true' };
    expect(readSettings(given)).toMatchObject({ RUNTIME_PORT: 4010, REDIS_CLUSTER: true });
  });

  it.each([
    [undefined, 1],
    ['1', 1],
    ['64', 64],
    ['auto', Math.min(64, availableParallelism())],
  ])('read RUNTIME_WORKERS=%s as %i workers', (given, workers) => {
    const environment = given === undefined ? REQUIRED : { ...REQUIRED, RUNTIME_WORKERS: given };
    expect(readSettings(environment).RUNTIME_WORKERS).toBe(workers);
  });

  it.each([
    [undefined, 9464],
    ['9465', 9465],
    ['off', 'off'],
  ])('read METRICS_PORT=%s as %s, on loopback', (given, port) => {
    const environment = given === undefined ? REQUIRED : { ...REQUIRED, METRICS_PORT: given };
    expect(readSettings(environment)).toMatchObject({
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: port,
    });
  });

  it('treat an empty value as absent', () => {
    expect(readSettings({ ...REQUIRED, RUNTIME_PORT: '' }).RUNTIME_PORT).toBe(4000);
    expect(failureOf({ ...REQUIRED, DATABASE_URL: '' })).toContain('DATABASE_URL: is required');
  });

  it('ignore other variables', () => {
    expect(readSettings({ ...REQUIRED, HOME: '/root' })).not.toHaveProperty('HOME');
  });

  it('accept a list of hosts, as the drivers do', () => {
    const url = 'postgres://ceiba@a:5432,b:5432/ceiba';
    expect(readSettings({ ...REQUIRED, DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });
});

describe('the export of traces', () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  const TRACES = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' };
  const LOGS = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector:4318/v1/logs' };

  it.each([
    [false, {}],
    [true, ENDPOINT],
    [true, TRACES],
    [false, LOGS],
    [true, { OTEL_TRACES_EXPORTER: 'otlp' }],
    [false, { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
    [false, { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
    [true, { ...ENDPOINT, OTEL_LOGS_EXPORTER: 'none' }],
  ])('is %s with %j', (expected, given) => {
    expect(readSettings({ ...REQUIRED, ...given }).exportsTraces).toBe(expected);
  });

  it.each(['0', '1', '0.01', '.5', '1.0'])('takes %s as a share', (given) => {
    expect(failureOf({ ...REQUIRED, OTEL_TRACES_SAMPLER_ARG: given })).toBe('');
  });

  it('refuses a protocol that it cannot speak, and only where it would speak', () => {
    const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    expect(failureOf({ ...REQUIRED, ...TRACES, ...grpc })).toContain(
      'OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf',
    );
    const own = { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' };
    expect(failureOf({ ...REQUIRED, ...TRACES, ...grpc, ...own })).toBe('');
    expect(failureOf({ ...REQUIRED, ...grpc })).toBe('');
  });
});

describe('wrong settings', () => {
  it('include several Redis servers without REDIS_CLUSTER', () => {
    const url = 'redis://:hunter2@one:6379,two:6379';
    const message = failureOf({ ...REQUIRED, REDIS_URL: url });
    expect(message).toContain('REDIS_URL: names several servers');
    expect(message).not.toContain('hunter2');
    const settings = readSettings({ ...REQUIRED, REDIS_URL: url, REDIS_CLUSTER: 'true' });
    expect(settings.REDIS_URL).toBe(url);
  });

  it('are all named in one error', () => {
    const message = failureOf({
      REDIS_URL: 'http://cache',
      RUNTIME_PORT: '70000',
      LOG_LEVEL: 'loud',
      DECISION_DEADLINE_MS: '0',
    });
    expect(
      message
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(':')[0]),
    ).toEqual(['DATABASE_URL', 'REDIS_URL', 'RUNTIME_PORT', 'LOG_LEVEL', 'DECISION_DEADLINE_MS']);
  });

  it('are named without their values, which can hold a password', () => {
    const message = failureOf({
      DATABASE_URL: 'mysql://ceiba:hunter2@db.internal/ceiba',
      REDIS_URL: 'cache.internal:hunter3',
      RUNTIME_PORT: 'hunter4',
      LOG_LEVEL: 'hunter5',
      REDIS_CLUSTER: 'hunter6',
      KEY_ROUTE_DEADLINE_MS: 'hunter7',
    });
    expect(message).toContain('KEY_ROUTE_DEADLINE_MS');
    expect(message).not.toContain('hunter');
    expect(message).not.toContain('internal');
  });

  it.each([
    ['RUNTIME_PORT', 'four thousand'],
    ['RUNTIME_PORT', '4000.5'],
    ['RUNTIME_PORT', '-1'],
    ['RUNTIME_PORT', ' '],
    ['DECISION_DEADLINE_MS', 'Infinity'],
    ['MAX_DECISIONS_IN_FLIGHT', '0'],
    ['METRICS_PORT', '65536'],
    ['METRICS_PORT', 'OFF'],
    ['RUNTIME_WORKERS', '0'],
    ['RUNTIME_WORKERS', '65'],
    ['RUNTIME_WORKERS', 'AUTO'],
    ['REDIS_CLUSTER', 'yes'],
    ['LOG_LEVEL', 'INFO'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ])('report %s=%j as wrong, not as missing', (name, value) => {
    const message = failureOf({ ...REQUIRED, [name]: value });
    expect(message).toContain(`${name}: must`);
    expect(message).not.toContain('is required');
  });
});
