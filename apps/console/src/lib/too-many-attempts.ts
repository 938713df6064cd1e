import { plural } from './format.ts';

/** The message when attempts to sign in, sign up or change a password are used up. */
export const tooManyAttempts = (retryAfterSeconds: number): string =>
  `Too many attempts. Try again in ${plural(Math.ceil(retryAfterSeconds / 60), 'minute')}.`;
