import { createHash } from 'node:crypto';
import { and, eq, gte, or, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { signInAttempts } from '../tables.ts';

const QUARTER_HOUR = 900;
const HOUR = 3_600;
const DAY = 24 * HOUR;
/** How long a network counts as known after a sign-in from it. */
const KNOWN_SECONDS = 30 * DAY;

/**
 * The most attempts in a window. A stranger can use up what an account has in the stranger's network, and
 * from many networks what it has in all of them, but never what it has in a network from which its user
 * signed in before. Many users can share a network.
 */
const LIMITS = {
  account_network: { most: 10, seconds: QUARTER_HOUR },
  account: { most: 100, seconds: QUARTER_HOUR },
  address: { most: 300, seconds: QUARTER_HOUR },
  password_change: { most: 10, seconds: QUARTER_HOUR },
  second_factor: { most: 10, seconds: QUARTER_HOUR },
  reset_account: { most: 3, seconds: QUARTER_HOUR },
  reset_address: { most: 30, seconds: QUARTER_HOUR },
  passkey_address: { most: 300, seconds: QUARTER_HOUR },
  account_notice: { most: 20, seconds: HOUR },
  alert_test: { most: 10, seconds: HOUR },
  alert_again: { most: 100, seconds: HOUR },
  confirmation_address: { most: 3, seconds: DAY },
  confirmation_owner: { most: 20, seconds: DAY },
  confirmation_network: { most: 60, seconds: DAY },
  setup_address: { most: 30, seconds: QUARTER_HOUR },
} as const;
type Limit = keyof typeof LIMITS;
type Scope = Limit | 'known_network';

export type AttemptResult = { kind: 'admitted' } | { kind: 'limited'; retryAfterSeconds: number };

/**
 * Counts an attempt to sign in or up, before any password is hashed: per account (whether or not it
 * exists) and network, per account in all networks from which its user never signed in, and per network.
 *
 * A refused attempt writes nothing: what strangers store is bounded by what is admitted.
 */
export async function chargeAttempt(ctx: VerbContext, email: string): Promise<AttemptResult> {
  const { account, network, both } = subjectsOf(ctx, email);
  const elsewhere = (await isKnown(ctx.db.orm, both)) ? [] : ([['account', account]] as const);
  // The network last: users who share one wait for its row the shortest time.
  return chargeAll(ctx, [['account_network', both], ...elsewhere, ['address', network]]);
}

/**
 * Counts an attempt to change a password, by its signed-in user or with a link that resets it. It has a
 * limit of its own, which strangers cannot use up: a user can always change a leaked password.
 */
export const chargePasswordChange = (ctx: VerbContext, userId: string): Promise<AttemptResult> =>
  chargeAll(ctx, [['password_change', userId]]);

/**
 * Counts a code after a right password, per user: six digits can be guessed. Only who knows the
 * password can use this up.
 */
export const chargeSecondFactor = (ctx: VerbContext, userId: string): Promise<AttemptResult> =>
  chargeAll(ctx, [['second_factor', userId]]);

/** Resets the limit of codes after a right one. */
export async function forgiveSecondFactor(tx: Executor, userId: string): Promise<void> {
  await tx.delete(signInAttempts).where(isSubject('second_factor', userId));
}

/**
 * Counts a request for a mail that resets a password or confirms an address, per mailbox (whether or not
 * it has an account) and network.
 */
export function chargeAccountMail(ctx: VerbContext, email: string): Promise<AttemptResult> {
  return chargeAll(ctx, [
    ['reset_account', mailboxSubject(email)],
    ['reset_address', addressSubject(ctx.clientAddress)],
  ]);
}

/** Counts a sign-in with a passkey per network, because each stores a challenge. */
export const chargePasskeySignIn = (ctx: VerbContext): Promise<AttemptResult> =>
  chargeAll(ctx, [['passkey_address', addressSubject(ctx.clientAddress)]]);

/** Counts a notice of a change of an account, per address: an account can be deleted and created again. */
export const chargeAccountNotice = (ctx: VerbContext, email: string): Promise<AttemptResult> =>
  chargeAll(ctx, [['account_notice', mailboxSubject(email)]]);

/** Counts a test of a destination, per owner: projects and destinations can be created again. */
export const chargeAlertTest = (ctx: VerbContext, ownerId: string): Promise<AttemptResult> =>
  chargeAll(ctx, [['alert_test', ownerId]]);

/** Counts an alert that a user sends again, per owner. */
export const chargeAlertAgain = (ctx: VerbContext, ownerId: string): Promise<AttemptResult> =>
  chargeAll(ctx, [['alert_again', ownerId]]);

/** Counts a mail that asks an address for confirmation, per mailbox, owner and network. */
export function chargeConfirmation(
  ctx: VerbContext,
  { address, ownerId }: { address: string; ownerId: string },
): Promise<AttemptResult> {
  return chargeAll(ctx, [
    ['confirmation_address', mailboxSubject(address)],
    ['confirmation_owner', ownerId],
    // Without an address, all users would share one limit.
    ...(ctx.clientAddress === null
      ? []
      : [['confirmation_network', addressSubject(ctx.clientAddress)] as const]),
  ]);
}

/** Counts a setup token that is tried without a password, per network. */
export const chargeSetupToken = (ctx: VerbContext): Promise<AttemptResult> =>
  chargeAll(ctx, [['setup_address', addressSubject(ctx.clientAddress)]]);

/** Resets the limits of password changes and of sign-ins to the account, after a correct password. */
export function forgivePasswordChange(
  ctx: VerbContext,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  const { account, both } = subjectsOf(ctx, email);
  return inTransaction(ctx, async (tx) => {
    await tx.delete(signInAttempts).where(isSubject('account_network', both));
    await tx.delete(signInAttempts).where(isSubject('account', account));
    await tx.delete(signInAttempts).where(isSubject('password_change', userId));
  });
}

/**
 * Uncounts a successful attempt: resets the account's limits, returns one attempt to the network, and
 * remembers that the account's user uses this network.
 */
export function forgiveAttempt(ctx: VerbContext, email: string): Promise<void> {
  const { account, network, both } = subjectsOf(ctx, email);
  return inTransaction(ctx, async (tx) => {
    await tx.delete(signInAttempts).where(isSubject('account_network', both));
    await tx.delete(signInAttempts).where(isSubject('account', account));
    await tx
      .update(signInAttempts)
      .set({ count: sql`greatest(0, ${signInAttempts.count} - 1)` })
      .where(isSubject('address', network));
    const windowEndsAt = sql`now() + make_interval(secs => ${KNOWN_SECONDS})`;
    await tx
      .insert(signInAttempts)
      .values({ scope: 'known_network', subject: both, count: 0, windowEndsAt })
      .onConflictDoUpdate({
        target: [signInAttempts.scope, signInAttempts.subject],
        set: { windowEndsAt },
      });
  });
}

/** Whether the account's user signed in from the network within the last month. */
async function isKnown(tx: Executor, subject: string): Promise<boolean> {
  const known = await tx
    .select({ one: sql`1` })
    .from(signInAttempts)
    .where(and(isSubject('known_network', subject), sql`${signInAttempts.windowEndsAt} > now()`));
  return known.length > 0;
}

const isSubject = (scope: Scope, subject: string) =>
  and(eq(signInAttempts.scope, scope), eq(signInAttempts.subject, subject));

type Scopes = readonly (readonly [Limit, string])[];

/** Rolls back what was charged before the scope that has no room left. */
class OverLimit extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super(`over the limit for ${retryAfterSeconds} s`);
  }
}

