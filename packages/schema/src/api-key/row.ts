import type { ApiKeySummary } from '@ceiba/contract';
import { type KeyLimits, type LimitName, limitsIn } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
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
  note: string;
  /** What allowed requests cost this month, in UTC, as of the last flush. */
  usedThisMonth: number;
  hints: ApiKeyHint[];
}

/** Looks up one key's month by the primary key: for the rows of a page. */
export const usedThisMonth = sql<number>`(
  select coalesce(sum(m.count), 0)::float8 from usage_months m
  where m.project_id = api_keys.project_id and m.month = ${monthNumber()}
    and m.scope = api_keys.id::text)`;

export const rowColumns = {
  ...summaryColumns,
  isExpired,
  disabledAt: apiKeys.disabledAt,
  note: apiKeys.note,
  usedThisMonth,
  hints: hintsOfRow,
};

type SelectedRow = Parameters<typeof toSummary>[0] &
  Omit<ApiKeyRow, keyof ApiKeySummary | 'disabledAt'> & { disabledAt: Date | null };

export function toRow(row: SelectedRow): ApiKeyRow {
  const { isExpired, note, usedThisMonth, hints } = row;
  return {
    ...toSummary(row),
    ...limitsIn(row),
    isExpired,
    disabledAt: row.disabledAt?.toISOString() ?? null,
    note,
    usedThisMonth,
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
