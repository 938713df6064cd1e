import { randomBytes, randomUUID } from 'node:crypto';
import {
  ACCESS_TOKENS_MAX,
  mintAccessToken,
  mintApiKey,
  mintPasswordReset,
  mintProjectSecret,
} from '@ceiba/domain';
import {
  applyRetention,
  authenticateAccessToken,
  createAccessToken,
  createPasswordReset,
  deleteProject,
  deleteUser,
  findUserById,
  listAccessTokens,
  listAudit,
  removeSecondFactors,
  revokeAccessToken,
  revokeAccessTokens,
  setAdministrator,
  setEmail,
  setPassword,
  signOutEverywhere,
  tokenReaches,
  usePasswordReset,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { addMember } from '../member/support.ts';
import { countAuditRows, expectKind, makeOwner, makeProject, useBench } from '../support.ts';
import { makeAdministrator } from '../user/support.ts';
import { makeToken } from './support.ts';

const bench = useBench();

// The first user is an administrator.
beforeAll(() => makeOwner(bench.ctx));

const authenticate = (plaintext: string) => authenticateAccessToken(bench.db, plaintext);
const expire = (tokenId: string, ago = '0 seconds') =>
  bench.db
    .sql`update access_tokens set expires_at = now() - ${ago}::interval where id = ${tokenId}`;
const lastUsedOf = async (tokenId: string) => {
  const [row] = await bench.db.sql`select last_used_at from access_tokens where id = ${tokenId}`;
  return Date.parse(row!.last_used_at);
};

const input = (userId: string) =>
  ({
    userId,
    sessionVersion: 0,
    name: 'CI',
    access: 'read',
    projectIds: null,
    days: 30,
    minted: mintAccessToken(randomBytes),
  }) as const;

describe('an access token', () => {
  test('names its user, their role and its own scope; only its digest is stored', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const { email } = (await findUserById(bench.db, ownerId))!;
    const { minted, tokenId, user } = await makeToken(bench, ownerId, {
      name: ' Deploy ',
      access: 'read',
      projectIds: [projectId.toUpperCase(), projectId],
    });
    expect(user).toEqual({
      userId: ownerId,
      email,
      isAdministrator: expect.any(Boolean),
      sessionVersion: 0,
      tokenId,
      name: 'Deploy',
      access: 'read',
      projectIds: [projectId],
    });
    const [row] = await bench.db.sql`select * from access_tokens where id = ${tokenId}`;
    expect(row!.token_digest).toEqual(minted.digest);
    expect(JSON.stringify(row)).not.toContain(minted.plaintext);
  });

  test('reaches the projects that it lists, however they are written, or all of its user', async () => {
    const [projectId, other] = [randomUUID(), randomUUID()];
    const listed = { projectIds: [projectId] };
    expect(tokenReaches(listed, projectId.toUpperCase())).toBe(true);
    expect(tokenReaches(listed, other)).toBe(false);
    expect(tokenReaches({ projectIds: null }, other)).toBe(true);
  });

  test('is none for a text that is not one, and for one that was never created', async () => {
    const { minted } = await makeToken(bench, await makeOwner(bench.ctx));
    const { plaintext } = minted;
    const others = [
      '',
      ' ',
      '\0',
      '\ud800',
      `${plaintext} `,
      ` ${plaintext}`,
      plaintext.slice(0, -1),
      plaintext.toUpperCase(),
      `Bearer ${plaintext}`,
      `${plaintext}\0`,
      minted.digest.toString('hex'),
      "' or true --",
      'ceiba_token_'.padEnd(1024 * 1024, 'a'),
      mintApiKey(randomBytes).plaintext,
      mintProjectSecret(randomBytes).plaintext,
      mintAccessToken(randomBytes).plaintext,
    ];
    for (const other of others) expect(await authenticate(other), other.slice(0, 80)).toBeNull();
    expect(await authenticate(plaintext)).not.toBeNull();
  });

  test('ends by the clock of the database', async () => {
    const { minted, tokenId } = await makeToken(bench, await makeOwner(bench.ctx));
    await expire(tokenId);
    expect(await authenticate(minted.plaintext)).toBeNull();
  });

  test('notes its last use at most once a minute', async () => {
    const { minted, tokenId } = await makeToken(bench, await makeOwner(bench.ctx));
    const first = await lastUsedOf(tokenId);
    expect(first).toBeGreaterThan(0);
    await authenticate(minted.plaintext);
    expect(await lastUsedOf(tokenId)).toBe(first);
    await bench.db.sql`
      update access_tokens set last_used_at = now() - interval '61 seconds' where id = ${tokenId}`;
    await authenticate(minted.plaintext);
    expect(await lastUsedOf(tokenId)).toBeGreaterThanOrEqual(first);
  });

  test('has the role that its user has at that moment', async () => {
    await makeAdministrator(bench);
    const { userId } = await makeAdministrator(bench);
    const { minted, user } = await makeToken(bench, userId);
    expect(user.isAdministrator).toBe(true);
    await setAdministrator(bench.ctx, { userId, isAdministrator: false });
    expect(await authenticate(minted.plaintext)).toMatchObject({ isAdministrator: false });
  });
});

