import 'server-only';
import { EMAIL_LENGTH_MAX } from '@ceiba/contract/sets';
import { SESSION_DAYS } from '@ceiba/domain';
import { endSession } from '@ceiba/schema';
import type { Account, AuthOptions, CookiesOptions, Profile, User } from 'next-auth';
import CredentialsProvider from 'next-auth/providers/credentials';
import GitHubProvider from 'next-auth/providers/github';
import GoogleProvider from 'next-auth/providers/google';
import type { OAuthConfig, Provider, UserinfoEndpointHandler } from 'next-auth/providers/index';
import { z } from 'zod';
import { env } from '../../env.ts';
import { inDatabaseAs } from '../in-database.ts';
import { log } from '../log.ts';
import { type CookiePurpose, cookieAttributes, cookieName } from '../own-cookies.ts';
import { sessionClaims } from '../session-cookie.ts';
import { userOfSession } from '../session-user.ts';
import { challengeTokenDigest, dropChallengeToken } from './challenge-cookie.ts';
import { signInWithIdentity } from './identity.ts';
import { signInWithPasskey } from './passkey.ts';
import { signInWithPassword } from './password.ts';
import { signInWithSecondFactor } from './second-factor.ts';
import { dropSetupToken, keptSetupTokenDigest } from './setup-token.ts';

export const SESSION_LIFETIME_SECONDS = SESSION_DAYS * 24 * 60 * 60;

const credentialsSchema = z.object({
  // Postgres refuses a NUL in a text, and no address holds any other control character.
  email: z
    .string()
    .min(1)
    .max(EMAIL_LENGTH_MAX)
    .regex(/^\P{Cc}*$/u),
  password: z.string().min(1).max(1024),
});

/** The options of next-auth, created on first use because they need the settings and the database. */
export async function authOptions(): Promise<AuthOptions> {
  options ??= {
    cookies: await authCookies(),
    secret: env().sessionSecret,
    session: { strategy: 'jwt', maxAge: SESSION_LIFETIME_SECONDS },
    pages: { signIn: '/sign-in', error: '/sign-in', signOut: '/account' },
    providers: providers(),
    callbacks: { signIn: signInIdentity, jwt: issueToken },
    events: { signOut: async ({ token }) => forgetSession(token) },
    logger: {
      error: (code, metadata) => {
        if (metadata instanceof SessionOver) return;
        log.error({ code, err: errorOf(metadata) }, 'next-auth');
      },
      warn: () => {},
      debug: () => {},
    },
  };
  return options;
}
let options: AuthOptions | undefined;

/** All cookies of next-auth, under names of this installation. */
async function authCookies(): Promise<CookiesOptions> {
  const named = async (purpose: CookiePurpose) => ({
    name: await cookieName(purpose),
    options: { ...cookieAttributes(), sameSite: 'lax' as const },
  });
  return {
    sessionToken: await named('session-token'),
    callbackUrl: await named('callback-url'),
    csrfToken: await named('csrf-token'),
    pkceCodeVerifier: await named('pkce'),
    state: await named('state'),
    nonce: await named('nonce'),
  };
}

/** The configured providers, for the sign-in page. */
export function configuredProviders(): readonly { id: string; name: string }[] {
  const { github, google, oidc } = env();
  return [
    ...(github ? [{ id: 'github', name: 'GitHub' }] : []),
    ...(google ? [{ id: 'google', name: 'Google' }] : []),
    ...(oidc ? [{ id: 'oidc', name: oidc.name }] : []),
  ];
}

function providers(): Provider[] {
  const { github, google, oidc } = env();
  return [
    CredentialsProvider({
      credentials: { email: {}, password: {} },
      authorize: authorizePassword,
    }),
    CredentialsProvider({
      id: 'second-factor',
      credentials: { code: {} },
      authorize: authorizeSecondFactor,
    }),
    CredentialsProvider({
      id: 'passkey',
      credentials: { answer: {} },
      authorize: authorizePasskey,
    }),
    ...(github ? [githubProvider(github)] : []),
    ...(google ? [GoogleProvider(google)] : []),
    ...(oidc ? [openIdProvider(oidc)] : []),
  ];
}

