import { and, eq } from 'drizzle-orm';
import type { Executor } from '../database.ts';
import { identities, users } from '../tables.ts';

/** @returns the person whom this identity belongs to and their present version, or null */
export async function findUserByIdentity(
  db: { orm: Executor },
  identity: { provider: string; subject: string },
): Promise<{ userId: string; sessionVersion: number } | null> {
  const [row] = await db.orm
    .select({ userId: users.id, sessionVersion: users.sessionVersion })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(
      and(eq(identities.provider, identity.provider), eq(identities.subject, identity.subject)),
    );
  return row ?? null;
}
