import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import {
  createProject,
  createUser,
  deleteUser,
  findUserById,
  listUsers,
  setAdministrator,
  startSession,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { expectKind, follow, makeOwner, makeProject, useBench } from '../support.ts';

const bench = useBench();

/** Creates a user who becomes the only administrator. */
async function soleAdministrator(): Promise<string> {
  const userId = await makeOwner(bench.ctx);
  await bench.db.sql`update users set is_administrator = (id = ${userId})`;
  return userId;
}
const isAdministrator = async (userId: string) =>
  (await findUserById(bench.db, userId))?.isAdministrator;

describe('users', () => {
  const find = async (email: string) =>
    (await listUsers(bench.db, { text: email, limit: 10 })).items;

  test('are listed with their projects, their providers and whether they have a password', async () => {
    const email = `User-${randomUUID()}@example.com`;
    const user = await createUser(bench.ctx, { email, passwordHash: 'a hash' });
    const { userId } = expectKind(user, 'created');
    for (const name of ['one', 'two']) {
      const secret = mintProjectSecret(randomBytes);
      await createProject(bench.ctx, { ownerId: userId, name, secret });
    }
    for (const [provider, subject] of ['google', 'github', 'github'].entries()) {
      await bench.db.sql`
        insert into identities (provider, subject, user_id)
        values (${subject}, ${String(provider)}, ${userId})`;
    }
    expect(await find(email.toUpperCase())).toEqual([
      {
        userId,
        email,
        isAdministrator: expect.any(Boolean),
        hasPassword: true,
        providers: ['github', 'google'],
        hasSecondFactor: false,
        passkeys: 0,
        projects: 2,
        createdAt: expect.any(Date),
      },
    ]);
    expect(JSON.stringify(await find(email))).not.toContain('a hash');
  });

  test('are listed once over all pages, newest first, with their total', async () => {
    for (let index = 0; index < 12; index += 1) await makeOwner(bench.ctx);
    const all = await follow((cursor) => listUsers(bench.db, { limit: 5, cursor }));
    const { total, previous } = await listUsers(bench.db, { limit: 5 });
    expect(new Set(all.map(({ userId }) => userId)).size).toBe(total);
    expect(all).toHaveLength(total);
    expect(previous).toBeNull();
    const times = all.map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });
});

describe('administrators', () => {
  test('are added and removed', async () => {
    await soleAdministrator();
    const userId = await makeOwner(bench.ctx);
    const set = (value: boolean) => setAdministrator(bench.ctx, { userId, isAdministrator: value });
    expect(await set(true)).toEqual({ kind: 'updated' });
    expect(await isAdministrator(userId)).toBe(true);
    expect(await set(true)).toEqual({ kind: 'unchanged' });
    expect(await set(false)).toEqual({ kind: 'updated' });
    expect(await isAdministrator(userId)).toBe(false);
  });

  test('include the last one, who can be neither removed nor deleted', async () => {
    const userId = await soleAdministrator();
    expect(await setAdministrator(bench.ctx, { userId, isAdministrator: false })).toEqual({
      kind: 'last_administrator',
    });
    expect(await deleteUser(bench.ctx, { userId })).toEqual({ kind: 'last_administrator' });
    expect(await isAdministrator(userId)).toBe(true);
  });

  test('who do not exist are not found', async () => {
    const userId = randomUUID();
    expect(await setAdministrator(bench.ctx, { userId, isAdministrator: true })).toEqual({
      kind: 'not_found',
    });
    expect(await deleteUser(bench.ctx, { userId })).toEqual({ kind: 'not_found' });
  });
});

describe('deleting a user', () => {
  test('deletes their sessions and identities, and keeps their audit log', async () => {
    await soleAdministrator();
    const userId = await makeOwner(bench.ctx);
    await startSession(bench.ctx, {
      userId,
      sessionVersion: 0,
      lifetimeSeconds: 60,
      userAgent: null,
      proof: { method: 'password' },
    });
    await bench.db.sql`
      insert into identities (provider, subject, user_id) values ('github', ${userId}, ${userId})`;
    expect(await deleteUser(bench.ctx, { userId })).toEqual({ kind: 'deleted' });
    expect(await findUserById(bench.db, userId)).toBeNull();
    const left = await bench.db.sql`
      select user_id from sessions where user_id = ${userId}
      union all select user_id from identities where user_id = ${userId}`;
    expect(left).toEqual([]);
    const rows = await bench.db.sql`
      select action from audit_log where target_id = ${userId} order by id`;
    expect(rows.map(({ action }) => action)).toEqual([
      'user.create',
      'sign_in.succeed',
      'user.delete',
    ]);
  });

  test('is refused while they own projects; the result has their number', async () => {
    await soleAdministrator();
    const { ownerId: userId } = await makeProject(bench.ctx);
    expect(await deleteUser(bench.ctx, { userId })).toMatchObject({
      kind: 'owns_projects',
      projects: 1,
    });
    expect(await findUserById(bench.db, userId)).not.toBeNull();
  });
});
