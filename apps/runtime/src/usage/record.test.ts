import type { UsageBatch } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../unavailable.ts';
import type { UsageFact } from './facts.ts';
import { recordFacts } from './record.ts';

const facts = (count: number): UsageFact[] =>
  Array.from({ length: count }, (_, scope) => ({
    kind: 'month',
    projectId: `p${scope % 3}`,
    month: 1,
    scope: `k${scope}`,
    incarnation: 'i',
    count: 1,
  }));

function postgresThatRefuses(bad: (scope: string) => boolean) {
  const written: string[] = [];
  const calls = { count: 0 };
  const recordUsage = async ({ months }: UsageBatch) => {
    calls.count += 1;
    if (months.some(({ scope }) => bad(scope))) throw new Error('a row is bad');
    written.push(...months.map(({ scope }) => scope));
    return { knownProjectIds: new Set(months.map(({ projectId }) => projectId)) };
  };
  return { recordUsage, written, calls };
}

describe('writing usage', () => {
  it('writes all other rows of a batch with a bad row', async () => {
    const { recordUsage, written } = postgresThatRefuses(
      (scope) => scope === 'k7' || scope === 'k500',
    );
    const all = facts(1000);
    const { confirmed, refused, knownProjectIds } = await recordFacts(all, recordUsage, 100);
    expect(refused).toEqual([all[7], all[500]]);
    expect(confirmed).toHaveLength(998);
    expect(written).toHaveLength(998);
    expect(knownProjectIds).toEqual(new Set(['p0', 'p1', 'p2']));
  });

  it('needs few statements even if every row is rejected', async () => {
    const { recordUsage, calls } = postgresThatRefuses(() => true);
    const { confirmed, refused } = await recordFacts(facts(1000), recordUsage, 100);
    expect(confirmed).toEqual([]);
    expect(refused).toHaveLength(1000);
    expect(calls.count).toBeLessThanOrEqual(64);
  });

  it('rejects no row because of an outage', async () => {
    const recordUsage = async () => {
      throw new UnavailableError('database', 'down');
    };
    await expect(recordFacts(facts(10), recordUsage, 100)).rejects.toBeInstanceOf(UnavailableError);
  });

  it('sorts the rows of each transaction in the same order', async () => {
    const orders: string[] = [];
    const recordUsage = async ({ months }: UsageBatch) => {
      orders.push(months.map((row) => `${row.projectId}${row.scope}`).join());
      return { knownProjectIds: new Set<string>() };
    };
    await recordFacts(facts(100), recordUsage, 100);
    await recordFacts(facts(100).reverse(), recordUsage, 100);
    expect(orders[0]).toBe(orders[1]);
  });
});
