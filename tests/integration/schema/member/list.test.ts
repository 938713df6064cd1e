import { randomBytes, randomUUID } from 'node:crypto';
import {
  addPasskey,
  confirmAuthenticator,
  enrollAuthenticator,
  listMembers,
  setPassword,
} from '@ceiba/schema';
import { expect, test } from 'vitest';
import { expectKind, makeProject, useBench } from '../support.ts';
import { addMember } from './support.ts';

const bench = useBench();

test('a list of members has the second factor of each: an app that was confirmed before a passkey', async () => {
  const { projectId, ownerId } = await makeProject(bench.ctx);
  const member = async ({ password = true, app = 'none', passkey = false }) => {
    const userId = await addMember(bench, projectId, 'viewer');
    const proven = { userId, sessionVersion: password ? 1 : 0 };
    if (password) await setPassword(bench.ctx, { userId, passwordHash: 'hash' });
    const sealedSecret = randomBytes(20);
    if (app !== 'none') await enrollAuthenticator(bench.ctx, { ...proven, sealedSecret });
    if (app === 'confirmed') {
      const first = { ...proven, sealedSecret, step: 1, recoveryDigests: [randomBytes(32)] };
      expectKind(await confirmAuthenticator(bench.ctx, first), 'confirmed');
    }
    if (passkey) {
      const credential = {
        credentialId: randomUUID(),
        publicKey: randomBytes(32),
        counter: 0,
        transports: [],
      };
      const added = { ...proven, name: 'Laptop', isBackedUp: false, credential };
      expectKind(await addPasskey(bench.ctx, added), 'added');
    }
    return userId;
  };
  const expected = [
    [await member({}), 'none'],
    [await member({ app: 'begun' }), 'none'],
    [await member({ app: 'confirmed' }), 'app'],
    [await member({ app: 'confirmed', passkey: true }), 'app'],
    [await member({ passkey: true }), 'passkey'],
    [await member({ password: false, passkey: true }), 'provider'],
  ];
  const seen = (await listMembers(bench.db, projectId)).map((one) => [
    one.userId,
    one.secondFactor,
  ]);
  expect(seen).toEqual([[ownerId, 'provider'], ...expected]);
});
