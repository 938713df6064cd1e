import { CHALLENGE_PURPOSES, PASSWORD_RESET_RECIPIENTS } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import {
  belongsTo,
  bytea,
  createdAt,
  digest,
  finite,
  id,
  instant,
  namedKey,
  notNegative,
  oneOf,
} from '../columns.ts';

export const users = pgTable(
  'users',
  {
    id: id(),
    email: text('email').notNull(),
    /** Argon2id in PHC form; null for a user who signs in through a provider only. */
    passwordHash: text('password_hash'),
    isAdministrator: boolean('is_administrator').notNull().default(false),
    /** Incremented to sign a user out everywhere; sessions with an older version are void. */
    sessionVersion: integer('session_version').notNull().default(0),
    /** The IANA name of the zone in which the console shows times; null for that of the browser. */
    timeZone: text('time_zone'),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('users_email_key').on(sql`lower(${table.email})`)],
);

/**
 * A user's identity at a provider. Never linked to a user by e-mail alone: at a provider, an address
 * may belong to another person.
 */
export const identities = pgTable(
  'identities',
  {
    /** A provider's name, or an OpenID issuer's URL: subjects are unique per issuer. */
    provider: text('provider').notNull(),
    subject: text('subject').notNull(),
    userId: belongsTo('user_id', () => users.id),
    createdAt: createdAt(),
  },
  (table) => [
    namedKey('identities_pkey', [table.provider, table.subject]),
    index('identities_user_id_idx').on(table.userId),
  ],
);

/** One sign-in in one browser. A cookie without its row, or with an older version, is invalid. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: belongsTo('user_id', () => users.id),
    /** The user's session version when the session started. */
    sessionVersion: integer('session_version').notNull(),
    /** From where it was started, and with which browser, for its user's list. */
    clientAddress: text('client_address'),
    userAgent: text('user_agent'),
    /** Written at most every five minutes. */
    lastSeenAt: instant('last_seen_at'),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('sessions_user_id_idx').on(table.userId),
    check('sessions_expires_at_check', finite(table.expiresAt)),
  ],
);

/** The link with which a user sets a forgotten password. One per user: a new one ends the old. */
export const passwordResets = pgTable(
  'password_resets',
  {
    userId: belongsTo('user_id', () => users.id),
    /** One link each, so that a stranger who asks for a mail does not end that of an administrator. */
    sentTo: text('sent_to', { enum: PASSWORD_RESET_RECIPIENTS }).notNull().default('administrator'),
    /** The administrator, with whose role the link ends; null for a mailed one. */
    createdBy: uuid('created_by').references(() => users.id, { onDelete: 'cascade' }),
    tokenDigest: bytea('token_digest').notNull().unique('password_resets_token_digest_key'),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    namedKey('password_resets_pkey', [table.userId, table.sentTo]),
    index('password_resets_created_by_idx').on(table.createdBy),
    check('password_resets_sent_to_check', oneOf(table.sentTo, PASSWORD_RESET_RECIPIENTS)),
    check('password_resets_token_digest_check', digest(table.tokenDigest)),
    check('password_resets_expires_at_check', finite(table.expiresAt)),
  ],
);

/** A user's authenticator app, the second factor after the password (ADR 0030). */
export const authenticators = pgTable('authenticators', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** The secret that the app shares, encrypted with a key that is not in the database. */
  sealedSecret: bytea('sealed_secret').notNull(),
  /** When the first code proved that the app has the secret; null until then. */
  confirmedAt: instant('confirmed_at'),
  /** The time step of the last code that was accepted: none is accepted twice. */
  lastStep: bigint('last_step', { mode: 'number' }),
  createdAt: createdAt(),
});

/** What a user types in place of a code of the lost app; each works once and is then deleted. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: belongsTo('user_id', () => users.id),
    codeDigest: bytea('code_digest').notNull(),
  },
  (table) => [
    namedKey('recovery_codes_pkey', [table.userId, table.codeDigest]),
    check('recovery_codes_code_digest_check', digest(table.codeDigest)),
  ],
);

/** The public half of a passkey. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: id(),
    userId: belongsTo('user_id', () => users.id),
    /** In base64url, as browsers name it. */
    credentialId: text('credential_id').notNull().unique('passkeys_credential_id_key'),
    publicKey: bytea('public_key').notNull(),
    /** Of the last signature; 0 where the authenticator does not count. */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    name: text('name').notNull(),
    /** Whether its provider keeps a copy. */
    isBackedUp: boolean('is_backed_up').notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant('last_used_at'),
  },
  (table) => [
    index('passkeys_user_id_idx').on(table.userId),
    check('passkeys_counter_check', notNegative(table.counter)),
  ],
);

/** What is between two requests of one sign-in. Its token is in a cookie of that browser. */
export const signInChallenges = pgTable(
  'sign_in_challenges',
  {
    tokenDigest: bytea('token_digest').primaryKey(),
    purpose: text('purpose', { enum: CHALLENGE_PURPOSES }).notNull(),
    /** Null for a sign-in with a passkey, which itself names its user. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The user's session version when the password was checked. */
    sessionVersion: integer('session_version'),
    /** What a passkey has to sign, in base64url. */
    challenge: text('challenge'),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('sign_in_challenges_user_id_idx').on(table.userId),
    index('sign_in_challenges_expires_at_idx').on(table.expiresAt),
    check('sign_in_challenges_token_digest_check', digest(table.tokenDigest)),
    check('sign_in_challenges_purpose_check', oneOf(table.purpose, CHALLENGE_PURPOSES)),
    check('sign_in_challenges_expires_at_check', finite(table.expiresAt)),
  ],
);

/**
 * Sign-in attempts per window, counted before any password is hashed, and the networks from which an
 * account's user signed in (`known_network`, whose count is 0).
 */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    /** What is limited, such as `account`, and its subject: a digest or a network address. */
    scope: text('scope').notNull(),
    subject: text('subject').notNull(),
    count: integer('count').notNull(),
    windowEndsAt: instant('window_ends_at').notNull(),
  },
  (table) => [
    namedKey('sign_in_attempts_pkey', [table.scope, table.subject]),
    index('sign_in_attempts_window_ends_at_idx').on(table.windowEndsAt),
    check('sign_in_attempts_window_ends_at_check', finite(table.windowEndsAt)),
  ],
);
