import { randomUUID } from 'node:crypto';
import { createCustomerPlan, putPlan, searchCustomerPlans, searchPlans } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { givePlan, LIMITS, makeOwner, makeProject, useBench } from '../support.ts';

const bench = useBench();

const namesOf = (found: readonly { name: string }[]) => found.map(({ name }) => name);

describe('a search of plans', () => {
  test('lists the plans of the projects of the user first, each part by its quota', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const own = await givePlan(bench.ctx, projectId, { monthlyQuota: 2_000_000_000 });
    const joined = await makeProject(bench.ctx);
    const ofMember = await givePlan(bench.ctx, joined.projectId, { monthlyQuota: 1_999_999_999 });
    const foreign = await givePlan(bench.ctx, (await makeProject(bench.ctx)).projectId, {});
    await bench.db.sql`insert into project_members (project_id, user_id, role)
      values (${joined.projectId}, ${ownerId}, 'viewer')`;

    const found = await searchPlans(bench.db, { userId: ownerId, limit: 100 });
    expect(found.slice(0, 2)).toMatchObject([
      { planId: ofMember.planId, isOwn: true, monthlyQuota: 1_999_999_999 },
      { planId: own.planId, isOwn: true, monthlyQuota: 2_000_000_000 },
    ]);
    expect(found.find(({ planId }) => planId === foreign.planId)).toMatchObject({ isOwn: false });
    const quotas = found.slice(2).map(({ monthlyQuota }) => monthlyQuota);
    expect(quotas).toEqual([...quotas].sort((a, b) => a - b));
    const stranger = await searchPlans(bench.db, {
      userId: await makeOwner(bench.ctx),
      limit: 100,
    });
    expect(stranger.some(({ isOwn }) => isOwn)).toBe(false);
  });

  test('finds a part of the name in either case, takes no pattern, and returns as many as asked', async () => {
    const tag = randomUUID();
    for (const name of [`${tag} One`, `${tag} Two`, `${tag} 100%`]) {
      await putPlan(bench.ctx, { name, ...LIMITS });
    }
    const find = async (text: string, limit = 100) =>
      namesOf(await searchPlans(bench.db, { userId: randomUUID(), text, limit }));
    expect(await find(` ${tag.toUpperCase()} oNe `)).toEqual([`${tag} One`]);
    expect(await find(`${tag} 100%`)).toEqual([`${tag} 100%`]);
    expect(await find(`${tag}%`)).toEqual([]);
    expect(await find(tag)).toHaveLength(3);
    expect(await find(tag, 2)).toHaveLength(2);
  });

  test('of customers finds only those of the project', async () => {
    const [mine, theirs] = [await makeProject(bench.ctx), await makeProject(bench.ctx)];
    for (const name of ['Growth', 'Basic']) {
      await createCustomerPlan(bench.ctx, { projectId: mine.projectId, name });
    }
    await createCustomerPlan(bench.ctx, { projectId: theirs.projectId, name: 'Growth of others' });
    const find = async (text?: string) => {
      const input = { projectId: mine.projectId, limit: 10, ...(text !== undefined && { text }) };
      return namesOf(await searchCustomerPlans(bench.db, input));
    };
    expect(await find()).toEqual(['Basic', 'Growth']);
    expect(await find('grow')).toEqual(['Growth']);
    const { projectId } = mine;
    expect(await searchCustomerPlans(bench.db, { projectId, limit: 1 })).toHaveLength(1);
  });
});