/**
 * Charges every scope or, where one of them is used up, none. Always in the order given: with two
 * orders, attempts could deadlock.
 */
async function chargeAll(ctx: VerbContext, scopes: Scopes): Promise<AttemptResult> {
  const usedUp = await readUsedUp(ctx.db.orm, scopes);
  if (usedUp.length > 0) return limited(usedUp);
  try {
    return await inTransaction<AttemptResult>(ctx, async (tx) => {
      for (const scope of scopes) await charge(tx, scope);
      await deleteExpired(tx);
      return { kind: 'admitted' };
    });
  } catch (error) {
    if (error instanceof OverLimit) return limited([error.retryAfterSeconds]);
    throw error;
  }
}

const limited = (secondsLeft: number[]): AttemptResult => ({
  kind: 'limited',
  retryAfterSeconds: Math.max(1, ...secondsLeft),
});

/** For each scope that has no room left, the seconds until its window ends. */
async function readUsedUp(db: Executor, scopes: Scopes): Promise<number[]> {
  const rows = await db
    .select({ secondsLeft })
    .from(signInAttempts)
    .where(
      or(
        ...scopes.map(([scope, subject]) =>
          and(
            isSubject(scope, subject),
            gte(signInAttempts.count, LIMITS[scope].most),
            sql`${signInAttempts.windowEndsAt} > now()`,
          ),
        ),
      ),
    );
  return rows.map((row) => row.secondsLeft);
}

