import type { ApiKeyStatus } from '@ceiba/contract';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { API_KEY_HINTS, type ApiKeyHint, HINT_CONDITIONS } from './hints.ts';

/** Counts of a project's keys. */
export interface ApiKeySurvey {
  byStatus: Record<ApiKeyStatus, number>;
  /** Active keys per hint; a key can have several. */
  byHint: Record<ApiKeyHint, number>;
  /** The plan's cap of active keys; 0 without a subscription. */
  activeKeyCap: number;
}

/** Counts a project's keys by status and by hint. */
export async function surveyApiKeys(
  db: { orm: Executor },
  projectId: string,
): Promise<ApiKeySurvey> {
  const count = (where: ReturnType<typeof sql>) => sql`count(*) filter (where ${where})::int`;
  const [row] = await db.orm.execute<
    Record<ApiKeyStatus | ApiKeyHint | 'activeKeyCap', number>
  >(sql`
    select ${count(sql`status = 'active'`)} as active, ${count(sql`status = 'revoked'`)} as revoked,
      ${count(sql`status = 'archived'`)} as archived,
      ${sql.join(
        API_KEY_HINTS.map((hint) => sql`${count(HINT_CONDITIONS[hint])} as ${sql.raw(hint)}`),
        sql`, `,
      )},
      coalesce((select plan.active_key_cap from subscriptions s join plans plan on plan.id = s.plan_id
        where s.project_id = ${projectId}), 0) as "activeKeyCap"
    from api_keys where project_id = ${projectId}`);
  if (row === undefined) throw new Error('an aggregate returned no row');
  const { active, revoked, archived, activeKeyCap, ...byHint } = row;
  return { byStatus: { active, revoked, archived }, byHint, activeKeyCap };
}