describe('creating an access token', () => {
  test('is in the log of its user, with its scope and without the token', async () => {
    const { projectId, ownerId, name } = await makeProject(bench.ctx);
    const { minted } = await makeToken(bench, ownerId, { projectIds: [projectId] });
    const { items } = await listAudit(bench.db, { ownerId, limit: 1 });
    expect(items).toMatchObject([
      {
        action: 'user.create_access_token',
        target: { kind: 'user', id: ownerId },
        after: {
          token: 'CI',
          tokenPrefix: minted.prefix,
          access: 'write',
          projects: [name],
          expiresAt: expect.any(String),
        },
      },
    ]);
    expect(JSON.stringify(items)).not.toContain(minted.plaintext);
  });

  test.each([
    { name: '' },
    { name: 'x'.repeat(101) },
    { name: 'a\0b' },
    { name: '\ud800' },
    { days: 0 },
    { days: 366 },
    { days: 1.5 },
    { days: Number.NaN },
    { days: Number.POSITIVE_INFINITY },
    { access: 'admin' as 'read' },
    { projectIds: [] },
    { projectIds: ['all'] },
    { projectIds: ["'; drop table users; --"] },
    { projectIds: Array.from({ length: 101 }, () => randomUUID()) },
  ])('refuses %o, and changes nothing', async (wrong) => {
    const userId = await makeOwner(bench.ctx);
    const before = await countAuditRows(bench.db);
    const created = createAccessToken(bench.ctx, { ...input(userId), ...wrong });
    await expect(created).rejects.toMatchObject({
      name: 'InvalidInputError',
      problems: [{ field: Object.keys(wrong)[0] }],
    });
    expect(await listAccessTokens(bench.db, userId)).toEqual([]);
    expect(await countAuditRows(bench.db)).toBe(before);
  });

  test('names only projects in which the user has a role', async () => {
    const own = await makeProject(bench.ctx);
    const joined = await makeProject(bench.ctx);
    const foreign = await makeProject(bench.ctx);
    const userId = own.ownerId;
    await bench.db.sql`
      insert into project_members (project_id, user_id, role)
      values (${joined.projectId}, ${userId}, 'viewer')`;
    // A role of someone else is none.
    await addMember(bench, foreign.projectId, 'developer');
    const create = (projectIds: string[]) =>
      createAccessToken(bench.ctx, { ...input(userId), projectIds });
    const both = [own.projectId, joined.projectId];
    expect(await create([...both, foreign.projectId])).toEqual({ kind: 'unknown_project' });
    expect(await create([randomUUID()])).toEqual({ kind: 'unknown_project' });
    expect(await create(both)).toMatchObject({ kind: 'created' });
  });

  test('needs the proof of the user: not after they signed out everywhere', async () => {
    const userId = await makeOwner(bench.ctx);
    await signOutEverywhere(bench.ctx, userId);
    expect(await createAccessToken(bench.ctx, input(userId))).toEqual({ kind: 'outdated' });
    const ofNone = await createAccessToken(bench.ctx, input(randomUUID()));
    expect(ofNone).toEqual({ kind: 'outdated' });
  });

  test('stops at the limit, also of many at once; expired and revoked ones do not count', async () => {
    const userId = await makeOwner(bench.ctx);
    const create = () =>
      createAccessToken(bench.ctx, { ...input(userId), minted: mintAccessToken(randomBytes) });
    const results = await Promise.all(Array.from({ length: ACCESS_TOKENS_MAX + 5 }, create));
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(ACCESS_TOKENS_MAX);
    expect(results.filter(({ kind }) => kind === 'too_many')).toHaveLength(5);
    const [first, second] = await listAccessTokens(bench.db, userId);
    await expire(first!.tokenId);
    expectKind(await create(), 'created');
    expectKind(await create(), 'too_many');
    await revokeAccessToken(bench.ctx, { userId, tokenId: second!.tokenId });
    expectKind(await create(), 'created');
  });
});

describe('the list of access tokens', () => {
  test('has what its user needs to know of each, and no one else’s', async () => {
    const { projectId, ownerId, name } = await makeProject(bench.ctx);
    const gone = await makeProject(bench.ctx, ownerId);
    const both = [projectId, gone.projectId];
    const { tokenId, minted } = await makeToken(bench, ownerId, { projectIds: both });
    await makeToken(bench, await makeOwner(bench.ctx));
    await deleteProject(bench.ctx, gone);
    expect(await listAccessTokens(bench.db, ownerId)).toEqual([
      {
        tokenId,
        name: 'CI',
        tokenPrefix: minted.prefix,
        access: 'write',
        projects: [name],
        createdAt: expect.any(Date),
        lastUsedAt: expect.any(Date),
        expiresAt: expect.any(Date),
        isExpired: false,
      },
    ]);
  });

  test('shows an expired one for 30 days, after which it is removed with at most as many as asked', async () => {
    const userId = await makeOwner(bench.ctx);
    const recent = await makeToken(bench, userId);
    for (const age of ['31 days', '32 days', '33 days']) {
      await expire((await makeToken(bench, userId)).tokenId, age);
    }
    await expire(recent.tokenId, '29 days');
    const listed = await listAccessTokens(bench.db, userId);
    expect(listed).toMatchObject([{ tokenId: recent.tokenId, isExpired: true, projects: null }]);
    expect(await applyRetention(bench.db, { maxRows: 2 })).toMatchObject({ removedRows: 2 });
    expect(await applyRetention(bench.db, { maxRows: 2 })).toMatchObject({ removedRows: 1 });
    const kept = await bench.db.sql`select id from access_tokens where user_id = ${userId}`;
    expect([...kept]).toEqual([{ id: recent.tokenId }]);
  });
});