/** As long as next-auth waits for a provider. */
const GITHUB_MS_MAX = 3_500;

/** Only GitHub's list of addresses says whether one is verified, and next-auth does not read that. */
function githubProvider(settings: NonNullable<ReturnType<typeof env>['github']>) {
  const userinfo: UserinfoEndpointHandler = {
    async request({ client, tokens: { access_token: token = '' } }) {
      const user = await client.userinfo(token);
      const headers = { authorization: `Bearer ${token}` };
      const signal = AbortSignal.timeout(GITHUB_MS_MAX);
      const answer = await fetch('https://api.github.com/user/emails', { headers, signal });
      const addresses = githubAddresses.safeParse(answer.ok && (await answer.json())).data ?? [];
      const shown = addresses.find(({ email, primary }) =>
        user.email ? email === user.email : primary,
      );
      return { ...user, ...shown, email_verified: shown?.verified ?? false };
    },
  };
  return GitHubProvider({ ...settings, userinfo });
}
const githubAddresses = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
);

function openIdProvider(settings: NonNullable<ReturnType<typeof env>['oidc']>) {
  const issuer = settings.issuer.replace(/\/+$/, '');
  return {
    id: 'oidc',
    name: settings.name,
    type: 'oauth',
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    clientId: settings.clientId,
    clientSecret: settings.clientSecret,
    authorization: { params: { scope: 'openid email profile' } },
    idToken: true,
    checks: ['pkce', 'state', 'nonce'],
    profile: (claims) => ({ id: claims.sub, email: claims.email ?? null }),
  } satisfies OAuthConfig<{ sub: string; email?: string }>;
}

/** The user and the session of a token. */
const signedInSchema = z.object({ id: z.guid(), sessionId: z.guid() });
type SignedIn = z.output<typeof signedInSchema>;

/** The sign-in errors that the form knows. */
export type SignInError =
  | `limited:${number}`
  | 'second_factor'
  | 'passkey_required'
  | 'expired'
  | 'unavailable'
  | 'CredentialsSignin';

const authorizePassword = (input: unknown): Promise<SignedIn | null> =>
  authorize(credentialsSchema, input, (given) =>
    signInWithPassword(inDatabase, given, SESSION_LIFETIME_SECONDS),
  );

const codeSchema = z.object({ code: z.string().min(1).max(64) });

/** The step after a right password. */
const authorizeSecondFactor = (input: unknown): Promise<SignedIn | null> =>
  authorize(codeSchema, input, async ({ code }) => {
    const given = { tokenDigest: await challengeTokenDigest('second_factor'), code };
    const result = await signInWithSecondFactor(inDatabase, given, SESSION_LIFETIME_SECONDS);
    if (result.kind === 'signed_in') await dropChallengeToken('second_factor');
    return result;
  });

const answerSchema = z.object({ answer: z.string().min(1).max(16_384) });

/** A passkey stands for both factors. */
const authorizePasskey = (input: unknown): Promise<SignedIn | null> =>
  authorize(answerSchema, input, async ({ answer }) => {
    const given = { tokenDigest: await challengeTokenDigest('sign_in_passkey'), answer };
    const result = await signInWithPasskey(inDatabase, given, SESSION_LIFETIME_SECONDS);
    await dropChallengeToken('sign_in_passkey');
    return result;
  });

type SignInResult =
  | { kind: 'signed_in'; userId: string; sessionId: string }
  | { kind: 'wrong' | 'second_factor' | 'passkey_required' | 'expired' }
  | { kind: 'limited'; retryAfterSeconds: number };

