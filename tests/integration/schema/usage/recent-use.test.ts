import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret, POLICY_USE_DAYS } from '@ceiba/domain';
import {
  getProject,
  type RecentUse,
  readRecentUse,
  recordUsage,
  rotateProjectSecret,
  type UsedItem,
  updateApiKey,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { makeCustomer } from '../customer/support.ts';
import {
  expectKind,
  flush,
  givePlan,
  makeKey,
  makeProject,
  rollUpAll,
  useBench,
} from '../support.ts';

const bench = useBench();
const NOW = new Date('2026-06-10T09:30:00Z');

async function makeScene() {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap: 9 });
  const keys = [];
  for (let index = 0; index < 3; index += 1) keys.push(await makeKey(bench.ctx, projectId));
  const [first, second, idle] = keys.map(({ apiKeyId }) => apiKeyId) as [string, string, string];
  const { customerId } = await makeCustomer(bench.ctx, projectId);
  for (const apiKeyId of [first, idle]) {
    await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId });
  }
  const policyId = randomUUID();
  await flush(bench.db, projectId, [
    { at: '2026-06-09T23:00:00Z', count: 500, apiKeyId: first, policyId },
    { at: '2026-06-10T00:00:00Z', count: 10, apiKeyId: first, policyId },
    { at: '2026-06-10T09:00:00Z', count: 4, apiKeyId: first },
    { at: '2026-06-10T09:00:00Z', count: 3, apiKeyId: first, outcome: 'rate_limited', policyId },
    { at: '2026-06-10T08:00:00Z', count: 7, apiKeyId: second, policyId },
    { at: '2026-06-10T08:00:00Z', count: 2, outcome: 'invalid_api_key' },
    { at: '2026-06-10T08:00:00Z', count: 1, apiKeyId: idle, outcome: 'policy_no_match' },
  ]);
  const usedAt = new Date('2026-06-10T09:21:00Z');
  const earlier = new Date('2026-06-10T08:02:00Z');
  await recordUsage(bench.db, {
    lastUsed: [
      { apiKeyId: first, at: usedAt },
      { apiKeyId: second, at: earlier },
    ],
  });
  return { projectId, first, second, idle, customerId, policyId, usedAt, earlier };
}

/** Rotates the secret of a project. @returns the digest of the one that it had */
async function replaceSecret(projectId: string): Promise<Buffer> {
  const project = await getProject(bench.db, projectId);
  if (project === null) throw new Error('the project does not exist');
  const [row] = await bench.db.sql<{ digest: Buffer }[]>`
    select secret_digest as digest from projects where id = ${projectId}`;
  const result = await rotateProjectSecret(bench.ctx, {
    projectId,
    secret: mintProjectSecret(randomBytes),
    replaces: project.secretCreatedAt,
    dropsPrevious: true,
  });
  expectKind(result, 'rotated');
  return row!.digest;
}

describe('the last use of the previous secret of a project', () => {
  const lastUse = async (projectId: string) =>
    (await getProject(bench.db, projectId))?.previousSecretLastUsedAt;
  const record = (projectId: string, secretDigest: Buffer, at: Date) =>
    recordUsage(bench.db, { secretsUsed: [{ projectId, secretDigest, at }] });

  test('is written at most once a minute, in any order', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const secretDigest = await replaceSecret(projectId);
    expect(await lastUse(projectId)).toBeNull();
    await record(projectId, secretDigest, new Date('2026-06-10T09:20:00Z'));
    await record(projectId, secretDigest, new Date('2026-06-10T09:21:00Z'));
    expect(await lastUse(projectId)).toEqual(new Date('2026-06-10T09:20:00Z'));
    await record(projectId, secretDigest, new Date('2026-06-10T09:22:00Z'));
    await record(projectId, secretDigest, new Date('2026-06-10T09:19:00Z'));
    expect(await lastUse(projectId)).toEqual(new Date('2026-06-10T09:22:00Z'));
  });

  test('is that of no other secret: a rotation begins again, and a late flush finds no place', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const first = await replaceSecret(projectId);
    await record(projectId, first, NOW);
    const second = await replaceSecret(projectId);
    expect(await lastUse(projectId)).toBeNull();
    await record(projectId, first, NOW);
    expect(await lastUse(projectId)).toBeNull();
    const other = await makeProject(bench.ctx);
    await record(other.projectId, second, NOW);
    expect([await lastUse(projectId), await lastUse(other.projectId)]).toEqual([null, null]);
  });
});

const read = (projectId: string, of: UsedItem) =>
  readRecentUse(bench.db, { projectId, of, now: NOW });

