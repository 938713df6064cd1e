import { randomBytes, randomUUID } from 'node:crypto';
import { mintAccessToken } from '@ceiba/domain';
import {
  addPasskey,
  authenticateAccessToken,
  confirmAuthenticator,
  createAccessToken,
  enrollAuthenticator,
  findSession,
  isSecondFactorRequired,
  mustUsePasskey,
  readSecondFactorRule,
  setPassword,
  setSecondFactorRule,
  startSession,
  type VerbContext,
} from '@ceiba/schema';
import { beforeEach, expect, test } from 'vitest';
import { expectKind, makeOwner, useBench } from '../support.ts';

const bench = useBench();

interface Given {
  hasPassword?: boolean;
  app?: 'none' | 'begun' | 'confirmed';
  hasPasskey?: boolean;
}

/** A user, and their session. */
async function makeUser({ hasPassword = true, app = 'none', hasPasskey = false }: Given = {}) {
  const userId = await makeOwner(bench.ctx);
  if (hasPassword) await setPassword(bench.ctx, { userId, passwordHash: 'hash' });
  const proven = { userId, sessionVersion: hasPassword ? 1 : 0 };
  const sealedSecret = randomBytes(20);
  if (app !== 'none') await enrollAuthenticator(bench.ctx, { ...proven, sealedSecret });
  const confirm = () => {
    const first = { ...proven, sealedSecret, step: 1, recoveryDigests: [randomBytes(32)] };
    return confirmAuthenticator(bench.ctx, first);
  };
  if (app === 'confirmed') expectKind(await confirm(), 'confirmed');
  const { sessionId } = (await startSession(bench.ctx, {
    ...proven,
    lifetimeSeconds: 60,
    userAgent: null,
    proof: { method: 'password' },
  }))!;
  const add = () =>
    addPasskey(bench.ctx, {
      ...proven,
      name: 'Laptop',
      isBackedUp: false,
      credential: {
        credentialId: randomUUID(),
        publicKey: randomBytes(32),
        counter: 0,
        transports: [],
      },
    });
  if (hasPasskey) expectKind(await add(), 'added');
  const mustAdd = async () => (await findSession(bench.db, sessionId))?.mustAddSecondFactor;
  return { userId, mustAdd, confirm, add };
}

const asUser = (userId: string): VerbContext => ({
  ...bench.ctx,
  actor: { kind: 'user', userId, email: 'admin@example.com' },
});
const require = (isRequired: boolean, ctx: VerbContext = bench.ctx) =>
  setSecondFactorRule(ctx, { isRequired });

beforeEach(async () => {
  await bench.db.sql`delete from settings`;
  await bench.db.sql`truncate users cascade`;
});

test.each<[Given, boolean]>([
  [{}, true],
  [{ app: 'begun' }, true],
  [{ app: 'confirmed' }, false],
  [{ hasPasskey: true }, false],
  [{ hasPassword: false }, false],
])(
  'a session of an account with %o has to add a required second factor: %s',
  async (given, must) => {
    const user = await makeUser(given);
    expect(await user.mustAdd()).toBe(false);
    await require(true);
    expect(await user.mustAdd()).toBe(must);
    await require(false);
    expect(await user.mustAdd()).toBe(false);
  },
);

test.each(['confirm', 'add'] as const)(
  'a session is free from the request after its user set one up: %s',
  async (setUp) => {
    await require(true);
    const user = await makeUser({ app: 'begun' });
    expect(await user.mustAdd()).toBe(true);
    await user[setUp]();
    expect(await user.mustAdd()).toBe(false);
  },
);

test('the password of an account with a passkey alone does not sign in while one is required', async () => {
  const { userId } = await makeUser({ hasPasskey: true });
  const others = [
    await makeUser(),
    await makeUser({ app: 'confirmed', hasPasskey: true }),
    await makeUser({ hasPassword: false, hasPasskey: true }),
  ];
  expect(await mustUsePasskey(bench.db, userId)).toBe(false);
  await require(true);
  expect(await mustUsePasskey(bench.db, userId)).toBe(true);
  for (const other of others) expect(await mustUsePasskey(bench.db, other.userId)).toBe(false);
});

test('an access token of an account that has to add one is refused, from the next request on', async () => {
  const users = [await makeUser(), await makeUser({ app: 'confirmed' })];
  const tokens = await Promise.all(
    users.map(async ({ userId }) => {
      const minted = mintAccessToken(randomBytes);
      const token = {
        userId,
        sessionVersion: 1,
        name: 'CI',
        access: 'read',
        projectIds: null,
      } as const;
      const created = await createAccessToken(bench.ctx, { ...token, days: 1, minted });
      expectKind(created, 'created');
      return minted.plaintext;
    }),
  );
  const accepted = () =>
    Promise.all(
      tokens.map(async (token) => (await authenticateAccessToken(bench.db, token)) !== null),
    );
  expect(await accepted()).toEqual([true, true]);
  await require(true);
  expect(await accepted()).toEqual([false, true]);
  await users[0]!.add();
  expect(await accepted()).toEqual([true, true]);
});

test('no user without a second factor can require one, and the command line can', async () => {
  const without = await makeUser();
  const withApp = await makeUser({ app: 'confirmed' });
  expect(await require(true, asUser(without.userId))).toEqual({ kind: 'no_second_factor' });
  expect(await isSecondFactorRequired(bench.db)).toBe(false);
  expect(await require(true, asUser(withApp.userId))).toEqual({ kind: 'updated' });
  expect(await require(true, asUser(withApp.userId))).toEqual({ kind: 'unchanged' });
  expect(await require(false, asUser(without.userId))).toEqual({ kind: 'updated' });
  expect(await require(true)).toEqual({ kind: 'updated' });
  expect(await isSecondFactorRequired(bench.db)).toBe(true);
  expect(await readSecondFactorRule(bench.db)).toEqual({
    isRequired: true,
    accounts: 2,
    without: 1,
  });
});
