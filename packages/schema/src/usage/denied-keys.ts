import type { DenialReason } from '@ceiba/contract';
import { type SQL, sql } from 'drizzle-orm';

/**
 * A query for the keys of one project whose calls were denied for a reason in the current hour or the one
 * before: rows of `api_key_id`. It reads denials alone, by their index.
 */
export const deniedKeys = (projectId: SQL, reason: DenialReason, at: SQL): SQL => sql`
  select distinct u.api_key_id from usage_hours u
  where u.project_id = ${projectId}
    and u.outcome <> 'allowed' and u.outcome = ${sql.raw(`'${reason}'`)}
    and u.hour >= date_trunc('hour', ${at}, 'UTC') - interval '1 hour' and u.hour <= ${at}
  offset 0`;
