import type { ApiKeySummary } from '@ceiba/contract';
import type { DenialDetail } from '@ceiba/contract/sets';
import { DAY, type KeyLimits, type LimitName, limitsIn, nameWithPeriod } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { admitsNow } from '../subscription/admits.ts';
import { apiKeys } from '../tables.ts';
import { monthNumber } from '../time.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { type ApiKeyHint, hintsOfRow } from './hints.ts';
import { isExpired, summaryColumns, toSummary } from './summary.ts';

/** A key as the console shows it: the read shape and what the contract's readers do not see. */
export interface ApiKeyRow extends Omit<ApiKeySummary, LimitName>, KeyLimits {
  /** By the database's clock. The status of an expired key stays `active`. */
  isExpired: boolean;
  /** ISO 8601; null unless the key is disabled. Its status stays `active`. */
  disabledAt: string | null;
  /** Why the calls of its customer's keys are denied; null if they are not, or without a customer. */
  customerDenial: Extract<DenialDetail, `customer_${string}`> | null;
  note: string;
  /** What allowed requests cost this month, in UTC, as of the last flush. */
  usedThisMonth: number;
  /** As above, of this day; 0 without a quota by day of its own, because days are not counted then. */
  usedToday: number;
  hints: ApiKeyHint[];
}

/** Looks up one key's month by the primary key: for the rows of a page. */
export const usedThisMonth = sql<number>`(
  select coalesce(sum(m.count), 0)::float8 from usage_months m
  where m.project_id = api_keys.project_id and m.month = ${monthNumber()}
    and m.scope = api_keys.id::text)`;

/** Looks up one key's day by the primary key, where a quota limits it. */
const usedToday = sql<number>`case when api_keys.daily_quota is null then 0 else (
  select coalesce(sum(d.count), 0)::float8 from usage_quota_days d
  where d.project_id = api_keys.project_id and d.day = (now() at time zone 'UTC')::date
    and d.scope = api_keys.id::text || ${nameWithPeriod('', DAY)}) end`;

/** Looks up the key's customer by the primary key. */
export const customerDenial = sql<ApiKeyRow['customerDenial']>`(
  select case when c.suspended_at is not null then 'customer_suspended'
    when c.plan_id is null or ${sql.raw(admitsNow('c', 'subscription_status'))} then null
    when c.subscription_status in ('past_due', 'canceled') then 'customer_' || c.subscription_status
    else 'customer_period_ended' end
  from customers c where c.project_id = api_keys.project_id and c.id = api_keys.customer_id)`;

export const rowColumns = {
  ...summaryColumns,
  isExpired,
  disabledAt: apiKeys.disabledAt,
  customerDenial,
  note: apiKeys.note,
  usedThisMonth,
  usedToday,
  hints: hintsOfRow,
};

type SelectedRow = Parameters<typeof toSummary>[0] &
  Omit<ApiKeyRow, keyof ApiKeySummary | 'disabledAt'> & { disabledAt: Date | null };

export function toRow(row: SelectedRow): ApiKeyRow {
  const { isExpired, customerDenial, note, usedThisMonth, usedToday, hints } = row;
  return {
    ...toSummary(row),
    ...limitsIn(row),
    isExpired,
    disabledAt: row.disabledAt?.toISOString() ?? null,
    customerDenial,
    note,
    usedThisMonth,
    usedToday,
    hints,
  };
}

/** @returns the key as the console shows it, or null when the project has no such key */
export async function getApiKeyRow(
  db: { orm: Executor },
  ref: ApiKeyRef,
): Promise<ApiKeyRow | null> {
  const [row] = await db.orm.select(rowColumns).from(apiKeys).where(isApiKey(ref));
  return row === undefined ? null : toRow(row);
}
