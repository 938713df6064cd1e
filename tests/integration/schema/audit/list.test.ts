import { randomUUID } from 'node:crypto';
import {
  type AuditRow,
  archiveApiKey,
  createPlan,
  exportAudit,
  listAudit,
  revokeApiKey,
  updateProject,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  follow,
  givePlan,
  LIMITS,
  type MadeKey,
  type MadeProject,
  makeKey,
  makeProject,
  useBench,
} from '../support.ts';

const bench = useBench();

let project: MadeProject;
let key: MadeKey;
const user = { kind: 'user', userId: randomUUID(), email: 'ops@example.com' } as const;
beforeAll(async () => {
  project = await makeProject(bench.ctx);
  await givePlan(bench.ctx, project.projectId, { activeKeyCap: 5 });
  key = await makeKey(bench.ctx, project.projectId, { displayName: 'Mobile app' });
  await revokeApiKey({ ...bench.ctx, actor: user, clientAddress: '198.51.100.9' }, key);
});

const list = (filter: Partial<Parameters<typeof listAudit>[1]> = {}) =>
  listAudit(bench.db, { ownerId: project.ownerId, limit: 100, ...filter });
const actions = (rows: readonly AuditRow[]) => rows.map(({ action }) => action);

describe('the audit log', () => {
  test('has the actor, action, target, origin and both states of each change, newest first', async () => {
    const { items } = await list();
    expect(actions(items)).toEqual([
      'api_key.revoke',
      'api_key.create',
      'subscription.set',
      'project.create',
      'user.create',
    ]);
    expect(items[0]).toEqual({
      auditId: expect.any(Number),
      at: expect.any(Date),
      actor: { kind: 'user', userId: user.userId, label: 'ops@example.com', token: null },
      action: 'api_key.revoke',
      target: { kind: 'api_key', id: key.apiKeyId, label: 'Mobile app', exists: true },
      projectId: project.projectId,
      projectName: project.name,
      clientAddress: '198.51.100.9',
      requestId: 'request-1',
      before: expect.objectContaining({ status: 'active' }),
      after: expect.objectContaining({ status: 'revoked' }),
    });
  });

  test('says what no longer exists, and accepts a target that is no id', async () => {
    const gone = await makeProject(bench.ctx);
    await bench.db.sql`delete from projects where id = ${gone.projectId}`;
    await bench.db.sql`
      insert into audit_log (owner_id, actor_kind, actor_label, action, target_kind, target_id)
      values (${gone.ownerId}, 'cli', 'cli', 'policy.create', 'policy', 'p1'),
        (${gone.ownerId}, 'cli', 'cli', 'api_key.create', 'api_key', ${key.apiKeyId})`;
    const { items } = await list({ ownerId: gone.ownerId });
    expect(items.map(({ target }) => [target.kind, target.exists])).toEqual([
      ['api_key', false], // another project's
      ['policy', false],
      ['project', false],
      ['user', true],
    ]);
    const here = (await list({ projectId: project.projectId })).items;
    expect(here.map(({ target }) => target.exists)).toEqual(here.map(() => true));
  });

  test('of an owner has no row of other owners or of the installation', async () => {
    const other = await makeProject(bench.ctx);
    await createPlan(bench.ctx, { name: randomUUID(), ...LIMITS });
    const { items } = await list();
    expect(new Set(items.map(({ projectId }) => projectId))).toEqual(
      new Set([project.projectId, null]),
    );
    expect(actions(items)).not.toContain('plan.create');
    expect((await list({ projectId: other.projectId })).items).toEqual([]);
    const everything = await list({ ownerId: null });
    expect(actions(everything.items)).toContain('plan.create');
    expect(everything.items.map(({ projectId }) => projectId)).toContain(other.projectId);
  });

  test('of the installation has the changes that belong to no project, and no others', async () => {
    const name = randomUUID();
    await createPlan(bench.ctx, { name, ...LIMITS });
    const { items } = await list({ ownerId: null, projectId: null });
    expect(items[0]).toMatchObject({ action: 'plan.create', target: { label: name } });
    expect(new Set(items.map(({ projectId }) => projectId))).toEqual(new Set([null]));
  });

  test('leads from members and invitations to the list of their project, while it is there', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    await bench.db.sql`
      insert into audit_log
        (owner_id, project_id, actor_kind, actor_label, action, target_kind, target_id)
      select ${ownerId}, ${projectId}, 'cli', 'cli', kind || '.x', kind, gen_random_uuid()::text
      from unnest(array['member', 'invitation']) kind`;
    const exist = async () =>
      (await list({ ownerId, projectId })).items.slice(0, 2).map(({ target }) => target.exists);
    expect(await exist()).toEqual([true, true]);
    await bench.db.sql`delete from projects where id = ${projectId}`;
    expect(await exist()).toEqual([false, false]);
  });

  test('has no name for a deleted project', async () => {
    const gone = await makeProject(bench.ctx);
    await bench.db.sql`delete from projects where id = ${gone.projectId}`;
    const { items } = await list({ ownerId: gone.ownerId, projectId: gone.projectId });
    expect(items).toMatchObject([{ action: 'project.create', projectName: null }]);
  });

  test.each([
    ['one action', { actions: ['api_key.revoke'] }, ['api_key.revoke']],
    [
      'several actions',
      { actions: ['project.create', 'subscription.set'] },
      ['subscription.set', 'project.create'],
    ],
    ['no action', { actions: [] }, []],
    ['an actor', { actorId: user.userId }, ['api_key.revoke']],
    ['a kind of actor', { actorKind: 'user' }, ['api_key.revoke']],
    ['a target', { text: 'mobile' }, ['api_key.revoke', 'api_key.create']],
    ['a network address', { text: '198.51.100' }, ['api_key.revoke']],
    ['the name of an actor', { text: 'OPS@' }, ['api_key.revoke']],
    ['text that does not occur', { text: '100%' }, []],
  ] as const)('can be filtered by %s', async (_, filter, expected) => {
    expect(actions((await list(filter)).items)).toEqual(expected);
  });

  test('can be filtered by a range of time, without its end', async () => {
    const { items } = await list();
    const at = items[0]!.at;
    await bench.db
      .sql`update audit_log set at = date_trunc('ms', at) where owner_id = ${project.ownerId}`;
    const before = (await list({ to: at })).items;
    const since = (await list({ from: at })).items;
    expect(actions(since)).toEqual(['api_key.revoke']);
    expect(before).toHaveLength(items.length - 1);
  });
});

