import 'server-only';
import { findSession, type SignedInUser } from '@ceiba/schema';
import { z } from 'zod';
import { withDatabase } from '../database.ts';

/** The content of the session cookie. The user is read from Postgres on every request. */
export const sessionTokenSchema = z.object({ sub: z.guid(), sid: z.guid() });

/** The user of a session cookie; null without a valid session. */
export async function userOfToken(token: unknown): Promise<SignedInUser | null> {
  const claims = sessionTokenSchema.safeParse(token);
  if (!claims.success) return null;
  const user = await withDatabase((db) => findSession(db, claims.data.sid));
  return user?.userId === claims.data.sub ? user : null;
}
