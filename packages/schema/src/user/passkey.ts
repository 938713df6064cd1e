import { PASSKEYS_MAX } from '@ceiba/domain';
import { and, desc, eq, lt, or, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { onUniqueViolation } from '../connection/errors.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { passkeys, users } from '../tables.ts';
import { auditAccount, changingAccount } from './change.ts';
import type { ProvenUser } from './lock.ts';

/** A passkey as its user sees it. */
export interface Passkey {
  passkeyId: string;
  name: string;
  /** Whether its provider keeps a copy, so that a lost device does not lose it. */
  isBackedUp: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** What WebAuthn needs to check a signature. */
export interface PasskeyCredential {
  /** In base64url, as browsers name it. */
  credentialId: string;
  publicKey: Buffer;
  /** Raised by the authenticator with each signature; 0 where it does not count. */
  counter: number;
  transports: string[];
}

/** The passkeys of a user, the newest first. */
export async function listPasskeys(db: { orm: Executor }, userId: string): Promise<Passkey[]> {
  return db.orm
    .select({
      passkeyId: passkeys.id,
      name: passkeys.name,
      isBackedUp: passkeys.isBackedUp,
      createdAt: passkeys.createdAt,
      lastUsedAt: passkeys.lastUsedAt,
    })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(desc(passkeys.createdAt), desc(passkeys.id));
}

/** The IDs of a user's credentials, so that a browser does not create a second one. */
export async function listCredentialIds(db: { orm: Executor }, userId: string): Promise<string[]> {
  const rows = await db.orm
    .select({ credentialId: passkeys.credentialId })
    .from(passkeys)
    .where(eq(passkeys.userId, userId));
  return rows.map(({ credentialId }) => credentialId);
}

export type AddPasskeyResult = {
  kind: 'added' | 'known' | 'too_many' | 'outdated';
};

/** Adds a passkey that the user's browser has just created. */
export async function addPasskey(
  ctx: VerbContext,
  input: ProvenUser & { name: string; isBackedUp: boolean; credential: PasskeyCredential },
): Promise<AddPasskeyResult> {
  const { name, isBackedUp, credential, ...user } = checked(input, ['name']);
  const { userId } = user;
  const add = changingAccount<AddPasskeyResult>(ctx, user, async (tx, audit) => {
    if ((await listCredentialIds({ orm: tx }, userId)).length >= PASSKEYS_MAX) {
      return { kind: 'too_many' };
    }
    await tx.insert(passkeys).values({ userId, name, isBackedUp, ...credential });
    await audit('user.add_passkey', { after: { passkey: name } });
    return { kind: 'added' };
  });
  return add.catch(onUniqueViolation({ kind: 'known' }));
}

interface PasskeyRef {
  userId: string;
  passkeyId: string;
}

/** Renames a passkey of the user. */
export async function renamePasskey(
  ctx: VerbContext,
  input: PasskeyRef & { name: string },
): Promise<{ kind: 'renamed' | 'unchanged' | 'not_found' }> {
  const { userId, passkeyId, name } = checked(input, ['name']);
  return inTransaction(ctx, async (tx) => {
    const [before] = await tx
      .select({ name: passkeys.name })
      .from(passkeys)
      .where(isOfUser({ userId, passkeyId }))
      .for('no key update');
    if (before === undefined) return { kind: 'not_found' };
    if (before.name === name) return { kind: 'unchanged' };
    await tx.update(passkeys).set({ name }).where(isOfUser({ userId, passkeyId }));
    const states = { before: { passkey: before.name }, after: { passkey: name } };
    await auditAccount(tx, ctx, 'user.rename_passkey', { userId }, states);
    return { kind: 'renamed' };
  });
}

/** Removes a passkey: it signs in no more. */
export function removePasskey(
  ctx: VerbContext,
  { passkeyId, ...user }: ProvenUser & { passkeyId: string },
): Promise<{ kind: 'removed' | 'not_found' | 'outdated' }> {
  const { userId } = user;
  return changingAccount(ctx, user, async (tx, audit) => {
    const [removed] = await tx
      .delete(passkeys)
      .where(isOfUser({ userId, passkeyId }))
      .returning({ name: passkeys.name });
    if (removed === undefined) return { kind: 'not_found' };
    await audit('user.remove_passkey', { before: { passkey: removed.name } });
    return { kind: 'removed' };
  });
}

/**
 * Removes every passkey of a user, as part of a change that ends their sessions.
 *
 * @returns the names, in no order
 */
export function removePasskeys(
  ctx: VerbContext,
  { userId }: { userId: string },
): Promise<{ removed: string[] }> {
  return inTransaction(ctx, async (tx) => {
    const rows = await tx
      .delete(passkeys)
      .where(eq(passkeys.userId, userId))
      .returning({ name: passkeys.name });
    for (const { name } of rows) {
      await auditAccount(tx, ctx, 'user.remove_passkey', { userId }, { before: { passkey: name } });
    }
    return { removed: rows.map(({ name }) => name) };
  });
}

const isOfUser = ({ userId, passkeyId }: PasskeyRef) =>
  and(eq(passkeys.id, passkeyId), eq(passkeys.userId, userId));

export interface FoundPasskey extends PasskeyCredential, ProvenUser {}

/** @returns the passkey with this ID and its user; null without one */
export async function findPasskey(
  db: { orm: Executor },
  credentialId: string,
): Promise<FoundPasskey | null> {
  const [row] = await db.orm
    .select({
      credentialId: passkeys.credentialId,
      publicKey: passkeys.publicKey,
      counter: passkeys.counter,
      transports: passkeys.transports,
      userId: users.id,
      sessionVersion: users.sessionVersion,
    })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    .where(eq(passkeys.credentialId, credentialId));
  return row ?? null;
}

/**
 * Notes a use of a passkey.
 *
 * @returns false when the passkey was removed, or its counter has not risen since: a copy signs too
 */
export async function usePasskey(
  tx: Executor,
  { credentialId, counter }: { credentialId: string; counter: number },
): Promise<boolean> {
  const doesNotCount = and(eq(passkeys.counter, 0), sql`${counter} = 0`);
  const used = await tx
    .update(passkeys)
    .set({ counter, lastUsedAt: sql`now()` })
    .where(
      and(eq(passkeys.credentialId, credentialId), or(lt(passkeys.counter, counter), doesNotCount)),
    )
    .returning({ passkeyId: passkeys.id });
  return used.length > 0;
}
