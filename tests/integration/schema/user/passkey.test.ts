import { randomUUID } from 'node:crypto';
import {
  addPasskey,
  completePasskeySignIn,
  findPasskey,
  findSession,
  findUserById,
  listAudit,
  listCredentialIds,
  listPasskeys,
  removePasskey,
  renamePasskey,
  setPassword,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { expectKind, makeOwner, useBench } from '../support.ts';

const bench = useBench();

const provenOf = async (userId: string) => {
  const { sessionVersion } = (await findUserById(bench.db, userId))!;
  return { userId, sessionVersion };
};

const newPasskey = (counter = 0) => ({
  name: 'Laptop',
  isBackedUp: true,
  credential: {
    credentialId: randomUUID(),
    publicKey: Buffer.from('public'),
    counter,
    transports: ['internal', 'hybrid'],
  },
});

async function makePasskey(counter = 0) {
  const userId = await makeOwner(bench.ctx);
  const passkey = newPasskey(counter);
  expectKind(await addPasskey(bench.ctx, { ...(await provenOf(userId)), ...passkey }), 'added');
  const [listed] = await listPasskeys(bench.db, userId);
  return { userId, passkeyId: listed!.passkeyId, ...passkey.credential };
}

async function signIn(userId: string, credentialId: string, counter: number) {
  return completePasskeySignIn(bench.ctx, {
    credentialId,
    counter,
    ...(await provenOf(userId)),
    lifetimeSeconds: 60,
    userAgent: null,
  });
}

describe('a passkey', () => {
  test('is found by its credential with its user, and shows when it was used', async () => {
    const { userId, credentialId, publicKey, transports } = await makePasskey();
    expect(await findPasskey(bench.db, credentialId)).toEqual({
      ...(await provenOf(userId)),
      credentialId,
      publicKey,
      transports,
      counter: 0,
    });
    expect(await listPasskeys(bench.db, userId)).toMatchObject([
      { name: 'Laptop', isBackedUp: true, lastUsedAt: null },
    ]);
    const { sessionId } = expectKind(await signIn(userId, credentialId, 0), 'signed_in');
    expect(await findSession(bench.db, sessionId)).toMatchObject({ userId });
    expect((await listPasskeys(bench.db, userId))[0]?.lastUsedAt).toBeInstanceOf(Date);
  });

  test('whose counter does not rise is refused: a copy of it signs too', async () => {
    const { userId, credentialId } = await makePasskey(5);
    for (const counter of [0, 4, 5]) {
      expect(await signIn(userId, credentialId, counter)).toEqual({ kind: 'wrong' });
    }
    expectKind(await signIn(userId, credentialId, 6), 'signed_in');
    const results = await Promise.all([7, 7, 7].map((it) => signIn(userId, credentialId, it)));
    expect(results.filter(({ kind }) => kind === 'signed_in')).toHaveLength(1);
  });

  test('starts no session for a version of the user that has ended', async () => {
    const { userId, credentialId } = await makePasskey();
    const old = await provenOf(userId);
    await setPassword(bench.ctx, { userId, passwordHash: 'new' });
    const session = { ...old, lifetimeSeconds: 60, userAgent: null };
    expect(
      await completePasskeySignIn(bench.ctx, { credentialId, counter: 0, ...session }),
    ).toEqual({ kind: 'expired' });
    expect(await addPasskey(bench.ctx, { ...old, ...newPasskey() })).toEqual({ kind: 'outdated' });
  });

  test('belongs to one user, who alone renames and removes it', async () => {
    const { userId, passkeyId, credentialId } = await makePasskey();
    const stranger = await provenOf(await makeOwner(bench.ctx));
    const name = 'Mine now';
    const ofStranger = { ...stranger, passkeyId };
    expect(await renamePasskey(bench.ctx, { ...ofStranger, name })).toEqual({ kind: 'not_found' });
    expect(await removePasskey(bench.ctx, ofStranger)).toEqual({ kind: 'not_found' });
    const copy = { ...newPasskey(), ...stranger };
    expect(
      await addPasskey(bench.ctx, { ...copy, credential: { ...copy.credential, credentialId } }),
    ).toEqual({ kind: 'known' });
    expect(await renamePasskey(bench.ctx, { userId, passkeyId, name: 'Desk' })).toEqual({
      kind: 'renamed',
    });
    expect(await listPasskeys(bench.db, userId)).toMatchObject([{ name: 'Desk' }]);
    expect(await removePasskey(bench.ctx, { ...(await provenOf(userId)), passkeyId })).toEqual({
      kind: 'removed',
    });
    expect(await findPasskey(bench.db, credentialId)).toBeNull();
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 3 });
    expect(items.map(({ action }) => action)).toEqual([
      'user.remove_passkey',
      'user.rename_passkey',
      'user.add_passkey',
    ]);
  });

  test('is one of at most twenty', async () => {
    const { userId } = await makePasskey();
    const proven = await provenOf(userId);
    const add = () => addPasskey(bench.ctx, { ...proven, ...newPasskey() });
    const results = await Promise.all(Array.from({ length: 25 }, add));
    expect(results.filter(({ kind }) => kind === 'added')).toHaveLength(19);
    expect(await listCredentialIds(bench.db, userId)).toHaveLength(20);
  });
});