const secondsLeft = sql<number>`
  ceil(extract(epoch from ${signInAttempts.windowEndsAt} - now()))::int`;

/** @throws OverLimit when attempts at the same time have used up the scope */
async function charge(tx: Executor, [scope, subject]: Scopes[number]): Promise<void> {
  const windowIsOver = sql`${signInAttempts.windowEndsAt} <= now()`;
  const freshEnd = sql`now() + make_interval(secs => ${LIMITS[scope].seconds})`;
  const charged = await tx
    .insert(signInAttempts)
    .values({ scope, subject, count: 1, windowEndsAt: freshEnd })
    .onConflictDoUpdate({
      target: [signInAttempts.scope, signInAttempts.subject],
      set: {
        count: sql`case when ${windowIsOver} then 1 else ${signInAttempts.count} + 1 end`,
        windowEndsAt: sql`case when ${windowIsOver} then ${freshEnd} else ${signInAttempts.windowEndsAt} end`,
      },
      setWhere: sql`${windowIsOver} or ${signInAttempts.count} < ${LIMITS[scope].most}`,
    })
    .returning({ scope: signInAttempts.scope });
  if (charged.length > 0) return;
  const [row] = await tx
    .select({ secondsLeft })
    .from(signInAttempts)
    .where(isSubject(scope, subject));
  throw new OverLimit(row?.secondsLeft ?? 1);
}

/**
 * Deletes a few expired windows, skipping rows that are locked. By scope and subject: two scopes share
 * their subjects, and a row that was not locked here could be waited for in both directions.
 */
async function deleteExpired(tx: Executor): Promise<void> {
  const expired = tx
    .select({ scope: signInAttempts.scope, subject: signInAttempts.subject })
    .from(signInAttempts)
    .where(sql`${signInAttempts.windowEndsAt} < now()`)
    .limit(20)
    .for('update', { skipLocked: true });
  await tx
    .delete(signInAttempts)
    .where(
      and(
        sql`(${signInAttempts.scope}, ${signInAttempts.subject}) in ${expired}`,
        sql`${signInAttempts.windowEndsAt} < now()`,
      ),
    );
}

/**
 * Every spelling under which Postgres finds an account has to be the same subject. Its `lower` turns
 * U+0130 (I with a dot) into `i`, JavaScript into `i` and U+0307.
 */
const spelledAlike = (email: string) => email.trim().toLowerCase().replaceAll('\u0307', '');

/** Only digests of an account are stored: a user may have typed a password into the wrong field. */
function subjectsOf(ctx: VerbContext, email: string) {
  const address = spelledAlike(email);
  const network = addressSubject(ctx.clientAddress);
  return { account: digestOf(address), network, both: digestOf(`${address} ${network}`) };
}

/** A digest of whose mailbox an address is: what follows a plus sign is usually the same one. */
const mailboxSubject = (email: string) => digestOf(spelledAlike(email).replace(/\+[^@]*@/, '@'));

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** An IPv6 subscriber usually holds a whole /64, so attempts count per /64. */
export function addressSubject(address: string | null): string {
  if (address === null) return 'unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  return address.includes(':') ? `${expandIpv6(address).slice(0, 4).join(':')}::/64` : address;
}

function expandIpv6(address: string): string[] {
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(gap).fill('0'), ...after];
  return groups.map((group) => group.replace(/^0+(?=.)/, ''));
}
