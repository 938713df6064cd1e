import { randomUUID } from 'node:crypto';
import {
  createCustomerPlan,
  createDatabase,
  deleteCustomerPlan,
  deleteProject,
  listCustomerPlans,
  type NewCustomerPlan,
  putCustomerPlan,
  updateCustomerPlan,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { contextOf, countAuditRows, expectKind, makeProject, useBench } from '../support.ts';

const bench = useBench();

const NOTHING = {
  activeKeyCap: null,
  rateLimitPerMinute: null,
  dailyQuota: null,
  monthlyQuota: null,
  scopes: null,
};

const project = async () => (await makeProject(bench.ctx)).projectId;

async function makePlan(projectId: string, state: Partial<NewCustomerPlan> = {}) {
  const input = { name: randomUUID(), ...state, projectId };
  return expectKind(await createCustomerPlan(bench.ctx, input), 'created').plan;
}

/** A customer by plain SQL, so that no verb of customers takes part. */
const addCustomer = (
  { projectId, planId }: { projectId: string; planId: string },
  { sql } = bench.db,
) => sql`
  insert into customers (project_id, external_id, plan_id, subscription_status)
  values (${projectId}, ${randomUUID()}, ${planId}, 'active')`;

describe('customer plans', () => {
  test('limit only what they are given, and hold labels in order and each once', async () => {
    const projectId = await project();
    const plain = await makePlan(projectId, { name: 'Plain' });
    expect(plain).toEqual({ planId: plain.planId, projectId, name: 'Plain', ...NOTHING });
    const limits = { activeKeyCap: 3, rateLimitPerMinute: 60, dailyQuota: 0, monthlyQuota: 1e12 };
    const full = await makePlan(projectId, { name: 'Full', ...limits, scopes: ['b', 'a', 'b'] });
    expect(full).toMatchObject({ ...limits, scopes: ['a', 'b'] });
    expect(await listCustomerPlans(bench.db, projectId)).toEqual([
      { ...full, customers: 0 },
      { ...plain, customers: 0 },
    ]);
  });

  test('have names that are unique in a project, also when several are created at once', async () => {
    const [one, other] = [await project(), await project()];
    const results = await Promise.all(
      Array.from({ length: 4 }, () =>
        createCustomerPlan(bench.ctx, { projectId: one, name: ' Pro ' }),
      ),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual([
      'created',
      ...Array(3).fill('name_taken'),
    ]);
    expect(await makePlan(other, { name: 'Pro' })).toMatchObject({ name: 'Pro' });
    const { planId } = await makePlan(one);
    const rename = { projectId: one, planId, name: 'Pro' };
    expect(await updateCustomerPlan(bench.ctx, rename)).toEqual({ kind: 'name_taken' });
  });

  test('change in the given fields, and null removes a value; no difference leaves no audit row', async () => {
    const projectId = await project();
    const made = await makePlan(projectId, { monthlyQuota: 9, scopes: ['read'] });
    const { planId, name } = made;
    const update = (fields: object) =>
      updateCustomerPlan(bench.ctx, { projectId, planId, ...fields });
    const after = { ...made, monthlyQuota: null, activeKeyCap: 2 };
    expect(await update({ monthlyQuota: null, activeKeyCap: 2 })).toEqual({
      kind: 'updated',
      plan: after,
    });
    const rows = await countAuditRows(bench.db);
    for (const same of [{}, { name }, { scopes: ['read', 'read'] }, { monthlyQuota: null }]) {
      expect(await update(same)).toEqual({ kind: 'unchanged', plan: after });
    }
    expect(await countAuditRows(bench.db)).toBe(rows);
    const [row] = await bench.db.sql`
      select project_id, before, after from audit_log where target_id = ${planId}
      and action = 'customer_plan.update'`;
    expect(row).toMatchObject({
      project_id: projectId,
      before: { name, monthlyQuota: 9, activeKeyCap: null, scopes: ['read'] },
      after: { name, monthlyQuota: null, activeKeyCap: 2, scopes: ['read'] },
    });
  });

  test('are put by their names', async () => {
    const projectId = await project();
    const put = async (fields: Partial<NewCustomerPlan>) =>
      (await putCustomerPlan(bench.ctx, { projectId, name: 'Pro', ...fields })).kind;
    expect(await put({ dailyQuota: 5 })).toBe('created');
    expect(await put({ scopes: ['read'] })).toBe('updated');
    expect(await put({})).toBe('unchanged');
    expect(await put({ dailyQuota: null })).toBe('updated');
    const many = Array.from({ length: 8 }, () => put({ dailyQuota: null, name: 'New' }));
    expect((await Promise.all(many)).filter((kind) => kind === 'created')).toHaveLength(1);
    expect(await listCustomerPlans(bench.db, projectId)).toMatchObject([
      { name: 'New', ...NOTHING },
      { name: 'Pro', ...NOTHING, scopes: ['read'] },
    ]);
  });

  test.each([
    [{ name: ' ' }, 'name'],
    [{ activeKeyCap: 1.5 }, 'activeKeyCap'],
    [{ dailyQuota: 1e12 + 1 }, 'dailyQuota'],
    [{ scopes: ['no spaces'] }, 'scopes'],
  ])('are refused where a field breaks its rule: %j', async (given, field) => {
    const input = { projectId: await project(), name: 'Pro', ...given };
    await expect(createCustomerPlan(bench.ctx, input)).rejects.toThrow(`${field} must`);
  });

  test('cannot be deleted while customers are on them; the result has their number', async () => {
    const projectId = await project();
    const plan = await makePlan(projectId);
    await addCustomer(plan);
    await addCustomer(plan);
    const { planId } = plan;
    expect(await deleteCustomerPlan(bench.ctx, { projectId, planId })).toEqual({
      kind: 'in_use',
      customers: 2,
    });
    expect(await listCustomerPlans(bench.db, projectId)).toMatchObject([{ planId, customers: 2 }]);
    await bench.db.sql`delete from customers where project_id = ${projectId}`;
    const remove = () => deleteCustomerPlan(bench.ctx, { projectId, planId });
    expect(await remove()).toEqual({ kind: 'deleted' });
    expect(await remove()).toEqual({ kind: 'not_found' });
  });

  test('are either deleted or taken by a customer, however the two meet, in 20 rounds', async () => {
    const projectId = await project();
    const other = createDatabase(bench.url, { maxConnections: 1 });
    try {
      for (let round = 0; round < 20; round += 1) {
        const plan = await makePlan(projectId);
        const ref = { projectId, planId: plan.planId };
        const [removed, taken] = await Promise.all([
          deleteCustomerPlan(contextOf(other), ref),
          addCustomer(plan).then(
            () => true,
            ({ code }) => code !== '23503',
          ),
        ]);
        expect(removed).toEqual(taken ? { kind: 'in_use', customers: 1 } : { kind: 'deleted' });
      }
    } finally {
      await other.close();
    }
  });

  test('of another project are neither read, changed nor deleted, and no customer can name them', async () => {
    const [mine, theirs] = [await project(), await project()];
    const plan = await makePlan(mine, { name: 'Secret', monthlyQuota: 5 });
    const ref = { projectId: theirs, planId: plan.planId };
    expect(await listCustomerPlans(bench.db, theirs)).toEqual([]);
    expect(await updateCustomerPlan(bench.ctx, { ...ref, monthlyQuota: 6 })).toEqual({
      kind: 'not_found',
    });
    expect(await deleteCustomerPlan(bench.ctx, ref)).toEqual({ kind: 'not_found' });
    await expect(addCustomer(ref)).rejects.toThrow('customers_plan_fkey');
    // A customer of another project does not count as one that is on the plan.
    await addCustomer(await makePlan(theirs));
    expect(await listCustomerPlans(bench.db, mine)).toEqual([{ ...plan, customers: 0 }]);
  });

  test('go with their project and its customers', async () => {
    const { projectId, name } = await makeProject(bench.ctx);
    await addCustomer(await makePlan(projectId));
    expect(await deleteProject(bench.ctx, { projectId, name })).toEqual({ kind: 'deleted' });
    expect(await listCustomerPlans(bench.db, projectId)).toEqual([]);
    const unknown = { projectId, name: 'Pro' };
    expect(await createCustomerPlan(bench.ctx, unknown)).toEqual({ kind: 'not_found' });
    expect(await putCustomerPlan(bench.ctx, unknown)).toEqual({ kind: 'not_found' });
  });
});
