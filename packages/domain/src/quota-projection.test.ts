import { describe, expect, test } from 'vitest';
import { projectQuota, type QuotaState } from './quota-projection.ts';

describe('a projection', () => {
  const now = new Date('2026-03-11T00:00:00Z');
  const use = (rest: Partial<QuotaState>): QuotaState => ({
    now,
    monthEnd: new Date('2026-04-01T00:00:00Z'),
    monthlyQuota: 1_000,
    used: 400,
    recent: { since: new Date('2026-03-04T00:00:00Z'), allowed: 350 },
    ...rest,
  });

  test('continues at the mean rate of the last seven days', () => {
    expect(projectQuota(use({}))).toEqual({
      expectedAtMonthEnd: 400 + 21 * 50,
      exhaustedAt: new Date('2026-03-23T00:00:00Z'),
    });
  });

  test('has no exhaustion if the month ends before, or without a quota', () => {
    expect(projectQuota(use({ monthlyQuota: 1_500 })).exhaustedAt).toBeNull();
    expect(projectQuota(use({ monthlyQuota: null })).exhaustedAt).toBeNull();
  });

  test('of a used-up quota is exhausted now', () => {
    expect(projectQuota(use({ used: 1_000 })).exhaustedAt).toEqual(now);
    expect(projectQuota(use({ used: 0, monthlyQuota: 0 })).exhaustedAt).toEqual(now);
  });

  test('of a project without requests stays at 0', () => {
    const quiet = use({ used: 0, recent: { since: now, allowed: 0 } });
    expect(projectQuota(quiet)).toEqual({ expectedAtMonthEnd: 0, exhaustedAt: null });
  });

  test('of a one-hour-old project does not extrapolate its first minutes', () => {
    const recent = { since: new Date('2026-03-10T23:00:00Z'), allowed: 24 };
    expect(projectQuota(use({ used: 24, recent })).expectedAtMonthEnd).toBe(24 + 21 * 24);
  });
});
