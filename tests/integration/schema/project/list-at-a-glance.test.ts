import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import { createProject, listProjectsAtAGlance } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { makeOwner, useBench } from '../support.ts';

const bench = useBench();

describe('projects at a glance', () => {
  async function addProject(ownerId: string, name: string): Promise<string> {
    const secret = mintProjectSecret(randomBytes);
    const created = await createProject(bench.ctx, { ownerId, name, secret });
    if (created.kind !== 'created') throw new Error(created.kind);
    return created.projectId;
  }

  test('shows only the owner’s projects, by name, page by page', async () => {
    const owner = await makeOwner(bench.ctx);
    const other = await makeOwner(bench.ctx);
    for (const name of ['charlie', 'Alpha', 'bravo']) await addProject(owner, name);
    await addProject(other, 'hidden');
    const first = await listProjectsAtAGlance(bench.db, { userId: owner, limit: 2, offset: 0 });
    expect(first.total).toBe(3);
    expect(first.projects.map(({ name }) => name)).toEqual(['Alpha', 'bravo']);
    const second = await listProjectsAtAGlance(bench.db, { userId: owner, limit: 2, offset: 2 });
    expect(second.projects.map(({ name }) => name)).toEqual(['charlie']);
    for (const offset of [4, 100]) {
      expect(
        await listProjectsAtAGlance(bench.db, { userId: owner, limit: 2, offset }),
        `beyond the list, ${offset}`,
      ).toEqual({ ...second, offset: 2 });
    }
    const found = await listProjectsAtAGlance(bench.db, {
      userId: owner,
      nameContains: ' A\0V',
      limit: 10,
      offset: 0,
    });
    expect(found.projects.map(({ name }) => name)).toEqual(['bravo']);
  });

  test('counts the last 24 hours per hour, and this month, over all incarnations', async () => {
    const projectId = await addProject(await makeOwner(bench.ctx), 'reports');
    const none = '00000000-0000-0000-0000-000000000000';
    for (const [hoursAgo, outcome, incarnation, count] of [
      [0, 'allowed', 'a', 5],
      [0, 'allowed', 'b', 2],
      [0, 'rate_limited', 'a', 3],
      [23, 'allowed', 'a', 1],
      [24, 'allowed', 'a', 100],
    ] as const) {
      await bench.db.sql`insert into usage_hours values (${projectId},
        date_trunc('hour', now()) - make_interval(hours => ${hoursAgo}), ${none}, ${none},
        ${outcome}, ${incarnation}, ${count})`;
    }
    await bench.db
      .sql`insert into usage_months select ${projectId}, extract(year from now() at time zone 'UTC') * 12
      + extract(month from now() at time zone 'UTC') - 1, 'project', incarnation, 40 from unnest(array['a', 'b']) incarnation`;
    const ownerId = (await bench.db.sql`select owner_id from projects where id = ${projectId}`)[0]
      ?.owner_id;
    const [project] = (
      await listProjectsAtAGlance(bench.db, { userId: ownerId, limit: 1, offset: 0 })
    ).projects;
    expect(project).toMatchObject({
      planName: 'Free',
      problems: [],
      activeKeys: 0,
      activeKeyCap: 3,
      monthlyQuota: 10_000,
      usedThisMonth: 80,
    });
    expect(project?.allowedByHour).toHaveLength(24);
    expect(project?.allowedByHour[23]).toBe(7);
    expect(project?.deniedByHour[23]).toBe(3);
    expect(project?.allowedByHour[0]).toBe(1);
    expect(project?.allowedByHour.reduce((sum, count) => sum + count, 0)).toBe(8);
  });

  test('finds nothing for a user without projects', async () => {
    expect(
      await listProjectsAtAGlance(bench.db, { userId: randomUUID(), limit: 5, offset: 0 }),
    ).toEqual({ projects: [], offset: 0, total: 0 });
  });
});
