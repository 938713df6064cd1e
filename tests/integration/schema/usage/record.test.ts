import { randomUUID } from 'node:crypto';
import {
  compareUsage,
  createDatabase,
  type Database,
  deleteProject,
  getApiKey,
  readPeriodTotals,
  recordFirstUses,
  recordUsage,
  type UsageBatch,
  type UsageDayCount,
  type UsageHourCount,
  type UsageMonthCount,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { givePlan, holding, makeKey, makeProject, shuffled, useBench } from '../support.ts';

const bench = useBench();

/** Whole hours and months of 2026-11-20T14:00Z. */
const HOUR = Date.UTC(2026, 10, 20, 14) / 3_600_000;
const MONTH = 2026 * 12 + 10;

const hourOf = (
  projectId: string,
  count: number,
  rest: Partial<UsageHourCount> = {},
): UsageHourCount => ({
  projectId,
  hour: HOUR,
  apiKeyId: null,
  policyId: null,
  outcome: 'allowed',
  incarnation: 'i1',
  count,
  ...rest,
});

const monthOf = (
  projectId: string,
  count: number,
  rest: Partial<UsageMonthCount> = {},
): UsageMonthCount => ({
  projectId,
  month: MONTH,
  scope: 'project',
  incarnation: 'i1',
  count,
  ...rest,
});

/** A day of 2026-11-20. */
const DAY = 20_777;
const dayOf = (
  projectId: string,
  count: number,
  rest: Partial<UsageDayCount> = {},
): UsageDayCount => ({
  projectId,
  day: DAY,
  scope: 'project@0',
  incarnation: 'i1',
  count,
  ...rest,
});

const batchOf = (batch: Partial<UsageBatch>): UsageBatch => ({
  hours: [],
  months: [],
  days: [],
  costs: [],
  lastUsed: [],
  secretsUsed: [],
  ...batch,
});

async function hoursOf(projectId: string) {
  return bench.db.sql<{ outcome: string; incarnation: string; count: string }[]>`
    select outcome, incarnation, count from usage_hours where project_id = ${projectId}
    order by outcome, incarnation, count`;
}

async function total(projectId: string, scope = 'project', number = MONTH): Promise<number> {
  const [sum] = await readPeriodTotals(bench.db, [{ projectId, number, scope }]);
  return sum!;
}

async function lastUse(projectId: string, apiKeyId: string) {
  return (await getApiKey(bench.db, { projectId, apiKeyId }))?.lastUsedAt;
}

describe('the first allowed call of a project', () => {
  /** Whether it is noted, and how long before the flush, in ms. */
  const noted = async (projectId: string) => {
    const [row] = await bench.db.sql<{ agoMs: number | null }[]>`
      select extract(epoch from now() - first_allowed_at)::float8 * 1000 as "agoMs"
      from projects where id = ${projectId}`;
    return row?.agoMs ?? null;
  };
  const now = () => Math.floor(Date.now() / 3_600_000);

  test('is noted by the flush that has it, once, and not by denials', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const record = (rest: Partial<UsageHourCount>) =>
      recordUsage(bench.db, { hours: [hourOf(projectId, 1, { hour: now(), ...rest })] });
    await record({ outcome: 'rate_limited' });
    expect(await noted(projectId)).toBeNull();
    await record({});
    const [first] = await bench.db
      .sql`select first_allowed_at from projects where id = ${projectId}`;
    expect(await noted(projectId)).toBeLessThan(60_000);
    await record({ incarnation: 'i2' });
    const [again] = await bench.db
      .sql`select first_allowed_at from projects where id = ${projectId}`;
    expect(again).toEqual(first);
  });

  test('is at the end of its hour, where its usage is written later', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const hours = [now() - 30, now() - 40, now()].map((hour) => hourOf(projectId, 1, { hour }));
    await recordUsage(bench.db, { hours });
    const ended = (now() - 39) * 3_600_000;
    const [row] = await bench.db.sql<{ isThen: boolean }[]>`
      select first_allowed_at = ${new Date(ended).toISOString()} as "isThen"
      from projects where id = ${projectId}`;
    expect(row?.isThen).toBe(true);
  });

  test('waits for no lock of the project: a later flush notes it', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const hours = [hourOf(projectId, 1, { hour: now() })];
    const release = await holding(
      bench.url,
      `select from projects where id = '${projectId}' for no key update`,
    );
    await recordUsage(bench.db, { hours });
    expect(await noted(projectId)).toBeNull();
    expect(await hoursOf(projectId)).toHaveLength(1);
    await release();
    await recordUsage(bench.db, { hours });
    expect(await noted(projectId)).not.toBeNull();
  });
});

