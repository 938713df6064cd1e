import { sql } from 'drizzle-orm';
import { bulk } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';

/** A secret that a project has already. */
export interface KnownSecret {
  apiKeyId: string;
  /** Whether a rotation has replaced it; its key has another one since. */
  isPrevious: boolean;
}

const DIGESTS = bulk<Buffer>({ digest: ['bytea', (digest) => digest] });

/**
 * The secrets of a project among these, by their digests in hexadecimal; a current one before a previous
 * one. Each is probed by itself: a filter by the whole list would parse it again for each row.
 */
export async function findSecrets(
  tx: Executor,
  projectId: string,
  digests: readonly Buffer[],
): Promise<Map<string, KnownSecret>> {
  const rows = await tx.execute<{ digest: string } & Record<keyof KnownSecret, never>>(sql`
    with asked as materialized (select row.digest from ${DIGESTS.of(digests)})
    select encode(asked.digest, 'hex') as digest, k.id as "apiKeyId", k.is_previous as "isPrevious"
    from asked cross join lateral (
      select id, true as is_previous from api_keys
      where project_id = ${projectId} and previous_digest = asked.digest
      union all
      select id, true from api_keys
      where project_id = ${projectId} and imported_digest = asked.digest
      union all
      select api_key_id, true from replaced_secrets
      where project_id = ${projectId} and digest = asked.digest
      union all
      select id, false from api_keys where project_id = ${projectId} and key_digest = asked.digest
    ) k
    order by k.is_previous desc`);
  return new Map(rows.map(({ digest, ...found }) => [digest, found]));
}
