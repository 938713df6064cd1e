import { digestOf, digestsEqual } from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import type { Executor, Transactor } from '../connection/database.ts';
import { keyCreations } from '../tables.ts';
import { asUpkeep, removeOlder } from '../usage/upkeep.ts';

/** For how long a creation is known by its name. */
const KNOWN_HOURS = 24;

/** A creation that a host may repeat without a second key (ADR 0062). */
export interface NamedCreation {
  projectId: string;
  /** The header `Idempotency-Key`. */
  idempotencyKey: string;
  bodyDigest: Buffer;
}

/** The name is that of an earlier creation: of the same key, which is there, or of another one. */
export type RepeatedCreation = { kind: 'repeated'; apiKeyId: string } | { kind: 'other_creation' };

/** SHA-256 of what is asked, which does not depend on the order of its fields. */
export const digestOfCreation = (fields: object): Buffer =>
  digestOf(JSON.stringify(inOrder(fields)));

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, inOrder(inner)]));
}

/** The earlier creation of that name. The project has to be locked, so that no other call makes one. */
export async function findCreation(
  tx: Executor,
  { bodyDigest, ...name }: NamedCreation,
): Promise<RepeatedCreation | null> {
  const [found] = await tx
    .select({ bodyDigest: keyCreations.bodyDigest, apiKeyId: keyCreations.apiKeyId })
    .from(keyCreations)
    .where(
      and(
        eq(keyCreations.projectId, name.projectId),
        eq(keyCreations.idempotencyKey, name.idempotencyKey),
        sql`${keyCreations.createdAt} > now() - make_interval(hours => ${KNOWN_HOURS})`,
      ),
    );
  if (found === undefined) return null;
  return digestsEqual(found.bodyDigest, bodyDigest)
    ? { kind: 'repeated', apiKeyId: found.apiKeyId }
    : { kind: 'other_creation' };
}

/** Names a creation, in place of one that is too old to be known. */
export async function recordCreation(
  tx: Executor,
  name: NamedCreation,
  apiKeyId: string,
): Promise<void> {
  const values = { ...name, apiKeyId };
  await tx
    .insert(keyCreations)
    .values(values)
    .onConflictDoUpdate({
      target: [keyCreations.projectId, keyCreations.idempotencyKey],
      set: { bodyDigest: name.bodyDigest, apiKeyId, createdAt: sql`now()` },
    });
}

/**
 * Removes names of creations that are too old to be known, as a step of upkeep.
 *
 * @returns whether nothing is left that is as old, or another Runtime does it
 */
export async function removeOldCreations(db: {
  orm: Transactor;
}): Promise<{ isComplete: boolean }> {
  const isComplete = await asUpkeep(db, (tx) =>
    removeOlder(tx, { table: sql`key_creations`, column: sql`created_at`, hours: KNOWN_HOURS }),
  );
  return { isComplete: isComplete ?? true };
}