describe('recording usage', () => {
  test('in any order, each batch up to three times, gives the same counts', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const keys = [randomUUID(), randomUUID()];
    const batches = Array.from({ length: 12 }, (_, step) =>
      batchOf({
        hours: keys.map((apiKeyId, index) =>
          hourOf(projectId, step * (index + 1), { apiKeyId, incarnation: `i${step % 2}` }),
        ),
        months: [monthOf(projectId, step * 3, { incarnation: `i${step % 2}` })],
      }),
    );
    const endings = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      await bench.db.sql`delete from usage_hours where project_id = ${projectId}`;
      await bench.db.sql`delete from usage_months where project_id = ${projectId}`;
      for (const batch of shuffled([...batches, ...batches, ...batches.slice(0, 6)])) {
        await recordUsage(bench.db, batch);
      }
      endings.add(JSON.stringify([await hoursOf(projectId), await total(projectId)]));
    }
    expect([...endings]).toHaveLength(1);
    expect(await total(projectId)).toBe(10 * 3 + 11 * 3);
  });

  test('counts outcomes, hours, keys, policies and incarnations separately', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const hours = [
      hourOf(projectId, 1),
      hourOf(projectId, 2, { outcome: 'rate_limited' }),
      hourOf(projectId, 3, { hour: HOUR + 1 }),
      hourOf(projectId, 4, { apiKeyId: randomUUID() }),
      hourOf(projectId, 5, { policyId: randomUUID() }),
      hourOf(projectId, 6, { incarnation: 'i2' }),
    ];
    await recordUsage(bench.db, batchOf({ hours }));
    expect(await hoursOf(projectId)).toHaveLength(hours.length);
  });

  test('stores an hour as its start in UTC', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await recordUsage(bench.db, batchOf({ hours: [hourOf(projectId, 1)] }));
    const [row] = await bench.db.sql`
      select hour = '2026-11-20T14:00:00Z' as "isThatHour" from usage_hours
      where project_id = ${projectId}`;
    expect(row).toEqual({ isThatHour: true });
  });

  test('keeps counts beyond 32 bits exactly', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const count = 2 ** 40 + 1;
    const months = [monthOf(projectId, count)];
    await recordUsage(bench.db, batchOf({ hours: [hourOf(projectId, count)], months }));
    expect(await hoursOf(projectId)).toMatchObject([{ count: String(count) }]);
    expect(await total(projectId)).toBe(count);
  });
});

describe('month totals', () => {
  test('are the sums over incarnations, per scope and month', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const apiKeyId = randomUUID();
    await recordUsage(
      bench.db,
      batchOf({
        months: [
          monthOf(projectId, 5),
          monthOf(projectId, 7, { incarnation: 'i2' }),
          monthOf(projectId, 11, { scope: apiKeyId }),
          monthOf(projectId, 100, { month: MONTH - 1 }),
        ],
      }),
    );
    expect(await total(projectId)).toBe(12);
    expect(await total(projectId, apiKeyId)).toBe(11);
    expect(await total(projectId, 'project', MONTH - 1)).toBe(100);
  });

  test('of days are read by the same question, and grow as months do', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const days = [dayOf(projectId, 5), dayOf(projectId, 7, { incarnation: 'i2' })];
    await recordUsage(bench.db, { days });
    await recordUsage(bench.db, {
      days: [dayOf(projectId, 4), dayOf(projectId, 1, { day: DAY + 1 })],
    });
    expect(await total(projectId, 'project@0', DAY)).toBe(12);
    expect(await total(projectId, 'project@0', DAY + 1)).toBe(1);
    expect(await total(projectId, 'project', DAY)).toBe(0);
  });

  test('are 0 without counts, and in the order of the request', async () => {
    const [first, second] = [await makeProject(bench.ctx), await makeProject(bench.ctx)];
    const months = [monthOf(first.projectId, 3), monthOf(second.projectId, 8)];
    await recordUsage(bench.db, batchOf({ months }));
    const ask = (projectId: string) => ({ projectId, number: MONTH, scope: 'project' });
    const items = [second, first, { projectId: randomUUID() }, second].map(({ projectId }) =>
      ask(projectId),
    );
    expect(await readPeriodTotals(bench.db, items)).toEqual([8, 3, 0, 8]);
    expect(await readPeriodTotals(bench.db, [])).toEqual([]);
  });
});

describe('a deleted project', () => {
  test('has its rows dropped and reported, without affecting the rest of the batch', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { projectId: gone } = await makeProject(bench.ctx);
    await bench.db.sql`delete from projects where id = ${gone}`;
    const { knownProjectIds } = await recordUsage(
      bench.db,
      batchOf({
        hours: [hourOf(gone, 1), hourOf(projectId, 2)],
        months: [monthOf(gone, 1), monthOf(projectId, 2)],
      }),
    );
    expect([...knownProjectIds]).toEqual([projectId]);
    expect(await hoursOf(gone)).toEqual([]);
    expect(await total(gone)).toBe(0);
    expect(await total(projectId)).toBe(2);
  });

  test('has its rows dropped also if it never existed', async () => {
    const { knownProjectIds } = await recordUsage(
      bench.db,
      batchOf({ hours: [hourOf(randomUUID(), 1)] }),
    );
    expect(knownProjectIds.size).toBe(0);
  });
});