const use = (id: string, fields: Partial<RecentUse>): RecentUse => ({
  id,
  lastUsedAt: null,
  exactTo: 'moment',
  previousLastUsedAt: null,
  allowedToday: 0,
  deniedToday: 0,
  keysToday: 0,
  ...fields,
});

describe('who uses it lately', () => {
  test('is, of each key, its last use and its calls of the day in UTC', async () => {
    const { projectId, first, second, idle, usedAt, earlier } = await makeScene();
    const uses = await read(projectId, { kind: 'api_keys', ids: [first, second, idle] });
    expect(new Map(uses.map((one) => [one.id, one]))).toEqual(
      new Map([
        [first, use(first, { lastUsedAt: usedAt, allowedToday: 14, deniedToday: 3, keysToday: 1 })],
        [second, use(second, { lastUsedAt: earlier, allowedToday: 7, keysToday: 1 })],
        [idle, use(idle, { deniedToday: 1 })],
      ]),
    );
  });

  test('is, of a customer, that of all keys that it has', async () => {
    const { projectId, customerId, usedAt } = await makeScene();
    expect(await read(projectId, { kind: 'customer', id: customerId })).toEqual([
      use(customerId, { lastUsedAt: usedAt, allowedToday: 14, deniedToday: 4, keysToday: 1 }),
    ]);
  });

  test('is, of a project, that of every key, and counts calls without one as denied', async () => {
    const { projectId, usedAt } = await makeScene();
    expect(await read(projectId, { kind: 'project' })).toEqual([
      use(projectId, { lastUsedAt: usedAt, allowedToday: 21, deniedToday: 6, keysToday: 2 }),
    ]);
  });

  test('is, of a policy, exact to the hour today, and to the day once days are added up', async () => {
    const { projectId, policyId } = await makeScene();
    const of = { kind: 'policy', id: policyId } as const;
    const today = { allowedToday: 17, deniedToday: 3, keysToday: 2 };
    const lastUsedAt = new Date('2026-06-10T08:00:00Z');
    expect(await read(projectId, of)).toEqual([
      use(policyId, { lastUsedAt, exactTo: 'hour', ...today }),
    ]);
    await flush(bench.db, projectId, [
      { at: '2026-06-11T08:00:00Z', count: 1, outcome: 'rate_limited', policyId },
    ]);
    await rollUpAll(bench.db);
    const days = async (later: number) =>
      readRecentUse(bench.db, {
        projectId,
        of,
        now: new Date(NOW.getTime() + later * 86_400_000),
      });
    const day = { lastUsedAt: new Date('2026-06-10T00:00:00Z'), exactTo: 'day' } as const;
    expect(await days(POLICY_USE_DAYS - 1)).toEqual([use(policyId, day)]);
    expect(await days(POLICY_USE_DAYS)).toEqual([use(policyId, { exactTo: 'day' })]);
  });

  test('says when the secret before the last rotation was used', async () => {
    const { projectId, first, usedAt } = await makeScene();
    await bench.db.sql`update api_keys set previous_digest = sha256('old'),
      previous_prefix = 'ceiba_old', previous_expires_at = now() + interval '1 hour'
      where id = ${first}`;
    const at = new Date('2026-06-10T09:25:00Z');
    await recordUsage(bench.db, {
      lastUsed: [{ apiKeyId: first, previousPrefix: 'ceiba_old', at }],
    });
    expect(usedAt < at).toBe(true);
    expect(await read(projectId, { kind: 'api_keys', ids: [first] })).toMatchObject([
      { previousLastUsedAt: at, lastUsedAt: at },
    ]);
  });

  test('says when the secret before the last rotation of a project was used', async () => {
    const { projectId } = await makeScene();
    expect(await read(projectId, { kind: 'project' })).toMatchObject([
      { previousLastUsedAt: null },
    ]);
    const secretDigest = await replaceSecret(projectId);
    const at = new Date('2026-06-10T09:25:00Z');
    await recordUsage(bench.db, { secretsUsed: [{ projectId, secretDigest, at }] });
    expect(await read(projectId, { kind: 'project' })).toMatchObject([{ previousLastUsedAt: at }]);
  });

  test('is not read of the items of another project', async () => {
    const { first, customerId, policyId } = await makeScene();
    const { projectId } = await makeProject(bench.ctx);
    expect(await read(projectId, { kind: 'api_keys', ids: [first] })).toEqual([]);
    expect(await read(projectId, { kind: 'customer', id: customerId })).toEqual([]);
    expect(await read(projectId, { kind: 'policy', id: policyId })).toEqual([
      use(policyId, { exactTo: 'day' }),
    ]);
  });
});
