import type { Decision } from '@ceiba/contract';
import { LIMIT_OWNERS } from '@ceiba/contract/sets';
import type { Charge } from '@ceiba/domain';
import type { DecisionBatch } from '@ceiba/schema';
import { afterEach, describe, expect, it } from 'vitest';
import { UnavailableError } from '../unavailable.ts';
import { DECISION_LOG_LIMITS, DecisionLog, type DecisionLogOptions } from './decision-log.ts';
import type { DecidedCall } from './record.ts';

const PROJECT = '01960000-0000-7000-8000-000000000001';
const LIMITS = {
  rateLimitPerMinute: 1,
  monthlyQuota: 1,
  remainingThisMinute: 0,
  remainingThisMonth: 0,
};

const call = (
  change: Partial<DecidedCall['project']> & { projectId?: string } = {},
): DecidedCall => {
  const { projectId = PROJECT, ...project } = change;
  return {
    asker: { projectId, requestId: 'request-1', askedAtMs: 1_000 },
    row: { project: null, subscription: null, apiKey: null, customer: null },
    judgement: { kind: 'deny', denialReason: 'missing_api_key', denialDetail: null },
    project: { loggedAllowsPercent: 100, isUnsampled: false, logsPaths: true, ...project },
    policy: null,
    question: { apiKey: null, method: 'GET', path: '/v1/reports/?page=2' },
  };
};

let decided = 0;
const newId = () => `01960000-0000-7000-8000-${(++decided).toString().padStart(12, '0')}`;
const deny = (
  denialReason: 'missing_api_key' | 'invalid_api_key' = 'missing_api_key',
): Decision => ({
  allowed: false,
  decisionId: newId(),
  denialReason,
});
const ALLOW: Decision = {
  allowed: true,
  decisionId: newId(),
  access: {} as never,
  limits: LIMITS,
  resetAfterSeconds: { minute: 1, month: 1 },
};

/** A log that writes only when a test flushes it, and what it wrote. */
class Bench {
  readonly batches: DecisionBatch[] = [];
  readonly warnings: unknown[] = [];
  readonly infos: unknown[] = [];
  /** Thrown by the next writes, one each. */
  failures: Error[] = [];
  wallClockMs = 90_000;
  nextRandom = 0.5;
  readonly log: DecisionLog;

  constructor(options: Partial<DecisionLogOptions> = {}) {
    this.log = new DecisionLog({
      write: async (batch) => {
        const failure = this.failures.shift();
        if (failure !== undefined) throw failure;
        this.batches.push(structuredClone(batch) as DecisionBatch);
      },
      incarnation: 'i',
      random: () => this.nextRandom,
      wallClockMs: () => this.wallClockMs,
      now: () => 1_012.4,
      log: {
        info: (...line: unknown[]) => void this.infos.push(line),
        warn: (...line: unknown[]) => void this.warnings.push(line),
      },
      intervalMs: 3_600_000,
      ...options,
    });
  }

  get decisions() {
    return this.batches.flatMap(({ decisions }) => decisions);
  }

  /** What was left out, as the last number of each minute and outcome. */
  get leftOut() {
    const gaps = this.batches.flatMap((batch) => batch.gaps);
    return Object.fromEntries(gaps.map((gap) => [`${gap.minute} ${gap.outcome}`, gap.leftOut]));
  }
}

const benches: Bench[] = [];
const bench = (options?: Partial<DecisionLogOptions>) => {
  const made = new Bench(options);
  benches.push(made);
  return made;
};
afterEach(async () => {
  for (const made of benches.splice(0)) await made.log.task.stop();
});

