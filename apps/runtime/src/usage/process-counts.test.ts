import { describe, expect, it } from 'vitest';
import { UsageLedger } from './ledger.ts';
import { ProcessCounter } from './process-counts.ts';

const unknownKey = {
  projectId: 'p',
  apiKeyId: null,
  policyId: null,
  outcome: 'invalid_api_key',
} as const;

function start({ maxCounts }: { maxCounts?: number } = {}) {
  const ledger = new UsageLedger();
  const clock = { ms: 1000 * 3_600_000 };
  let incarnations = 0;
  const counter = new ProcessCounter({
    ledger,
    newId: () => `i${++incarnations}`,
    wallClockMs: () => clock.ms,
    ...(maxCounts && { maxCounts }),
  });
  return { ledger, clock, counter };
}

describe('denials that never reach Redis', () => {
  it('are counted per hour, as absolute numbers that survive a flush', () => {
    const { ledger, clock, counter } = start();
    counter.countDenial(unknownKey);
    counter.countDenial(unknownKey);
    ledger.confirm(ledger.pending());
    counter.countDenial(unknownKey);
    clock.ms += 3_600_000;
    counter.countDenial(unknownKey);
    expect(ledger.pending()).toEqual([
      { kind: 'hour', hour: 1000, incarnation: 'i1', count: 3, ...unknownKey },
      { kind: 'hour', hour: 1001, incarnation: 'i2', count: 1, ...unknownKey },
    ]);
  });

  it('are a row for each key that is denied, also of 20,000 keys', () => {
    const { ledger, counter } = start();
    for (let i = 0; i < 40_000; i++) {
      counter.countDenial({ ...unknownKey, apiKeyId: `k${i % 20_000}` });
    }
    expect(ledger.size).toBe(20_000);
  });

  it('begin a new incarnation when there are too many, and lose no count', () => {
    const { ledger, counter } = start({ maxCounts: 10 });
    for (let i = 0; i < 100; i++) {
      counter.countDenial({ ...unknownKey, projectId: `p${i % 25}` });
    }
    const counts = ledger.pending().map((fact) => fact.count);
    expect(counts.reduce((sum, count) => sum + count)).toBe(100);
  });
});

it('keeps the last use of each previous secret of a project apart', () => {
  const { ledger, counter } = start();
  const [old, older] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  for (const secretDigest of [old, older, old]) {
    counter.notePreviousSecret({ projectId: 'p', secretDigest });
  }
  expect(ledger.pending()).toMatchObject([
    { kind: 'secretUse', projectId: 'p', secretDigest: old },
    { kind: 'secretUse', projectId: 'p', secretDigest: older },
  ]);
});

describe('what calls cost', () => {
  const call = { projectId: 'p', apiKeyId: 'k' };

  it('is counted where it is not one: the surplus of a dear call, and each free one', () => {
    const { ledger, counter } = start();
    for (const cost of [1, 5, 0, 1, 1_000_000, 0]) counter.countCost({ ...call, cost });
    const about = { kind: 'cost', hour: 1000, incarnation: 'i1', ...call };
    expect(ledger.pending()).toEqual([
      { ...about, of: 'surplus', count: 4 + 999_999 },
      { ...about, of: 'free', count: 2 },
    ]);
  });

  it('is counted apart from denials, so that a flood of one leaves the other its incarnation', () => {
    const { ledger, counter } = start({ maxCounts: 10 });
    counter.countCost({ ...call, cost: 0 });
    for (let i = 0; i < 100; i++) counter.countDenial({ ...unknownKey, projectId: `p${i}` });
    counter.countCost({ ...call, cost: 0 });
    const costs = ledger.pending().filter(({ kind }) => kind === 'cost');
    expect(costs).toMatchObject([{ of: 'free', count: 2 }]);
  });
});
