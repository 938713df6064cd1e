import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../database.ts';
import { users } from '../tables.ts';

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

/** @returns the person with that address, letter case aside, or null */
export async function findUserByEmail(db: { orm: Executor }, email: string): Promise<User | null> {
  const [row] = await db.orm
    .select(columns)
    .from(users)
    .where(sql`lower(${users.email}) = lower(${email})`);
  return row ?? null;
}

/** @returns the person, or null */
export async function findUserById(db: { orm: Executor }, userId: string): Promise<User | null> {
  const [row] = await db.orm.select(columns).from(users).where(eq(users.id, userId));
  return row ?? null;
}