describe('lastUsedAt', () => {
  test('only moves forward, and a deleted key is skipped', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { apiKeyId } = await makeKey(bench.ctx, projectId);
    const [early, late] = [new Date('2026-11-20T14:00:00Z'), new Date('2026-11-20T15:00:00.123Z')];
    const use = (at: Date) =>
      recordUsage(
        bench.db,
        batchOf({
          lastUsed: [
            { apiKeyId: randomUUID(), at },
            { apiKeyId, at },
          ],
        }),
      );
    await use(early);
    expect(await lastUse(projectId, apiKeyId)).toBe('2026-11-20T14:00:00.000Z');
    await use(late);
    await use(early);
    expect(await lastUse(projectId, apiKeyId)).toBe('2026-11-20T15:00:00.123Z');
  });
});

describe('concurrent flushes', () => {
  /** One pool per Runtime. */
  async function withRuntimes(count: number, run: (dbs: Database[]) => Promise<void>) {
    const dbs = Array.from({ length: count }, () =>
      createDatabase(bench.url, { maxConnections: 2 }),
    );
    try {
      await run(dbs);
    } finally {
      await Promise.all(dbs.map((db) => db.close()));
    }
  }

  test('of the same rows in different orders never deadlock, in 40 rounds of 8 Runtimes', async () => {
    const projects = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { projectId } = await makeProject(bench.ctx);
        await givePlan(bench.ctx, projectId, { activeKeyCap: 10 });
        const keys = [];
        for (let index = 0; index < 5; index += 1) keys.push(await makeKey(bench.ctx, projectId));
        return { projectId, keys };
      }),
    );
    const batchAt = (round: number) =>
      batchOf({
        hours: shuffled(
          projects.flatMap(({ projectId, keys }) =>
            keys.map(({ apiKeyId }) => hourOf(projectId, round + 1, { apiKeyId })),
          ),
        ),
        months: shuffled(projects.map(({ projectId }) => monthOf(projectId, round + 1))),
        lastUsed: shuffled(
          projects.flatMap(({ keys }) =>
            keys.map(({ apiKeyId }) => ({ apiKeyId, at: new Date(Date.UTC(2030, 0, 1) + round) })),
          ),
        ),
      });
    await withRuntimes(8, async (dbs) => {
      for (let round = 0; round < 40; round += 1) {
        await Promise.all(
          dbs.flatMap((db) => [
            recordUsage(db, batchAt(round)),
            recordFirstUses(
              db,
              shuffled(projects.flatMap(({ keys }) => keys.map(({ apiKeyId }) => apiKeyId))),
            ),
          ]),
        );
      }
    });
    for (const { projectId } of projects) expect(await total(projectId)).toBe(40);
  }, 60_000);
});

describe('a comparison', () => {
  const compare = (batch: Partial<UsageBatch>) => compareUsage(bench.db, batchOf(batch));

  test('returns only counts that Postgres lacks or has a smaller number for', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const apiKeyId = randomUUID();
    await recordUsage(
      bench.db,
      batchOf({
        hours: [hourOf(projectId, 5), hourOf(projectId, 5, { apiKeyId })],
        months: [monthOf(projectId, 5)],
        days: [dayOf(projectId, 5)],
      }),
    );
    const { missing, knownProjectIds } = await compare({
      hours: [
        hourOf(projectId, 5),
        hourOf(projectId, 6, { apiKeyId }),
        hourOf(projectId, 1, { incarnation: 'i2' }),
        hourOf(projectId, 1, { outcome: 'rate_limited' }),
        hourOf(projectId, 1, { hour: HOUR + 1 }),
        hourOf(projectId, 4, { apiKeyId }),
      ],
      months: [
        monthOf(projectId, 5),
        monthOf(projectId, 6),
        monthOf(projectId, 1, { scope: apiKeyId }),
        monthOf(projectId, 1, { month: MONTH + 1 }),
      ],
      days: [dayOf(projectId, 5), dayOf(projectId, 6), dayOf(projectId, 1, { day: DAY + 1 })],
    });
    expect(missing).toEqual({ hours: [1, 2, 3, 4], months: [1, 2, 3], days: [1, 2] });
    expect(knownProjectIds).toEqual(new Set([projectId]));
  });

  test('distinguishes a deleted project from one that never existed', async () => {
    const [kept, gone] = [await makeProject(bench.ctx), await makeProject(bench.ctx)];
    const elsewhere = randomUUID();
    const [{ name }] = await bench.db.sql<[{ name: string }]>`
      select name from projects where id = ${gone.projectId}`;
    expect(await deleteProject(bench.ctx, { projectId: gone.projectId, name })).toEqual({
      kind: 'deleted',
    });
    const months = [kept.projectId, gone.projectId, elsewhere].map((id) => monthOf(id, 1));
    const { knownProjectIds, deletedProjectIds } = await compare({ months });
    expect(knownProjectIds).toEqual(new Set([kept.projectId]));
    expect(deletedProjectIds).toEqual(new Set([gone.projectId]));
  });
});
