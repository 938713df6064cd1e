/**
 * Numbers that rules apply and pages show. Imports nothing, so that client components can import
 * them from `@ceiba/domain/constants`.
 */

/** Length counts for more than composition rules (NIST SP 800-63B, section 5.1.1). */
export const PASSWORD_LENGTH_MIN = 12;
/** Longer than any passphrase; bounds the text that is hashed. */
export const PASSWORD_LENGTH_MAX = 256;

/** For how many days usage and the audit log may be kept. The month's usage needs 31. */
export const RETENTION_DAYS_MIN = 31;
export const RETENTION_DAYS_MAX = 3_650;

/** For how many days the decision log is kept, and the limits of that setting. */
export const DECISION_RETENTION_DAYS = 7;
export const DECISION_RETENTION_DAYS_MIN = 1;
export const DECISION_RETENTION_DAYS_MAX = 90;
/** The longest path that the decision log keeps, in bytes of UTF-8. */
export const LOGGED_PATH_BYTES_MAX = 2_048;

/** How long after the first allowed call of a project its allowed calls are not sampled, in hours. */
export const UNSAMPLED_HOURS = 24;
/** How many of them each Runtime process keeps in a minute, where the share asks for fewer. */
export const UNSAMPLED_PER_MINUTE = 100;

/** Where the hosts of the console's snippets listen. `npm start` runs its example API on 4100. */
export const EXAMPLE_HOST_PORT = 4200;

/** How long a session of the console lasts. */
export const SESSION_DAYS = 14;
/** A further sign-in ends the session of the user that was used longest ago. */
export const SESSIONS_MAX = 50;
/** How long a link that confirms an address lasts. */
export const CONFIRMATION_MINUTES = 60;

/** Who gets the link of a reset: an administrator, who passes it on, or the user, by mail. */
export const PASSWORD_RESET_RECIPIENTS = ['administrator', 'mail'] as const;
export type PasswordResetRecipient = (typeof PASSWORD_RESET_RECIPIENTS)[number];
/** How long the link works. */
export const PASSWORD_RESET_MINUTES = {
  administrator: 24 * 60,
  mail: 60,
} as const satisfies Record<PasswordResetRecipient, number>;

/** Why a browser has a token between two requests of one sign-in, and for how long. */
export const CHALLENGE_PURPOSES = ['second_factor', 'sign_in_passkey', 'add_passkey'] as const;
export type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number];
export const SIGN_IN_CHALLENGE_MINUTES = 5;

/** How long after signing in a user without a password may change how they sign in. */
export const FRESH_SESSION_MINUTES = 10;

export const RECOVERY_CODES = 10;
/** With fewer left, a user is asked to create new ones. */
export const RECOVERY_CODES_FEW = 3;
/** The most passkeys of a user. */
export const PASSKEYS_MAX = 20;

/** What an access token may do of what its user may. */
export const TOKEN_ACCESSES = ['read', 'write'] as const;
export type TokenAccess = (typeof TOKEN_ACCESSES)[number];
/** The most access tokens of a user that have not expired. */
export const ACCESS_TOKENS_MAX = 20;
/** The most projects that an access token lists. */
export const TOKEN_PROJECTS_MAX = 100;
/** How long an access token works: the choices, and the most. */
export const ACCESS_TOKEN_DAYS = [7, 30, 90, 365] as const;
export const ACCESS_TOKEN_DAYS_MAX = 365;
/** How long the list shows a token that has expired, before it is removed. */
export const EXPIRED_TOKEN_DAYS = 30;

/** The longest text that the keys of a project may begin with. */
export const KEY_BRAND_LENGTH_MAX = 17;

/** How long an invitation to a project can be accepted. */
export const INVITATION_DAYS = 7;
/** The most members of a project, open invitations included, without its owner. */
export const PROJECT_MEMBERS_MAX = 100;

/** The most policies of a project. */
export const POLICIES_MAX = 10_000;

/** How long the previous project secret stays valid after a rotation. */
export const SECRET_OVERLAP_HOURS = 24;

/** From this share on, a quota is nearly used. */
export const QUOTA_NEARLY_USED = 0.8;

/**
 * The past days whose rate forecasts the month's use: long enough to include a weekend, short enough
 * to notice a change.
 */
export const FORECAST_DAYS = 7;

/** The longest note of a key, in characters. */
export const API_KEY_NOTE_LENGTH_MAX = 500;
/** The most keys that one change takes. */
export const API_KEYS_CHANGED_MAX = 500;
/** Days without an allowed request after which a key is idle. */
export const KEY_IDLE_DAYS = 90;
/** Days before its expiry when a key starts to count as expiring soon. */
export const KEY_EXPIRES_SOON_DAYS = 7;
/** How far back the last use of a policy is looked for, today included. */
export const POLICY_USE_DAYS = 30;
