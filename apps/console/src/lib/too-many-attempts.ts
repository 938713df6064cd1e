import { plural } from './format.ts';

/** What to tell somebody whose attempts to sign in, to sign up or to change a password are over. */
export const tooManyAttempts = (retryAfterSeconds: number): string =>
  `Too many attempts. Try again in ${plural(Math.ceil(retryAfterSeconds / 60), 'minute')}.`;