describe('the decision log', () => {
  it('keeps what the decision was about, and how long it took', async () => {
    const one = bench();
    const decision: Decision = { ...deny(), limits: LIMITS };
    one.log.add(call(), decision);
    await one.log.task.runNow();
    expect(one.decisions).toMatchObject([
      {
        projectId: PROJECT,
        decisionId: decision.decisionId,
        requestId: 'request-1',
        method: 'GET',
        path: '/v1/reports',
        outcome: 'missing_api_key',
        denialDetail: null,
        apiKeyId: null,
        keyPrefix: null,
        policyId: null,
        limits: LIMITS,
        limitOwner: null,
        latencyMs: 12,
      },
    ]);
    expect(one.leftOut).toEqual({});
  });

  it.each(LIMIT_OWNERS)('keeps that the limit was of %s', async (owner) => {
    const one = bench();
    const denialReason = 'rate_limited';
    const decision: Decision = {
      allowed: false,
      decisionId: newId(),
      denialReason,
      limits: LIMITS,
    };
    const charge: Charge = {
      kind: 'denied',
      denialReason,
      limits: LIMITS,
      retryAfterSeconds: 1,
      exceeded: { owner, window: 'minute', value: 5 },
    };
    one.log.add(call(), decision, charge);
    await one.log.task.runNow();
    expect(one.decisions).toMatchObject([
      { outcome: denialReason, limitOwner: owner, limitWindow: 'minute', limitValue: 5 },
    ]);
  });

  it('keeps which state denied, and the customer that the key had', async () => {
    const one = bench();
    const denialReason = 'inactive_subscription';
    const denied = call();
    denied.judgement = { kind: 'deny', denialReason, denialDetail: 'customer_suspended' };
    Object.assign(denied.row, { customer: { customerId: PROJECT } });
    one.log.add(denied, { allowed: false, decisionId: newId(), denialReason });
    await one.log.task.runNow();
    expect(one.decisions).toMatchObject([
      { outcome: denialReason, denialDetail: 'customer_suspended', customerId: PROJECT },
    ]);
  });

  it('keeps no path of a project that logs none', async () => {
    const one = bench();
    one.log.add(call({ logsPaths: false }), deny());
    await one.log.task.runNow();
    expect(one.decisions).toMatchObject([{ path: null }]);
  });

  it.each([
    { percent: 0, drawn: 0, kept: 0 },
    { percent: 1, drawn: 0.0099, kept: 1 },
    { percent: 1, drawn: 0.01, kept: 0 },
    { percent: 50, drawn: 0.4999, kept: 1 },
    { percent: 50, drawn: 0.5, kept: 0 },
    { percent: 100, drawn: 0.9999, kept: 1 },
  ])('at $percent % keeps $kept of an allow that draws $drawn', async (row) => {
    const { percent, drawn, kept } = row;
    const one = bench();
    one.nextRandom = drawn;
    one.log.add(call({ loggedAllowsPercent: percent }), ALLOW);
    one.log.add(call({ loggedAllowsPercent: percent }), deny());
    await one.log.task.runNow();
    expect(one.decisions.filter(({ outcome }) => outcome === 'allowed')).toHaveLength(kept);
    expect(one.decisions.filter(({ outcome }) => outcome !== 'allowed')).toHaveLength(1);
    expect(one.leftOut).toEqual({});
  });
});

describe('the allows of a new project', () => {
  const first = (loggedAllowsPercent: number) => call({ isUnsampled: true, loggedAllowsPercent });
  const keptOf = async (one: Bench, asked: number, percent: number) => {
    const before = one.decisions.length;
    for (let n = 0; n < asked; n += 1) one.log.add(first(percent), ALLOW);
    await one.log.task.runNow();
    return one.decisions.length - before;
  };

  it('are not sampled: a hundred of a minute are kept, no more, and none counts as left out', async () => {
    const one = bench();
    one.nextRandom = 0.9999;
    expect(await keptOf(one, 100, 1)).toBe(100);
    one.nextRandom = 0;
    expect(await keptOf(one, 200, 1)).toBe(0);
    one.wallClockMs += 60_000;
    expect(await keptOf(one, 101, 1)).toBe(100);
    expect(one.leftOut).toEqual({});
  });

  it('are kept to the share of the project where that is more', async () => {
    const one = bench();
    expect(await keptOf(one, 150, 100)).toBe(150);
    one.wallClockMs += 60_000;
    expect(await keptOf(one, 400, 50)).toBe(200);
  });

  it('are not kept where the share is 0', async () => {
    expect(await keptOf(bench(), 5, 0)).toBe(0);
  });

  it('do not use up the hundred of another project', async () => {
    const one = bench();
    expect(await keptOf(one, 100, 1)).toBe(100);
    const other = {
      projectId: PROJECT.replace('1', '2'),
      isUnsampled: true,
      loggedAllowsPercent: 1,
    };
    one.log.add(call(other), ALLOW);
    await one.log.task.runNow();
    expect(one.decisions).toHaveLength(101);
  });
});