describe('revoking an access token', () => {
  test('ends it for the next request, and is in the log', async () => {
    const userId = await makeOwner(bench.ctx);
    const { minted, tokenId } = await makeToken(bench, userId);
    const kept = await makeToken(bench, userId);
    expect(await revokeAccessToken(bench.ctx, { userId, tokenId })).toEqual({ kind: 'revoked' });
    expect(await authenticate(minted.plaintext)).toBeNull();
    expect(await authenticate(kept.minted.plaintext)).not.toBeNull();
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 1 });
    expect(items).toMatchObject([
      {
        action: 'user.revoke_access_token',
        target: { id: userId },
        before: { token: 'CI', tokenPrefix: minted.prefix },
      },
    ]);
    const again = await revokeAccessToken(bench.ctx, { userId, tokenId });
    expect(again).toEqual({ kind: 'not_found' });
  });

  test('is of its own user alone', async () => {
    const { minted, tokenId } = await makeToken(bench, await makeOwner(bench.ctx));
    const before = await countAuditRows(bench.db);
    const other = { userId: await makeOwner(bench.ctx), tokenId };
    const rows = await countAuditRows(bench.db);
    expect(await revokeAccessToken(bench.ctx, other)).toEqual({ kind: 'not_found' });
    expect(await countAuditRows(bench.db)).toBe(rows);
    expect(rows).toBe(before + 1);
    expect(await authenticate(minted.plaintext)).not.toBeNull();
  });

  test('of all names each', async () => {
    const userId = await makeOwner(bench.ctx);
    const tokens = [
      await makeToken(bench, userId, { name: 'A' }),
      await makeToken(bench, userId, { name: 'B' }),
    ];
    const { revoked } = await revokeAccessTokens(bench.ctx, { userId });
    expect(revoked.sort()).toEqual(['A', 'B']);
    for (const { minted } of tokens) expect(await authenticate(minted.plaintext)).toBeNull();
  });
});

describe('an access token of an account', () => {
  test('outlives a new password, a new address and signing out everywhere, as a passkey does', async () => {
    const userId = await makeOwner(bench.ctx);
    const { minted } = await makeToken(bench, userId);
    await signOutEverywhere(bench.ctx, userId);
    await setPassword(bench.ctx, { userId, passwordHash: 'new' });
    const email = `${randomUUID()}@example.com`;
    await setEmail(bench.ctx, { userId, email, sessionVersion: 2 });
    expect(await authenticate(minted.plaintext)).toMatchObject({ userId, email });
  });

  test('ends with a reset of the password, which takes the account back', async () => {
    const userId = await makeOwner(bench.ctx);
    await setPassword(bench.ctx, { userId, passwordHash: 'old' });
    const { minted } = await makeToken(bench, userId);
    const token = mintPasswordReset(randomBytes);
    const { email } = (await findUserById(bench.db, userId))!;
    await createPasswordReset(bench.ctx, { userId, email, to: 'mail', token });
    await usePasswordReset(bench.ctx, { tokenDigest: token.digest, passwordHash: 'new' });
    expect(await authenticate(minted.plaintext)).toBeNull();
  });

  test('ends with the second factor that is removed for a user who lost it, and is in the log', async () => {
    const userId = await makeOwner(bench.ctx);
    const { minted } = await makeToken(bench, userId);
    expect(await removeSecondFactors(bench.ctx, { userId })).toEqual({ kind: 'nothing' });
    expect(await authenticate(minted.plaintext)).not.toBeNull();
    await bench.db.sql`insert into authenticators (user_id, sealed_secret, confirmed_at)
      values (${userId}, 'sealed', now())`;
    expect(await removeSecondFactors(bench.ctx, { userId })).toEqual({ kind: 'removed' });
    expect(await authenticate(minted.plaintext)).toBeNull();
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 2 });
    expect(items.map(({ action }) => action)).toEqual([
      'user.revoke_access_token',
      'user.remove_second_factor',
    ]);
  });

  test('ends with the account', async () => {
    const userId = await makeOwner(bench.ctx);
    const { minted } = await makeToken(bench, userId);
    expect(await deleteUser(bench.ctx, { userId })).toEqual({ kind: 'deleted' });
    expect(await authenticate(minted.plaintext)).toBeNull();
  });
});
