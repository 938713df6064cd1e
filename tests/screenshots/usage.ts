import type { DenialReason } from '@ceiba/contract/sets';
import { type Database, recordUsage, type UsageHourCount } from '@ceiba/schema';
import type { Random } from '../chaos/support/random.ts';

const HOUR_MS = 3_600_000;
const DAYS = 60;
const ROWS_AN_HOUR = 9;
const REQUESTS_AN_HOUR = 2100;
const INCARNATION = 'sample';

/** The share of each denial reason in all calls. */
const DENIALS = {
  rate_limited: 0.034,
  policy_no_match: 0.021,
  invalid_api_key: 0.008,
  revoked_api_key: 0.006,
  missing_api_key: 0.004,
} as const satisfies Partial<Record<DenialReason, number>>;

export interface UsageShape {
  projectId: string;
  /** The busiest first. */
  keyIds: readonly string[];
  policyIds: readonly string[];
  /** Each policy's weight in the traffic. */
  weights: readonly number[];
  volume: number;
}

/**
 * Writes decisions of the last days: more by day than by night, fewer at the weekend, and a burst on
 * one afternoon. Returns the number of allowed calls in the current month.
 */
export async function addUsage(db: Database, random: Random, shape: UsageShape): Promise<number> {
  const thisHour = Math.floor(Date.now() / HOUR_MS);
  const hours = Array.from({ length: DAYS * 24 }, (_, back) =>
    hourOf(thisHour - back, random, shape),
  ).flat();
  const months = monthsOf(hours, shape.projectId);
  for (let start = 0; start < hours.length; start += 5000) {
    await recordUsage(db, { hours: hours.slice(start, start + 5000), months: [], lastUsed: [] });
  }
  const now = Date.now();
  const lastUsed = shape.keyIds.map((apiKeyId, index) => ({
    apiKeyId,
    at: new Date(now - 40_000 * (index + 1) ** 2),
  }));
  await recordUsage(db, { hours: [], months, lastUsed });
  const current = monthOf(thisHour);
  return months.find(({ month, scope }) => month === current && scope === 'project')?.count ?? 0;
}

function hourOf(hour: number, random: Random, shape: UsageShape): UsageHourCount[] {
  const { projectId, keyIds, policyIds, weights, volume } = shape;
  const requests = REQUESTS_AN_HOUR * volume * swing(hour) * (0.9 + 0.2 * random.next());
  const counts = new Map<string, UsageHourCount>();
  const add = (row: Pick<UsageHourCount, 'apiKeyId' | 'policyId' | 'outcome' | 'count'>) => {
    const name = `${row.apiKeyId} ${row.policyId} ${row.outcome}`;
    const count = (counts.get(name)?.count ?? 0) + Math.round(row.count);
    if (count === 0) return;
    counts.set(name, { ...row, projectId, hour, incarnation: INCARNATION, count });
  };
  for (let index = 0; index < ROWS_AN_HOUR; index += 1) {
    const apiKeyId = keyIds[Math.floor(keyIds.length * random.next() ** 2.2)] ?? null;
    const policyId = policyIds[weighted(weights, random.next())] ?? null;
    add({ apiKeyId, policyId, outcome: 'allowed', count: requests / ROWS_AN_HOUR });
  }
  for (const [reason, share] of Object.entries(DENIALS) as [keyof typeof DENIALS, number][]) {
    const isKnown = reason !== 'invalid_api_key' && reason !== 'missing_api_key';
    add({
      apiKeyId: isKnown ? (keyIds[Math.floor(3 * random.next())] ?? null) : null,
      policyId: reason === 'rate_limited' ? (policyIds[0] ?? null) : null,
      outcome: reason,
      count: requests * share * 2 * random.next() * surge(hour, reason),
    });
  }
  return [...counts.values()];
}

/** The factor of the hour and the weekday. */
function swing(hour: number): number {
  const day = new Date(hour * HOUR_MS);
  const isWeekend = day.getUTCDay() % 6 === 0;
  const byDay = 1 - 0.62 * Math.cos(((day.getUTCHours() - 3) / 24) * 2 * Math.PI);
  return byDay * (isWeekend ? 0.55 : 1);
}

/** A burst of a client that retried without waiting, eleven days ago. */
function surge(hour: number, reason: DenialReason): number {
  const back = Math.floor(Date.now() / HOUR_MS) - hour;
  return reason === 'rate_limited' && back > 11 * 24 && back < 11 * 24 + 6 ? 14 : 1;
}

function weighted(weights: readonly number[], share: number): number {
  let left = share * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
}

const monthOf = (hour: number) => {
  const day = new Date(hour * HOUR_MS);
  return day.getUTCFullYear() * 12 + day.getUTCMonth();
};

/** The allowed calls of each month, of the project and of each key. */
function monthsOf(hours: readonly UsageHourCount[], projectId: string) {
  const sums = new Map<string, { month: number; scope: string; count: number }>();
  for (const { hour, apiKeyId, outcome, count } of hours) {
    if (outcome !== 'allowed' || apiKeyId === null) continue;
    for (const scope of ['project', apiKeyId]) {
      const month = monthOf(hour);
      const sum = sums.get(`${month} ${scope}`)?.count ?? 0;
      sums.set(`${month} ${scope}`, { month, scope, count: sum + count });
    }
  }
  return [...sums.values()].map((sum) => ({ ...sum, projectId, incarnation: INCARNATION }));
}
