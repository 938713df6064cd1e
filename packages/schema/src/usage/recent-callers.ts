import type { DenialReason } from '@ceiba/contract';
import { type SQL, sql } from 'drizzle-orm';

/**
 * A query for the keys of one project that had a call with an outcome in the current hour or the one
 * before: rows of `api_key_id`. Denials are read by an index of theirs.
 */
export const recentCallers = (
  projectId: SQL,
  outcome: 'allowed' | DenialReason,
  at: SQL,
): SQL => sql`
  select distinct u.api_key_id from usage_hours u
  where u.project_id = ${projectId} ${outcome === 'allowed' ? sql`` : sql`and u.outcome <> 'allowed'`}
    and u.outcome = ${sql.raw(`'${outcome}'`)}
    and u.hour >= date_trunc('hour', ${at}, 'UTC') - interval '1 hour' and u.hour <= ${at}
  offset 0`;
