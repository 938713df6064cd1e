import { FRESH_SESSION_MINUTES } from '@ceiba/domain/constants';

/** Where a user without a password proves themselves by a sign-in a moment ago. */
export const NOT_FRESH = `You signed in more than ${FRESH_SESSION_MINUTES} minutes ago. Sign out, sign in again, and do this then.`;