describe('pages', () => {
  let busy: MadeProject;
  beforeAll(async () => {
    busy = await makeProject(bench.ctx);
    for (let step = 0; step < 30; step += 1) {
      await updateProject(bench.ctx, { projectId: busy.projectId, name: `${randomUUID()}` });
    }
    // For example two changes at the same instant, or a clock that was set back.
    await bench.db.sql`
      update audit_log set at = timestamptz '2026-01-01Z' + (id % 4) * interval '1 hour'
      where owner_id = ${busy.ownerId}`;
  });

  test('have every row once, forwards and backwards, even if rows are added', async () => {
    const filter = { ownerId: busy.ownerId, limit: 7 };
    const all = await follow((cursor) => list({ ...filter, cursor }));
    expect(new Set(all.map(({ auditId }) => auditId)).size).toBe(32);
    expect(all).toHaveLength(32);
    const first = await list(filter);
    const change = { projectId: busy.projectId, defaultKeyRateLimitPerMinute: 5 };
    await updateProject(bench.ctx, change);
    const second = await list({ ...filter, cursor: first.next });
    expect(second.items).toEqual(all.slice(7, 14));
    const back = await list({ ...filter, cursor: second.previous });
    expect(back.items).toEqual(first.items);
  });

  test('start from the first if retention has removed the row of the cursor', async () => {
    const filter = { ownerId: busy.ownerId, limit: 5 };
    const cursor = 'after.999999999999999999';
    const page = await list({ ...filter, cursor, orFirst: true });
    expect(page.items).toEqual((await list(filter)).items);
  });

  test('of an export have all matching rows in full', async () => {
    const rows: AuditRow[] = [];
    const filter = { ownerId: busy.ownerId, projectId: busy.projectId };
    for await (const page of exportAudit((work) => work(bench.db), filter)) rows.push(...page);
    expect(rows).toEqual(await follow((cursor) => list({ ...filter, limit: 9, cursor })));
  });

  test('of an export end where retention has removed the rest', async () => {
    const { ownerId } = await makeProject(bench.ctx);
    const addRows = (count: number) => bench.db.sql`
      insert into audit_log (owner_id, actor_kind, actor_label, action, target_kind, target_id)
      select ${ownerId}, 'cli', 'ceiba CLI', 'project.update', 'project', number::text
      from generate_series(1, ${count}::int) as number`;
    await addRows(1_200);
    let rows = 0;
    for await (const page of exportAudit((work) => work(bench.db), { ownerId })) {
      rows += page.length;
      if (rows === 1_000) {
        await bench.db.sql`delete from audit_log where owner_id = ${ownerId}`;
        await addRows(1);
      }
      expect(rows).toBe(1_000);
    }
  });

  test('of an export are read one by one, each by its own call', async () => {
    await archiveApiKey(bench.ctx, await makeKey(bench.ctx, busy.projectId));
    await bench.db.sql`
      insert into audit_log (owner_id, actor_kind, actor_label, action, target_kind, target_id)
      select ${busy.ownerId}, 'cli', 'ceiba CLI', 'project.update', 'project', number::text
      from generate_series(1, 2500) as number`;
    let calls = 0;
    let rows = 0;
    const run = <T>(work: (db: typeof bench.db) => Promise<T>) => {
      calls += 1;
      return work(bench.db);
    };
    for await (const page of exportAudit(run, { ownerId: busy.ownerId })) rows += page.length;
    expect(rows).toBe(2_500 + 32 + 3);
    expect(calls).toBe(3);
  });
});
