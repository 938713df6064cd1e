import 'server-only';
import {
  completePasskeySignIn,
  findPasskey,
  type PasskeyCredential,
  takeChallenge,
} from '@ceiba/schema';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { env } from '../../env.ts';
import type { InDatabase } from '../in-database.ts';
import { log } from '../log.ts';
import { noteRefusedSignIn } from './refused-sign-in.ts';

/**
 * Passkeys by WebAuthn, for the host of the configured address alone. A passkey is unlocked by a PIN,
 * a fingerprint or a face (user verification is required), so it stands for both factors.
 *
 * @see https://www.w3.org/TR/webauthn-3/
 */
const relyingParty = () => ({
  expectedOrigin: env().publicOrigin,
  expectedRPID: new URL(env().publicOrigin).hostname,
  requireUserVerification: true,
});

/** What a browser needs to create a passkey. */
export function passkeyCreation(
  user: { userId: string; email: string },
  credentialIds: readonly string[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return generateRegistrationOptions({
    rpName: 'Ceiba',
    rpID: relyingParty().expectedRPID,
    userName: user.email,
    userID: new Uint8Array(Buffer.from(user.userId.replaceAll('-', ''), 'hex')),
    excludeCredentials: credentialIds.map((id) => ({ id })),
    // Discoverable, so that signing in needs no address.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** What a browser needs to sign in with any passkey of this console. */
export const passkeyRequest = (): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  generateAuthenticationOptions({
    rpID: relyingParty().expectedRPID,
    userVerification: 'required',
  });

const base64url = z
  .string()
  .max(1024)
  .regex(/^[A-Za-z0-9_-]+$/);
/** Others, of newer browsers, are left out: they are only hints. */
const transport = z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);
const common = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}),
};
const createdSchema: z.ZodType<RegistrationResponseJSON> = z.object({
  ...common,
  response: z.object({
    clientDataJSON: z.string(),
    attestationObject: z.string(),
    transports: z
      .array(z.string())
      .max(10)
      .default([])
      .transform((sent) => sent.flatMap((each) => transport.safeParse(each).data ?? [])),
  }),
});
const signedSchema: z.ZodType<AuthenticationResponseJSON> = z.object({
  ...common,
  response: z.object({
    clientDataJSON: z.string(),
    authenticatorData: z.string(),
    signature: z.string(),
  }),
});

/** The passkey that a browser has created for a challenge; null if the answer does not prove that. */
export async function verifyCreatedPasskey(
  answer: string,
  expectedChallenge: string,
): Promise<{ credential: PasskeyCredential; isBackedUp: boolean } | null> {
  const response = createdSchema.safeParse(parseJson(answer));
  if (!response.success) return null;
  const checked = await orRefused(() =>
    verifyRegistrationResponse({ response: response.data, expectedChallenge, ...relyingParty() }),
  );
  if (!checked?.verified) return null;
  const { credential, credentialBackedUp } = checked.registrationInfo;
  return {
    credential: {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
    },
    isBackedUp: credentialBackedUp,
  };
}

export type PasskeySignInResult =
  | { kind: 'signed_in'; userId: string; sessionId: string }
  | { kind: 'wrong' | 'expired' };

/**
 * Checks the answer of a browser that was asked for a passkey, and starts the session. The challenge
 * is used up whatever the answer is.
 */
export async function signInWithPasskey(
  inDatabase: InDatabase,
  { tokenDigest, answer }: { tokenDigest: Buffer | null; answer: string },
  lifetimeSeconds: number,
): Promise<PasskeySignInResult> {
  if (tokenDigest === null) return { kind: 'expired' };
  const response = signedSchema.safeParse(parseJson(answer)).data;
  const { expectedChallenge, passkey } = await inDatabase(async ({ db }) => {
    const taken = await takeChallenge(db, { purpose: 'sign_in_passkey', tokenDigest });
    return {
      expectedChallenge: taken?.challenge ?? null,
      passkey: response === undefined ? null : await findPasskey(db, response.id),
    };
  });
  if (expectedChallenge === null) return { kind: 'expired' };
  if (response === undefined || passkey === null) return { kind: 'wrong' };
  const { credentialId, counter, transports, userId, sessionVersion } = passkey;
  const publicKey = new Uint8Array(passkey.publicKey);
  const credential = { id: credentialId, publicKey, counter, transports };
  const checked = await orRefused(() =>
    verifyAuthenticationResponse({ response, expectedChallenge, credential, ...relyingParty() }),
  );
  const result = checked?.verified
    ? await inDatabase((ctx) => {
        const { userAgent } = ctx;
        const { newCounter } = checked.authenticationInfo;
        const session = { userId, sessionVersion, lifetimeSeconds, userAgent };
        return completePasskeySignIn(ctx, { credentialId, counter: newCounter, ...session });
      })
    : ({ kind: 'wrong' } as const);
  if (result.kind === 'wrong') noteRefusedSignIn(inDatabase, 'sign_in.refuse', userId);
  return result;
}

/** The library throws for an answer that is wrong; the reason helps to find a wrong address. */
async function orRefused<T>(check: () => Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch (error) {
    // The message may quote what the browser sent.
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
    log.info({ reason }, 'passkey.refused');
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