describe('the cap', () => {
  it('holds per project, outcome and minute, and what is above it is counted', async () => {
    const one = bench({ limits: { perMinute: 2 } });
    for (let n = 0; n < 5; n += 1) one.log.add(call(), deny('invalid_api_key'));
    one.log.add(call(), deny('missing_api_key'));
    const other = PROJECT.replace('1', '2');
    one.log.add(call({ projectId: other }), deny('invalid_api_key'));
    one.wallClockMs += 60_000;
    one.log.add(call(), deny('invalid_api_key'));
    await one.log.task.runNow();
    expect(one.decisions.map(({ projectId, outcome }) => [projectId === PROJECT, outcome])).toEqual(
      [
        [true, 'invalid_api_key'],
        [true, 'invalid_api_key'],
        [true, 'missing_api_key'],
        [false, 'invalid_api_key'],
        [true, 'invalid_api_key'],
      ],
    );
    expect(one.leftOut).toEqual({ '1 invalid_api_key': 3 });
  });
});

it('hands every record to the exporter, also above the cap and in an outage', async () => {
  const exported: string[] = [];
  const one = bench({
    limits: { perMinute: 1, waiting: 2 },
    exporter: { add: ({ outcome }) => void exported.push(outcome) },
  });
  one.log.add(call(), deny());
  one.log.add(call(), deny());
  one.log.add(call({ loggedAllowsPercent: 0 }), ALLOW);
  one.log.add(call(), ALLOW);
  one.log.add(call(), deny('invalid_api_key'));
  await one.log.task.runNow();
  expect(exported).toEqual(['missing_api_key', 'missing_api_key', 'allowed', 'invalid_api_key']);
  expect(one.decisions.map(({ outcome }) => outcome)).toEqual(['missing_api_key', 'allowed']);
  expect(one.leftOut).toEqual({ '1 missing_api_key': 1, '1 invalid_api_key': 1 });
});

describe('a decision that cannot be recorded', () => {
  it('is left out and counted, is one warning, and does not fail', async () => {
    const one = bench();
    const broken = { ...call(), question: null as never };
    for (let n = 0; n < 3; n += 1) one.log.add(broken, deny());
    one.log.add({ ...broken, project: null as never }, ALLOW);
    one.log.add(call(), deny());
    await one.log.task.runNow();
    expect(one.decisions).toHaveLength(1);
    expect(one.leftOut).toEqual({ '1 missing_api_key': 3 });
    expect(one.warnings).toHaveLength(1);
  });
});

