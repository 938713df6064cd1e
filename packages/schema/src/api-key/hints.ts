import { KEY_EXPIRES_SOON_DAYS, KEY_IDLE_DAYS } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';

/** What a list points out about an active key, most important first. */
export const API_KEY_HINTS = [
  'disabled',
  'expired',
  'expires_soon',
  'imported',
  'never_expires',
  'idle',
] as const;
export type ApiKeyHint = (typeof API_KEY_HINTS)[number];

const days = (count: number) => sql.raw(`interval '${count} days'`);

/** Whether an active key expires within a week of an instant. */
export const expiresSoon = (at: SQL): SQL => sql`(status = 'active' and expires_at > ${at}
    and expires_at <= ${at} + ${days(KEY_EXPIRES_SOON_DAYS)})`;

/** Conditions on the columns of `api_keys`, by the database's clock. */
export const HINT_CONDITIONS = {
  /** The calls of these two are denied, and they still count against the plan's cap. */
  disabled: sql`(status = 'active' and disabled_at is not null)`,
  expired: sql`(status = 'active' and expires_at is not null and expires_at <= now())`,
  expires_soon: expiresSoon(sql`now()`),
  /** Another issuer made its secret. */
  imported: sql`(status = 'active' and is_imported)`,
  never_expires: sql`(status = 'active' and expires_at is null)`,
  /** No index has the time of the last use; the time of creation is never later, and has one. */
  idle: sql`(status = 'active' and created_at < now() - ${days(KEY_IDLE_DAYS)}
    and coalesce(last_used_at, created_at) < now() - ${days(KEY_IDLE_DAYS)})`,
} as const satisfies Record<ApiKeyHint, SQL>;

/** The hints of a row as an array, in their order. */
export const hintsOfRow = sql<ApiKeyHint[]>`to_json(array_remove(array[${sql.join(
  API_KEY_HINTS.map(
    (hint) => sql`case when ${HINT_CONDITIONS[hint]} then ${sql.raw(`'${hint}'`)} end`,
  ),
  sql`, `,
)}], null))`;