/** What next-auth wants: the session, null for wrong credentials, or an error that the form knows. */
async function authorize<Given>(
  schema: z.ZodType<Given>,
  input: unknown,
  signIn: (given: Given) => Promise<SignInResult>,
): Promise<SignedIn | null> {
  const sent = schema.safeParse(input);
  if (!sent.success) return null;
  const result = await orUnavailable(() => signIn(sent.data));
  switch (result.kind) {
    case 'signed_in':
      return { id: result.userId, sessionId: result.sessionId };
    case 'wrong':
      return null;
    case 'limited':
      throw new Error(`limited:${result.retryAfterSeconds}` satisfies SignInError);
    case 'second_factor':
    case 'passkey_required':
    case 'expired':
      throw new Error(result.kind satisfies SignInError);
  }
}

/** Signs in with a provider's identity, or returns to the sign-in page with the reason. */
async function signInIdentity({
  user,
  account,
  profile,
}: {
  user: User;
  account: Account | null;
  profile?: Profile;
}): Promise<boolean | string> {
  if (account === null || account.type === 'credentials') return true;
  const oidcIssuer = env().oidc?.issuer;
  const claimed = {
    provider: account.provider === 'oidc' && oidcIssuer ? oidcIssuer : account.provider,
    subject: account.providerAccountId,
    email: user.email,
    emailVerified: verifiedClaim(profile),
  };
  const result = await orUnavailable(async () => {
    const setupTokenDigest = await keptSetupTokenDigest();
    const signUp = { policy: env().signUp, setupTokenDigest };
    const signedIn = await inDatabase((ctx) =>
      signInWithIdentity(ctx, claimed, signUp, SESSION_LIFETIME_SECONDS),
    );
    if (signedIn.kind === 'signed_in' && setupTokenDigest !== null) await dropSetupToken();
    return signedIn;
  });
  if (result.kind !== 'signed_in') return `/sign-in?error=${result.kind}`;
  // next-auth creates the token from this object, which so far holds the provider's user.
  Object.assign(user, { id: result.userId, sessionId: result.sessionId } satisfies SignedIn);
  return true;
}

/** Some providers send the claim as text. All but a yes is a no; without the claim it is undefined. */
function verifiedClaim(profile: Profile | undefined): boolean | undefined {
  const claim = profileSchema.safeParse(profile).data?.email_verified;
  return claim === undefined ? undefined : claim === true || claim === 'true';
}
const profileSchema = z.object({ email_verified: z.unknown() });

/** Makes next-auth clear the cookie of a session that has ended. It is not logged. */
class SessionOver extends Error {
  override name = 'SessionOver';
}

/**
 * Issues a token at sign-in, and the same one again whenever next-auth reads the session, which
 * extends the cookie.
 *
 * The session was created where the password or the identity was checked: next-auth would show an
 * error of this function to the user as it is.
 */
async function issueToken({ token, user }: { token: object; user?: User | undefined }) {
  if (user === undefined) {
    if (await isOver(token)) throw new SessionOver();
    return { ...token };
  }
  const { id, sessionId } = signedInSchema.parse(user);
  return { sub: id, sid: sessionId };
}

/** An outage does not end a session: if it cannot be checked, it counts as valid. */
async function isOver(token: unknown): Promise<boolean> {
  const session = sessionClaims(token);
  try {
    return session === null || (await userOfSession(session)) === null;
  } catch (error) {
    log.error({ err: error }, 'session.not_checked');
    return false;
  }
}

async function forgetSession(token: unknown): Promise<void> {
  const session = sessionClaims(token);
  if (session !== null) await inDatabase((ctx) => endSession(ctx, session.sid));
}

const inDatabase = inDatabaseAs({ kind: 'system' });

/** Logs an error and replaces it by one without details, because next-auth sends its message to the browser. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    log.error({ err: error }, 'sign_in.failed');
    throw new Error('unavailable' satisfies SignInError);
  }
}

function errorOf(metadata: unknown): Error | undefined {
  if (metadata instanceof Error) return metadata;
  return z.object({ error: z.instanceof(Error) }).safeParse(metadata).data?.error;
}
