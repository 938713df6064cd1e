import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import {
  createDatabase,
  createPlan,
  createProject,
  createUser,
  deletePlan,
  deleteUser,
  findUserById,
  listPlansWithUse,
  listUsers,
  setAdministrator,
  setSubscription,
  startSession,
  updatePlan,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  contextOf,
  countAuditRows,
  expectKind,
  follow,
  givePlan,
  makeOwner,
  makeProject,
  useBench,
} from './support.ts';

const bench = useBench();

const LIMITS = { activeKeyCap: 1, rateLimitPerMinute: 2, monthlyQuota: 3 };
async function makePlan(name: string = randomUUID()): Promise<{ planId: string; name: string }> {
  const created = await createPlan(bench.ctx, { name, ...LIMITS });
  return { planId: expectKind(created, 'created').planId, name };
}
const planOf = async (id: string) =>
  (await listPlansWithUse(bench.db)).find(({ planId }) => planId === id);
const freePlan = async () => (await listPlansWithUse(bench.db)).find(({ isDefault }) => isDefault)!;

describe('plans', () => {
  test('are listed with the projects on each, the smallest quota first', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { planId, name } = await givePlan(bench.ctx, projectId, { monthlyQuota: 7 });
    expect(await planOf(planId)).toMatchObject({ name, projects: 1, isDefault: false });
    const quotas = (await listPlansWithUse(bench.db)).map(({ monthlyQuota }) => monthlyQuota);
    expect(quotas).toEqual([...quotas].sort((a, b) => a - b));
  });

  test('have names of their own, also where two are made at once', async () => {
    const name = randomUUID();
    const results = await Promise.all(
      Array.from({ length: 4 }, () => createPlan(bench.ctx, { name, ...LIMITS })),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual([
      'created',
      'name_taken',
      'name_taken',
      'name_taken',
    ]);
    const { planId } = await makePlan();
    expect(await updatePlan(bench.ctx, { planId, name })).toEqual({ kind: 'name_taken' });
  });

  test('change in the fields that are given alone', async () => {
    const { planId, name } = await makePlan();
    expect(await updatePlan(bench.ctx, { planId, monthlyQuota: 30 })).toEqual({ kind: 'updated' });
    expect(await planOf(planId)).toMatchObject({ name, ...LIMITS, monthlyQuota: 30 });
    const renamed = randomUUID();
    expect(await updatePlan(bench.ctx, { planId, name: renamed })).toEqual({ kind: 'updated' });
    expect(await planOf(planId)).toMatchObject({ name: renamed, monthlyQuota: 30 });
  });

  test('that are set to what they are stay as they are, without an audit row', async () => {
    const { planId, name } = await makePlan();
    const rows = await countAuditRows(bench.db);
    expect(await updatePlan(bench.ctx, { planId, name, ...LIMITS })).toEqual({ kind: 'unchanged' });
    expect(await updatePlan(bench.ctx, { planId })).toEqual({ kind: 'unchanged' });
    expect(await countAuditRows(bench.db)).toBe(rows);
  });

  test('cannot be deleted while a project is on them, and the answer says how many are', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { planId } = await givePlan(bench.ctx, projectId, {});
    const second = await makeProject(bench.ctx);
    await setSubscription(bench.ctx, { projectId: second.projectId, planId });
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'in_use', projects: 2 });
    const other = await makePlan();
    for (const on of [projectId, second.projectId]) {
      await setSubscription(bench.ctx, { projectId: on, planId: other.planId });
    }
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'deleted' });
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'not_found' });
  });

  test('are never deleted under a project that moves to them, in 20 rounds', async () => {
    const other = createDatabase(bench.url, { maxConnections: 2 });
    try {
      for (let round = 0; round < 20; round += 1) {
        const { projectId } = await makeProject(bench.ctx);
        const { planId } = await makePlan();
        const [moved, deleted] = await Promise.all([
          setSubscription(bench.ctx, { projectId, planId }),
          deletePlan(contextOf(other), { planId }),
        ]);
        const outcome = `${moved.kind}, ${deleted.kind}`;
        expect(['updated, in_use', 'plan_not_found, deleted']).toContain(outcome);
      }
    } finally {
      await other.close();
    }
  });

  test('that new projects start on keep their name and stay', async () => {
    const { planId, name, monthlyQuota } = await freePlan();
    expect(name).toBe('Free');
    expect(await updatePlan(bench.ctx, { planId, name: 'Gratis' })).toEqual({
      kind: 'default_plan',
    });
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'default_plan' });
    const raised = await updatePlan(bench.ctx, { planId, monthlyQuota: monthlyQuota + 1 });
    expect(raised).toEqual({ kind: 'updated' });
  });

  test('that are not there are not found', async () => {
    const planId = randomUUID();
    expect(await updatePlan(bench.ctx, { planId, name: 'x' })).toEqual({ kind: 'not_found' });
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'not_found' });
  });
});

