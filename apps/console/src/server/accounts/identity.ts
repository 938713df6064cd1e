import 'server-only';
import { emailSchema } from '@ceiba/contract';
import {
  findUserByIdentity,
  type SignUpInput,
  type SignUpResult,
  signUp,
  startSession,
} from '@ceiba/schema';
import type { DatabaseContext } from '../in-database.ts';

export interface ProviderProfile {
  /** The name of a provider, or the URL of an issuer. */
  provider: string;
  subject: string;
  email: string | null | undefined;
  /** Undefined if the provider does not say. */
  emailVerified: boolean | undefined;
}

export type IdentityResult =
  | { kind: 'signed_in'; userId: string; sessionId: string }
  | { kind: 'email_missing' | 'email_invalid' | 'email_unverified' | 'unavailable' }
  | Exclude<SignUpResult, { kind: 'created' }>;

/**
 * Starts a session for the user of a provider's identity; creates the user if needed. It never links
 * an existing account by its e-mail address, because the provider's user may not own that account.
 */
export async function signInWithIdentity(
  ctx: DatabaseContext,
  profile: ProviderProfile,
  rules: Pick<SignUpInput, 'policy' | 'setupTokenDigest'>,
  lifetimeSeconds: number,
): Promise<IdentityResult> {
  const identity = { provider: profile.provider, subject: profile.subject };
  const known = await findUserByIdentity(ctx.db, identity);
  const { provider } = identity;
  if (known !== null) return start(ctx, known, provider, lifetimeSeconds);
  if (!profile.email) return { kind: 'email_missing' };
  const email = emailSchema.safeParse(profile.email).data;
  if (email === undefined) return { kind: 'email_invalid' };
  if (profile.emailVerified === false) return { kind: 'email_unverified' };
  const result = await signUp(ctx, {
    email,
    passwordHash: null,
    identity,
    ...rules,
  });
  if (result.kind !== 'created') return result;
  return start(ctx, await findUserByIdentity(ctx.db, identity), provider, lifetimeSeconds);
}

async function start(
  ctx: DatabaseContext,
  user: { userId: string; sessionVersion: number } | null,
  provider: string,
  lifetimeSeconds: number,
): Promise<IdentityResult> {
  const { userAgent } = ctx;
  const proof = { method: 'provider', provider } as const;
  const session = user && (await startSession(ctx, { ...user, lifetimeSeconds, userAgent, proof }));
  // Deleted or signed out everywhere just now; a retry sees the new state.
  if (user === null || session === null) return { kind: 'unavailable' };
  return { kind: 'signed_in', userId: user.userId, sessionId: session.sessionId };
}
