import type { Executor } from '../database.ts';
import { users } from '../tables.ts';

/** Whether anybody has an account yet. */
export async function hasUsers(db: { orm: Executor }): Promise<boolean> {
  const rows = await db.orm.select({ userId: users.id }).from(users).limit(1);
  return rows.length > 0;
}
