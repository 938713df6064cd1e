import 'server-only';
import { CONFIRMATION_MINUTES } from '@ceiba/domain';
import { decode, encode } from 'next-auth/jwt';
import { z } from 'zod';
import { env } from '../../env.ts';

/**
 * Links that prove that someone reads the mail of an address. Nothing is stored for them, so strangers
 * fill no table: the token says what the link confirms, encrypted and authenticated with a key that is
 * derived from `NEXTAUTH_SECRET` for its page alone (ADR 0043). It is in the fragment, which browsers
 * send to no server.
 */
export interface ConfirmationLink<Claims> {
  create: (claims: Claims) => Promise<string>;
  /** @returns null for a token of another page or secret, and for one that has expired */
  read: (token: string) => Promise<Claims | null>;
}

function confirmationLink<Claims extends Record<string, unknown>>(
  page: `/${string}`,
  claimsSchema: z.ZodType<Claims>,
): ConfirmationLink<Claims> {
  const key = () => ({ secret: env().sessionSecret, salt: `ceiba:${page}` });
  return {
    async create(claims) {
      const maxAge = CONFIRMATION_MINUTES * 60;
      return `${env().publicOrigin}${page}#${await encode({ token: claims, maxAge, ...key() })}`;
    },
    async read(token) {
      try {
        return claimsSchema.safeParse(await decode({ token, ...key() })).data ?? null;
      } catch {
        return null;
      }
    },
  };
}

/** Finishes a sign-up with this address. */
export const signUpLink = confirmationLink('/sign-up/confirm', z.object({ email: z.string() }));

/** Changes the address of a user, unless their password or sessions have changed since. */
export const changeEmailLink = confirmationLink(
  '/confirm-email',
  z.object({ email: z.string(), userId: z.guid(), sessionVersion: z.number().int() }),
);
