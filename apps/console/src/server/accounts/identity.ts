import 'server-only';
import {
  findUserByIdentity,
  type SignUpPolicy,
  signUp,
  startSession,
  type VerbContext,
} from '@ceiba/schema';

export interface ProviderProfile {
  /** A provider's name or an issuer's URL. */
  provider: string;
  subject: string;
  email: string | null | undefined;
  /** False when the provider says that the address is unverified; undefined when it says nothing. */
  emailVerified: boolean | undefined;
}

export type IdentityResult =
  | { kind: 'signed_in'; userId: string; sessionId: string }
  | { kind: 'email_missing' | 'email_unverified' | 'email_taken' | 'closed' | 'unavailable' };

/**
 * Begins a session of the person behind a provider's identity, who is created when new. An account
 * that has the same address is left alone: the holder of an address at a provider need not be its
 * owner here.
 */
export async function signInWithIdentity(
  ctx: VerbContext,
  profile: ProviderProfile,
  policy: SignUpPolicy,
  lifetimeSeconds: number,
): Promise<IdentityResult> {
  const identity = { provider: profile.provider, subject: profile.subject };
  const known = await findUserByIdentity(ctx.db, identity);
  if (known !== null) return begin(ctx, known, lifetimeSeconds);
  if (!profile.email) return { kind: 'email_missing' };
  if (profile.emailVerified === false) return { kind: 'email_unverified' };
  const result = await signUp(ctx, { email: profile.email, passwordHash: null, identity, policy });
  if (result.kind !== 'created') return result;
  return begin(ctx, await findUserByIdentity(ctx.db, identity), lifetimeSeconds);
}

async function begin(
  ctx: VerbContext,
  person: { userId: string; sessionVersion: number } | null,
  lifetimeSeconds: number,
): Promise<IdentityResult> {
  const session = person && (await startSession(ctx, { ...person, lifetimeSeconds }));
  // Deleted or signed out everywhere at this very moment: the next try finds what is so then.
  if (person === null || session === null) return { kind: 'unavailable' };
  return { kind: 'signed_in', userId: person.userId, sessionId: session.sessionId };
}
