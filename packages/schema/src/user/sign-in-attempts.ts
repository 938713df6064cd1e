import { createHash } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { signInAttempts } from '../tables.ts';

const WINDOW_SECONDS = 900;
/** How long a network counts as known after a sign-in from it. */
const KNOWN_SECONDS = 30 * 86_400;

/**
 * Attempts per 15 minutes. A stranger can use up what an account has in the stranger's network, and
 * from many networks what it has in all of them, but never what it has in a network from which its
 * user signed in before. Many users can share a network.
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
} as const;
type Scope = keyof typeof LIMITS | 'known_network';

export type AttemptResult = { kind: 'admitted' } | { kind: 'limited'; retryAfterSeconds: number };

/**
 * Counts an attempt to sign in or up, before any password is hashed: per account (whether or not it
 * exists) and network, per account in all networks from which its user never signed in, and per
 * network.
 *
 * A refused attempt counts too. It does not extend the window, so `retryAfterSeconds` holds.
 */
export function chargeAttempt(ctx: VerbContext, email: string): Promise<AttemptResult> {
  const { account, network, both } = subjectsOf(ctx, email);
  return inTransaction(ctx, async (tx) => {
    // Always in this order: with two orders, concurrent attempts could deadlock.
    const here = await charge(tx, 'account_network', both);
    const charged = [here];
    // A network that has used up its own attempts takes none from the other networks.
    if (!here.isOver && !(await isKnown(tx, both))) {
      charged.push(await charge(tx, 'account', account));
    }
    charged.push(await charge(tx, 'address', network));
    await deleteExpired(tx);
    return resultOf(charged);
  });
}

/**
 * Counts a signed-in user's attempt to change their password. It has a limit of its own, which
 * strangers cannot use up: a user can always change a leaked password.
 */
export function chargePasswordChange(ctx: VerbContext, userId: string): Promise<AttemptResult> {
  return inTransaction(ctx, (tx) => chargeAll(tx, [['password_change', userId]]));
}

/**
 * Counts a code after a right password, per user: six digits can be guessed. Only who knows the
 * password can use this up.
 */
export function chargeSecondFactor(ctx: VerbContext, userId: string): Promise<AttemptResult> {
  return inTransaction(ctx, (tx) => chargeAll(tx, [['second_factor', userId]]));
}

/** Resets the limit of codes after a right one. */
export async function forgiveSecondFactor(tx: Executor, userId: string): Promise<void> {
  await tx.delete(signInAttempts).where(isSubject('second_factor', userId));
}

/** Counts a request for a mail that resets a password, per account (whether or not it exists) and network. */
export function chargePasswordReset(ctx: VerbContext, email: string): Promise<AttemptResult> {
  const { account, network } = subjectsOf(ctx, email);
  return inTransaction(ctx, (tx) =>
    chargeAll(tx, [
      ['reset_account', account],
      ['reset_address', network],
    ]),
  );
}

/** Counts a sign-in with a passkey per network, because each stores a challenge. */
export function chargePasskeySignIn(ctx: VerbContext): Promise<AttemptResult> {
  const network = addressSubject(ctx.clientAddress);
  return inTransaction(ctx, (tx) => chargeAll(tx, [['passkey_address', network]]));
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

/** Charges each scope, always in the order given: with two orders, attempts could deadlock. */
async function chargeAll(
  tx: Executor,
  scopes: readonly (readonly [keyof typeof LIMITS, string])[],
): Promise<AttemptResult> {
  const charged: Charged[] = [];
  for (const [scope, subject] of scopes) charged.push(await charge(tx, scope, subject));
  await deleteExpired(tx);
  return resultOf(charged);
}

function resultOf(charged: readonly Charged[]): AttemptResult {
  const refused = charged.filter(({ isOver }) => isOver);
  if (refused.length === 0) return { kind: 'admitted' };
  return {
    kind: 'limited',
    retryAfterSeconds: Math.max(...refused.map(({ secondsLeft }) => secondsLeft)),
  };
}

interface Charged {
  isOver: boolean;
  secondsLeft: number;
}

async function charge(tx: Executor, scope: keyof typeof LIMITS, subject: string): Promise<Charged> {
  const windowIsOver = sql`${signInAttempts.windowEndsAt} <= now()`;
  const freshEnd = sql`now() + make_interval(secs => ${WINDOW_SECONDS})`;
  const [row] = await tx
    .insert(signInAttempts)
    .values({ scope, subject, count: 1, windowEndsAt: freshEnd })
    .onConflictDoUpdate({
      target: [signInAttempts.scope, signInAttempts.subject],
      set: {
        // Capped, so that a flood cannot overflow the column.
        count: sql`case when ${windowIsOver} then 1 else least(${signInAttempts.count} + 1, 1000000) end`,
        windowEndsAt: sql`case when ${windowIsOver} then ${freshEnd} else ${signInAttempts.windowEndsAt} end`,
      },
    })
    .returning({
      count: signInAttempts.count,
      secondsLeft: sql<number>`ceil(extract(epoch from ${signInAttempts.windowEndsAt} - now()))::int`,
    });
  if (row === undefined) throw new Error('an upsert returned no row');
  return { isOver: row.count > LIMITS[scope], secondsLeft: Math.max(1, row.secondsLeft) };
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

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** An IPv6 subscriber usually holds a whole /64, so attempts count per /64. */
function addressSubject(address: string | null): string {
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
