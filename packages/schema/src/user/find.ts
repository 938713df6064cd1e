import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { identities, users } from '../tables.ts';

export interface User {
  userId: string;
  email: string;
  passwordHash: string | null;
  isAdministrator: boolean;
  sessionVersion: number;
}

const columns = {
  userId: users.id,
  email: users.email,
  passwordHash: users.passwordHash,
  isAdministrator: users.isAdministrator,
  sessionVersion: users.sessionVersion,
};

/** @returns the user with that address, compared without letter case, or null */
export async function findUserByEmail(db: { orm: Executor }, email: string): Promise<User | null> {
  const [row] = await db.orm
    .select(columns)
    .from(users)
    .where(sql`lower(${users.email}) = lower(${email})`);
  return row ?? null;
}

/** @returns the user, or null */
export async function findUserById(db: { orm: Executor }, userId: string): Promise<User | null> {
  const [row] = await db.orm.select(columns).from(users).where(eq(users.id, userId));
  return row ?? null;
}

/**
 * Finds an issuer with and without a slash at its end, as its setting may be spelled; the same spelling
 * first.
 *
 * @returns the user of a provider's identity, or null
 */
export async function findUserByIdentity(
  db: { orm: Executor },
  { provider, subject }: { provider: string; subject: string },
): Promise<Pick<User, 'userId' | 'sessionVersion'> | null> {
  const bare = provider.replace(/\/+$/, '');
  const [row] = await db.orm
    .select({ userId: users.id, sessionVersion: users.sessionVersion })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(
      and(
        inArray(identities.provider, [provider, bare, `${bare}/`]),
        eq(identities.subject, subject),
      ),
    )
    .orderBy(desc(eq(identities.provider, provider)));
  return row ?? null;
}
