import { sql } from 'drizzle-orm';
import { arrayOf } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';

/** A secret that a project has already. */
export interface KnownSecret {
  apiKeyId: string;
  /** Whether a rotation has replaced it; its key has another one since. */
  isPrevious: boolean;
}

/** The secrets of a project among these, by their digests in hexadecimal. */
export async function findSecrets(
  tx: Executor,
  projectId: string,
  digests: readonly Buffer[],
): Promise<Map<string, KnownSecret>> {
  const asked = sql`any((${arrayOf(digests)}::text)::bytea[])`;
  const rows = await tx.execute<{ digest: string } & Record<keyof KnownSecret, never>>(sql`
    select encode(previous_digest, 'hex') as digest, id as "apiKeyId", true as "isPrevious"
    from api_keys where project_id = ${projectId} and previous_digest = ${asked}
    union all
    select encode(key_digest, 'hex'), id, false
    from api_keys where project_id = ${projectId} and key_digest = ${asked}`);
  return new Map(rows.map(({ digest, ...found }) => [digest, found]));
}
