import { eq } from 'drizzle-orm';
import type { Executor } from '../database.ts';
import { sessions } from '../tables.ts';

/** Ends one session; a copy of its cookie is worth nothing from the next request on. */
export async function endSession(db: { orm: Executor }, sessionId: string): Promise<void> {
  await db.orm.delete(sessions).where(eq(sessions.id, sessionId));
}
