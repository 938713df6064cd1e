import type { ApiKeyStatus } from '@ceiba/contract';
import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { API_KEY_HINTS, type ApiKeyHint, HINT_CONDITIONS } from './hints.ts';
import { COUNTED_MAX } from './search.ts';

/** Counts of a project's keys. */
export interface ApiKeySurvey {
  byStatus: Record<ApiKeyStatus, number>;
  /** Active keys per hint; a key can have several. More than {@link COUNTED_MAX} idle ones count as one more. */
  byHint: Record<ApiKeyHint, number>;
  /** The plan's cap of active keys; 0 without a subscription. */
  activeKeyCap: number;
}

/** Counts a project's keys by status and by hint. */
export async function surveyApiKeys(
  db: { orm: Executor },
  projectId: string,
): Promise<ApiKeySurvey> {
  // A query of its own for each, because an index can count it without reading the keys.
  const count = (where: SQL) =>
    sql`(select count(*)::int from api_keys where project_id = ${projectId} and ${where})`;
  const hints = API_KEY_HINTS.map((hint) => {
    const where = HINT_CONDITIONS[hint];
    return sql`${hint === 'idle' ? countIdle(projectId) : count(where)} as ${sql.raw(hint)}`;
  });
  const [row] = await db.orm.execute<
    Record<Exclude<ApiKeyStatus, 'active'> | ApiKeyHint | 'expiring' | 'activeKeyCap', number>
  >(sql`
    select ${count(sql`status = 'revoked'`)} as revoked, ${count(sql`status = 'archived'`)} as archived,
      ${count(sql`status = 'active' and expires_at is not null`)} as expiring,
      ${sql.join(hints, sql`, `)},
      coalesce((select plan.active_key_cap from subscriptions s join plans plan on plan.id = s.plan_id
        where s.project_id = ${projectId}), 0) as "activeKeyCap"`);
  if (row === undefined) throw new Error('an aggregate returned no row');
  const { revoked, archived, expiring, activeKeyCap, ...byHint } = row;
  const active = expiring + byHint.never_expires;
  return { byStatus: { active, revoked, archived }, byHint, activeKeyCap };
}

/** Of those that no index finds only so many are counted. */
const countIdle = (projectId: string): SQL => sql`(
  select count(*)::int from (
    select from api_keys where project_id = ${projectId} and ${HINT_CONDITIONS.idle}
    limit ${COUNTED_MAX + 1}) idle)`;