describe('people', () => {
  const find = async (email: string) =>
    (await listUsers(bench.db, { text: email, limit: 10 })).items;

  test('are listed with their projects, their providers and whether they have a password', async () => {
    const email = `Person-${randomUUID()}@example.com`;
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
        projects: 2,
        createdAt: expect.any(Date),
      },
    ]);
    expect(JSON.stringify(await find(email))).not.toContain('a hash');
  });

  test('are shown once each over all pages, newest first, and counted', async () => {
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

/** The only administrator of the installation from here on. */
async function soleAdministrator(): Promise<string> {
  const userId = await makeOwner(bench.ctx);
  await bench.db.sql`update users set is_administrator = (id = ${userId})`;
  return userId;
}
const isAdministrator = async (userId: string) =>
  (await findUserById(bench.db, userId))?.isAdministrator;

describe('administrators', () => {
  test('make others administrators, and no longer', async () => {
    await soleAdministrator();
    const userId = await makeOwner(bench.ctx);
    const set = (value: boolean) => setAdministrator(bench.ctx, { userId, isAdministrator: value });
    expect(await set(true)).toEqual({ kind: 'updated' });
    expect(await isAdministrator(userId)).toBe(true);
    expect(await set(true)).toEqual({ kind: 'unchanged' });
    expect(await set(false)).toEqual({ kind: 'updated' });
    expect(await isAdministrator(userId)).toBe(false);
  });

  test('never stop being one while there is no other', async () => {
    const userId = await soleAdministrator();
    expect(await setAdministrator(bench.ctx, { userId, isAdministrator: false })).toEqual({
      kind: 'last_administrator',
    });
    expect(await deleteUser(bench.ctx, { userId })).toEqual({ kind: 'last_administrator' });
    expect(await isAdministrator(userId)).toBe(true);
  });

  test('who take each other away at once leave one, in 20 rounds', async () => {
    const other = createDatabase(bench.url, { maxConnections: 2 });
    try {
      for (let round = 0; round < 20; round += 1) {
        const [first, second] = [await soleAdministrator(), await makeOwner(bench.ctx)];
        await setAdministrator(bench.ctx, { userId: second, isAdministrator: true });
        await Promise.all([
          setAdministrator(bench.ctx, { userId: first, isAdministrator: false }),
          deleteUser(contextOf(other), { userId: second }),
        ]);
        const [row] = await bench.db.sql`
          select count(*)::int as count from users where is_administrator`;
        expect(row!.count).toBe(1);
      }
    } finally {
      await other.close();
    }
  });

  test('who are not there are not found', async () => {
    const userId = randomUUID();
    expect(await setAdministrator(bench.ctx, { userId, isAdministrator: true })).toEqual({
      kind: 'not_found',
    });
    expect(await deleteUser(bench.ctx, { userId })).toEqual({ kind: 'not_found' });
  });
});

describe('deleting a person', () => {
  test('ends their sessions and identities, and keeps the audit log of what they did', async () => {
    await soleAdministrator();
    const userId = await makeOwner(bench.ctx);
    await startSession(bench.ctx, { userId, sessionVersion: 0, lifetimeSeconds: 60 });
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
    expect(rows.map(({ action }) => action)).toEqual(['user.create', 'user.delete']);
  });

  test('is refused while they own projects, and the answer says how many', async () => {
    await soleAdministrator();
    const { ownerId: userId } = await makeProject(bench.ctx);
    expect(await deleteUser(bench.ctx, { userId })).toEqual({ kind: 'owns_projects', projects: 1 });
    expect(await findUserById(bench.db, userId)).not.toBeNull();
  });
});
