import { type SQL, sql } from 'drizzle-orm';

/**
 * What an account has beside a password: an authenticator app, without which the password does not sign
 * in; else a passkey; else nothing. An account without a password signs in through a provider, which has
 * second factors of its own, or with a passkey.
 */
export type SecondFactorState = 'app' | 'passkey' | 'provider' | 'none';

/** Whether a password needs a code of an authenticator app after it; of a row of users. */
export const hasApp = (user: SQL): SQL<boolean> => sql<boolean>`exists (
  select from authenticators a where a.user_id = ${user}.id and a.confirmed_at is not null)`;

const hasPasskey = (user: SQL) => sql`exists (select from passkeys k where k.user_id = ${user}.id)`;

/** The state of a row of users. */
export const secondFactorOf = (user: SQL): SQL<SecondFactorState> =>
  sql<SecondFactorState>`case when ${user}.password_hash is null then 'provider'
    when ${hasApp(user)} then 'app' when ${hasPasskey(user)} then 'passkey' else 'none' end`;

/** Whether a second factor is required, and the account has none: its user can set one up and do nothing else. */
export const lacksSecondFactor = (user: SQL): SQL<boolean> =>
  sql<boolean>`(coalesce((select requires_second_factor from settings), false)
    and ${secondFactorOf(user)} = 'none')`;
