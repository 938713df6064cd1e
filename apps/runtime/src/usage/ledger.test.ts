import { describe, expect, it } from 'vitest';
import type { UsageFact } from './facts.ts';
import { UsageLedger } from './ledger.ts';

const hour = (count: number, hour = 1): UsageFact => ({
  kind: 'hour',
  projectId: 'p',
  hour,
  apiKeyId: 'k',
  policyId: 'o',
  outcome: 'allowed',
  incarnation: 'i',
  count,
});

describe('the ledger', () => {
  it('keeps the largest number, in any order of arrival', () => {
    const ledger = new UsageLedger();
    for (const count of [2, 5, 3]) ledger.keep(hour(count));
    expect(ledger.pending()).toEqual([hour(5)]);
  });

  it('drops what is confirmed and keeps what has grown since', () => {
    const ledger = new UsageLedger();
    ledger.keep(hour(5));
    ledger.keep(hour(1, 2));
    const flushed = ledger.pending();
    ledger.keep(hour(6));
    ledger.confirm(flushed);
    expect(ledger.pending()).toEqual([hour(6)]);
  });

  it('distinguishes hours, incarnations and outcomes', () => {
    const ledger = new UsageLedger();
    ledger.keep(hour(1));
    ledger.keep({ ...hour(1), incarnation: 'j' } as UsageFact);
    ledger.keep({ ...hour(1), outcome: 'rate_limited' } as UsageFact);
    ledger.keep({ ...hour(1), apiKeyId: null } as UsageFact);
    ledger.keep({
      kind: 'month',
      projectId: 'p',
      month: 1,
      scope: 'k',
      incarnation: 'i',
      count: 1,
    });
    ledger.keep({ kind: 'lastUse', projectId: 'p', apiKeyId: 'k', count: 1 });
    expect(ledger.size).toBe(6);
  });

  it('holds no more facts than its bound, and still updates those that it holds', () => {
    const ledger = new UsageLedger(2);
    for (let i = 0; i < 10; i++) ledger.keep(hour(1, i));
    ledger.keep(hour(7, 1));
    expect(ledger.pending()).toEqual([hour(1, 0), hour(7, 1)]);
  });
});
