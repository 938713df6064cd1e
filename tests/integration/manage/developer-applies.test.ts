import { randomBytes } from 'node:crypto';
import { apply, exportFile, runOperation } from '@ceiba/manage';
import { createCustomerPlan } from '@ceiba/schema';
import { beforeEach, expect, test } from 'vitest';
import { byToken, type MadeToken, makeToken } from '../schema/access-token/support.ts';
import { makeOwner, makeProject, useBench } from '../schema/support.ts';

const bench = useBench();

let developer: MadeToken;
let exported: Awaited<ReturnType<typeof readExport>>;
beforeEach(async () => {
  const { projectId } = await makeProject(bench.ctx);
  await createCustomerPlan(bench.ctx, { projectId, name: 'Gold', dailyQuota: 10 });
  const userId = await makeOwner(bench.ctx);
  await bench.db.sql`
    insert into project_members (project_id, user_id, role)
    values (${projectId}, ${userId}, 'developer')`;
  developer = await makeToken(bench, userId);
  exported = await readExport();
});

const call = () => {
  const by = { kind: 'user', ...developer.user } as const;
  return { ctx: byToken(bench.ctx, developer), db: bench.db, by, random: randomBytes };
};
const readExport = () => runOperation(exportFile, call(), {});
/** Applies the export with other fields of its project. */
const applied = (fields: object, options: { dryRun?: boolean; prune?: boolean } = {}) => {
  const projects = exported.projects?.map((project) => ({ ...project, ...fields }));
  const file = JSON.stringify({ ...exported, projects });
  return runOperation(apply, call(), { file, ...options });
};

test('a developer applies an export, and changes its policies', async () => {
  const policies = [{ method: 'GET', pathPattern: '/v1' }];
  expect((await applied({}, { dryRun: true })).changes).toEqual([]);
  expect((await applied({})).changes).toEqual([]);
  expect((await applied({ policies })).changes).toMatchObject([{ kind: 'policy' }]);
  expect((await readExport()).projects).toMatchObject([{ policies }]);
});

test.each([
  [{ subscription: { status: 'canceled' } }],
  [{ defaultKeyRateLimitPerMinute: 7 }],
  [{ keyPrefix: 'acme_' }],
  [{ customerPlans: [{ name: 'Gold', dailyQuota: 11 }] }],
  [{ customerPlans: [] }],
])('a developer changes no part of an export that is the owner’s: %j', async (fields) => {
  for (const dryRun of [true, false]) {
    const run = applied(fields, { dryRun, prune: true });
    await expect(run).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  }
  expect(await readExport()).toEqual(exported);
});
