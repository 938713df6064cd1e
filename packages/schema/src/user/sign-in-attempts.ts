import { createHash } from 'node:crypto';
import { and, eq, gte, or, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { signInAttempts } from '../tables.ts';

const WINDOW_SECONDS = 900;
const HOUR = 3_600;
const DAY = 24 * HOUR;
/** How long a network counts as known after a sign-in from it. */
const KNOWN_SECONDS = 30 * 86_400;

/**
 * Attempts per 15 minutes, or per window in `LONGER_WINDOWS`. A stranger can use up what an account has
 * in the stranger's network, and from many networks what it has in all of them, but never what it has in
 * a network from which its user signed in before. Many users can share a network.
 */
const LIMITS = {
  account_network: 10,
  account: 100,
  address: 300,
  password_change: 10,
  second_factor: 10,
  reset_account: 3,
  reset_address: 30,
  passkey_address: 300,
  account_notice: 20,
  alert_test: 10,
  alert_again: 100,
  confirmation_address: 3,
  confirmation_owner: 20,
  confirmation_network: 60,
  setup_address: 30,
} as const;
type Limit = keyof typeof LIMITS;
type Scope = Limit | 'known_network';

/** In seconds. */
const LONGER_WINDOWS: Partial<Record<Limit, number>> = {
  account_notice: HOUR,
  alert_test: HOUR,
  alert_again: HOUR,
  confirmation_address: DAY,
  confirmation_owner: DAY,
  confirmation_network: DAY,
};

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
 * Counts a signed-in user's attempt to change their password. It has a limit of its own, which
 * strangers cannot use up: a user can always change a leaked password.
 */
export function chargePasswordChange(ctx: VerbContext, userId: string): Promise<AttemptResult> {
  return chargeAll(ctx, [['password_change', userId]]);
}

/**
 * Counts a code after a right password, per user: six digits can be guessed. Only who knows the
 * password can use this up.
 */
export function chargeSecondFactor(ctx: VerbContext, userId: string): Promise<AttemptResult> {
  return chargeAll(ctx, [['second_factor', userId]]);
}

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
export function chargePasskeySignIn(ctx: VerbContext): Promise<AttemptResult> {
  const network = addressSubject(ctx.clientAddress);
  return chargeAll(ctx, [['passkey_address', network]]);
}

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
export function chargeSetupToken(ctx: VerbContext): Promise<AttemptResult> {
  const network = addressSubject(ctx.clientAddress);
  return chargeAll(ctx, [['setup_address', network]]);
}

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
            gte(signInAttempts.count, LIMITS[scope]),
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
  const freshEnd = sql`now() + make_interval(secs => ${LONGER_WINDOWS[scope] ?? WINDOW_SECONDS})`;
  const charged = await tx
    .insert(signInAttempts)
    .values({ scope, subject, count: 1, windowEndsAt: freshEnd })
    .onConflictDoUpdate({
      target: [signInAttempts.scope, signInAttempts.subject],
      set: {
        count: sql`case when ${windowIsOver} then 1 else ${signInAttempts.count} + 1 end`,
        windowEndsAt: sql`case when ${windowIsOver} then ${freshEnd} else ${signInAttempts.windowEndsAt} end`,
      },
      setWhere: sql`${windowIsOver} or ${signInAttempts.count} < ${LIMITS[scope]}`,
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
 * Only digests of an account are stored: a user may have typed a password into the wrong field.
 *
 * Every spelling under which Postgres finds an account has to be the same subject. Its `lower` turns
 * U+0130 (I with a dot) into `i`, JavaScript into `i` and U+0307.
 */
function subjectsOf(ctx: VerbContext, email: string) {
  const address = email.trim().toLowerCase().replaceAll('\u0307', '');
  const network = addressSubject(ctx.clientAddress);
  return { account: digestOf(address), network, both: digestOf(`${address} ${network}`) };
}

/** A digest of whose mailbox an address is: what follows a plus sign is usually the same one. */
const mailboxSubject = (email: string) =>
  digestOf(
    email
      .trim()
      .toLowerCase()
      .replaceAll('\u0307', '')
      .replace(/\+[^@]*@/, '@'),
  );

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
