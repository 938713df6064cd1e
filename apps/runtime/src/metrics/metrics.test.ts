import { DatabaseUnavailableError, NotPrimaryError } from '@ceiba/schema';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { NoReplyError, unavailable } from '../redis/connection.ts';
import { OVERLOAD, UnavailableError } from '../unavailable.ts';
import { Metrics } from './metrics.ts';

/** The series of a metric that are not zero, with their values. */
async function seriesOf(metrics: Metrics, metric: string): Promise<string[]> {
  const text = await metrics.registry.getSingleMetricAsString(metric);
  return text.split('\n').filter((line) => !line.startsWith('#') && !line.endsWith(' 0'));
}

const answerOf = (code: string, severity = 'ERROR') =>
  Object.assign(new postgres.PostgresError('refused'), { code, severity });

describe('a failure', () => {
  it.each([
    ['an outage of Postgres', new UnavailableError('database', 'down'), 'database'],
    ['an outage of Redis', new UnavailableError('redis', 'down'), 'redis'],
    ['a body that did not arrive', new UnavailableError('caller', 'late'), 'caller'],
    ['a request that was refused at once', OVERLOAD, 'overload'],
    ['a bug', new TypeError('undefined is not a function'), 'internal'],
  ])('is counted by its cause: %s', async (_, error, cause) => {
    const metrics = new Metrics();
    metrics.failed(error);
    const found = await seriesOf(metrics, 'ceiba_decision_failures_total');
    expect(found).toEqual([`ceiba_decision_failures_total{cause="${cause}"} 1`]);
    const shed = await seriesOf(metrics, 'ceiba_shed_requests_total');
    expect(shed).toEqual(error === OVERLOAD ? ['ceiba_shed_requests_total 1'] : []);
  });
});

it('requests are counted by whether they were decided, without those whose body did not arrive', async () => {
  const metrics = new Metrics();
  for (const failure of [null, null, OVERLOAD, new UnavailableError('caller', 'late')]) {
    metrics.requested(failure);
  }
  expect(await seriesOf(metrics, 'ceiba_decision_requests_total')).toEqual([
    'ceiba_decision_requests_total{result="decided"} 2',
    'ceiba_decision_requests_total{result="failed"} 1',
  ]);
});

describe('an error of a dependency', () => {
  const errorsOf = (metrics: Metrics) => seriesOf(metrics, 'ceiba_dependency_errors_total');

  it.each([
    ['no answer', new DatabaseUnavailableError('no answer within 300 ms'), 'timeout'],
    [
      'a lost connection',
      new DatabaseUnavailableError('down', { cause: new NotPrimaryError('a standby') }),
      'connection',
    ],
    [
      'a statement that the server cancelled',
      new DatabaseUnavailableError('57014', { cause: answerOf('57014') }),
      'busy',
    ],
    ['a statement that the server refused', answerOf('42P01'), 'statement'],
  ])('of Postgres is counted by its kind: %s', async (_, error, kind) => {
    const metrics = new Metrics();
    metrics.databaseFailed(error);
    const labels = `dependency="database",error="${kind}"`;
    expect(await errorsOf(metrics)).toEqual([`ceiba_dependency_errors_total{${labels}} 1`]);
  });

  it('is not an error of the code that uses Postgres', async () => {
    const metrics = new Metrics();
    metrics.databaseFailed(new TypeError('undefined is not a function'));
    expect(await errorsOf(metrics)).toEqual([]);
  });

  it.each([
    ['no reply', new NoReplyError('no reply within 200 ms'), 'timeout'],
    ['a lost connection', new Error('the connection was closed'), 'connection'],
    [
      'an error reply',
      Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' }),
      'reply',
    ],
  ])('of Redis is counted by its kind: %s', async (_, cause, kind) => {
    const metrics = new Metrics();
    metrics.redisFailed(unavailable(cause));
    const labels = `dependency="redis",error="${kind}"`;
    expect(await errorsOf(metrics)).toEqual([`ceiba_dependency_errors_total{${labels}} 1`]);
  });
});