describe('a log that cannot be written', () => {
  const outage = () => new UnavailableError('database', 'down');

  it('keeps its decisions through an outage and writes them afterwards, once', async () => {
    const one = bench();
    await one.log.task.runNow();
    one.failures = [outage()];
    one.log.add(call(), deny());
    await one.log.task.runNow();
    expect(one.decisions).toEqual([]);
    one.log.add(call(), deny());
    await one.log.task.runNow();
    expect(one.decisions).toHaveLength(2);
    await one.log.task.runNow();
    expect(one.decisions).toHaveLength(2);
    expect(one.leftOut).toEqual({});
  });

  it('keeps no more than its bound, and counts what finds no room', async () => {
    const one = bench({ limits: { waiting: 3 } });
    for (let n = 0; n < 10; n += 1) one.log.add(call(), deny());
    await one.log.task.runNow();
    expect(one.decisions).toHaveLength(3);
    expect(one.leftOut).toEqual({ '1 missing_api_key': 7 });
  });

  it('leaves out what Postgres refuses, so that it cannot hold up the rest for ever', async () => {
    const one = bench({ limits: { perStatement: 2 } });
    one.failures = [new Error('refused')];
    for (let n = 0; n < 3; n += 1) one.log.add(call(), deny());
    await one.log.task.runNow();
    await one.log.task.runNow();
    expect(one.decisions).toHaveLength(1);
    expect(one.leftOut).toEqual({ '1 missing_api_key': 2 });
  });

  it('gives up numbers that Postgres refuses, and they hold up no decision', async () => {
    const one: Bench = bench({
      limits: { perMinute: 1 },
      write: async (batch) => {
        if (batch.gaps.length > 0) throw new Error('refused');
        one.batches.push(batch);
      },
    });
    one.log.add(call(), deny());
    one.log.add(call(), deny());
    await one.log.task.runNow();
    expect(one.decisions).toHaveLength(1);
    one.log.add(call(), deny('invalid_api_key'));
    await one.log.task.runNow();
    expect(one.decisions).toHaveLength(2);
    expect(one.warnings).toHaveLength(1);
    expect(one.infos).toHaveLength(1);
  });

  it('is one warning, with what to do', async () => {
    const one = bench();
    one.failures = [outage(), outage(), outage()];
    one.log.add(call(), deny());
    for (let n = 0; n < 3; n += 1) await one.log.task.runNow();
    expect(one.warnings).toHaveLength(1);
    expect(
      JSON.stringify(one.warnings, (_, it) => (it instanceof Error ? it.message : it)),
    ).toContain('docs/run/decision-log.md');
  });
});

describe('the number of what was left out', () => {
  it('is written again only when it has grown', async () => {
    const one = bench({ limits: { perMinute: 1 } });
    const flushed = async () => {
      const before = one.batches.length;
      await one.log.task.runNow();
      return one.batches.slice(before).flatMap(({ gaps }) => gaps.map(({ leftOut }) => leftOut));
    };
    one.log.add(call(), deny());
    one.log.add(call(), deny());
    expect(await flushed()).toEqual([1]);
    expect(await flushed()).toEqual([]);
    one.log.add(call(), deny());
    expect(await flushed()).toEqual([2]);
  });

  it('does not lose what is left out while it is being written', async () => {
    const batches: DecisionBatch[] = [];
    const one: Bench = bench({
      limits: { perMinute: 1 },
      write: async (batch) => {
        if (batch.gaps.length === 0) return;
        batches.push(batch);
        if (batches.length === 1) one.log.add(call(), deny());
      },
    });
    one.log.add(call(), deny());
    one.log.add(call(), deny());
    await one.log.task.runNow();
    await one.log.task.runNow();
    expect(batches.map(({ gaps }) => gaps[0]?.leftOut)).toEqual([1, 2]);
  });
});

it('starts no statement with too little time: a late one costs the connection', async () => {
  let nowMs = 0;
  const budgets: number[] = [];
  const one = bench({
    limits: { perStatement: 1 },
    now: () => nowMs,
    write: async (_, budgetMs) => {
      budgets.push(budgetMs);
      nowMs += 800;
    },
  });
  for (let n = 0; n < 4; n += 1) one.log.add(call(), deny());
  await one.log.task.runNow();
  expect(budgets).toEqual([2_000, 1_200, 2_000, 1_200]);
});

it('writes a full memory in several statements within one flush', async () => {
  const one = bench({ limits: { perStatement: 2 } });
  for (let n = 0; n < 5; n += 1) one.log.add(call(), deny());
  await one.log.task.runNow();
  expect(one.batches.map(({ decisions }) => decisions.length)).toEqual([2, 2, 1]);
  expect(DECISION_LOG_LIMITS.waiting).toBeGreaterThanOrEqual(DECISION_LOG_LIMITS.perStatement);
});
