import 'server-only';
import { findUserByIdentity, type SignUpPolicy, signUp, type VerbContext } from '@ceiba/schema';

export interface ProviderProfile {
  /** A provider's name or an issuer's URL. */
  provider: string;
  subject: string;
  email: string | null | undefined;
  /** False when the provider says that nobody checked the address; undefined when it says nothing. */
  emailVerified: boolean | undefined;
}

export type IdentityResult =
  | { kind: 'signed_in'; userId: string }
  | { kind: 'email_missing' | 'email_unverified' | 'email_taken' | 'closed' };

/**
 * The person behind a provider's identity, who is created when new. An account that has the same
 * address is left alone: whoever holds an address at a provider need not be its owner here.
 */
export async function signInWithIdentity(
  ctx: VerbContext,
  profile: ProviderProfile,
  policy: SignUpPolicy,
): Promise<IdentityResult> {
  const identity = { provider: profile.provider, subject: profile.subject };
  const known = await findUserByIdentity(ctx.db, identity);
  if (known !== null) return { kind: 'signed_in', userId: known.userId };
  if (!profile.email) return { kind: 'email_missing' };
  if (profile.emailVerified === false) return { kind: 'email_unverified' };
  const result = await signUp(ctx, { email: profile.email, passwordHash: null, identity, policy });
  return result.kind === 'created' ? { kind: 'signed_in', userId: result.userId } : result;
}
