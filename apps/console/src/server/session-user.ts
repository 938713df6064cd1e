import 'server-only';
import { findSession, type SignedInUser } from '@ceiba/schema';
import { withSessionDatabase } from './database.ts';
import type { SessionClaims } from './session-cookie.ts';

/** The user of a session; null if it has ended. */
export async function userOfSession({ sub, sid }: SessionClaims): Promise<SignedInUser | null> {
  const user = await withSessionDatabase((db) => findSession(db, sid));
  return user?.userId === sub ? user : null;
}
