import { and, eq } from 'drizzle-orm';
import type { Executor } from '../database.ts';
import { identities } from '../tables.ts';

/** @returns the person whom this identity belongs to, or null */
export async function findUserByIdentity(
  db: { orm: Executor },
  identity: { provider: string; subject: string },
): Promise<{ userId: string } | null> {
  const [row] = await db.orm
    .select({ userId: identities.userId })
    .from(identities)
    .where(
      and(eq(identities.provider, identity.provider), eq(identities.subject, identity.subject)),
    );
  return row ?? null;
}
