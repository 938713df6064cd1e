import 'server-only';
import { decode } from 'next-auth/jwt';
import { cache } from 'react';
import { z } from 'zod';
import { env } from '../env.ts';
import { readCookie } from './own-cookies.ts';

/** The content of the session cookie. The user is read from Postgres on every request. */
const sessionTokenSchema = z.object({ sub: z.guid(), sid: z.guid() });
/** Who a session cookie is of; the session may have ended since it was issued. */
export type SessionClaims = z.infer<typeof sessionTokenSchema>;

/** What this console wrote into a session's token; null for anything else. */
export function sessionClaims(token: unknown): SessionClaims | null {
  return sessionTokenSchema.safeParse(token).data ?? null;
}

/** The claims of the request's cookie; null without one, or if it expired or is not of this console. */
export const readSessionCookie = cache(async (): Promise<SessionClaims | null> => {
  const token = await readCookie('session-token');
  if (token === undefined) return null;
  try {
    return sessionClaims(await decode({ token, secret: env().sessionSecret }));
  } catch {
    return null;
  }
});
