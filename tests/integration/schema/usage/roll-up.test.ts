import { OUTCOMES } from '@ceiba/contract/sets';
import {
  createDatabase,
  type Database,
  readUsageSeries,
  recordUsage,
  rollUpUsage,
} from '@ceiba/schema';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Counted,
  flush,
  holding,
  type MadeKey,
  makeKey,
  makeProject,
  rollUpAll,
  shuffled,
  untilWaiting,
  useBench,
} from '../support.ts';

const bench = useBench({ maxConnections: 4 });

const YEAR = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-12-31T00:00:00Z') };
const totalOf = async (db: Database, projectId: string) => {
  const series = await readUsageSeries(db, { projectId, by: 'outcome', step: 'day', ...YEAR });
  return series.total;
};

const stateOf = (projectId: string) => bench.db.sql`
  select day::text, rolled_at is not null as "isValid", late_writes as "lateWrites"
  from usage_rolled_days where project_id = ${projectId} order by day`;

const admission = (at: string, count: number, rest: Partial<Counted> = {}): Counted => ({
  at,
  count,
  ...rest,
});

describe('a past day', () => {
  test('is added up once, with every day up to the last with usage', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [
      admission('2026-03-01T23:00:00Z', 3),
      admission('2026-03-04T00:00:00Z', 4),
    ]);
    expect(await rollUpAll(bench.db)).toBe(4);
    expect(await stateOf(projectId)).toEqual(
      ['01', '02', '03', '04'].map((day) => ({
        day: `2026-03-${day}`,
        isValid: true,
        lateWrites: 0,
      })),
    );
    expect(await totalOf(bench.db, projectId)).toBe(7);
    expect(await rollUpAll(bench.db)).toBe(0);
  });

  test('is read from its totals, not from its hours', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [admission('2026-03-01T10:00:00Z', 3)]);
    await rollUpAll(bench.db);
    await bench.db.sql`delete from usage_hours where project_id = ${projectId}`;
    expect(await totalOf(bench.db, projectId)).toBe(3);
  });

  test('is not added up before its end by the database’s clock', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const now = new Date();
    await flush(bench.db, projectId, [admission(now.toISOString(), 3)]);
    expect(await rollUpAll(bench.db)).toBe(0);
    expect(await stateOf(projectId)).toEqual([]);
  });

  test('is found also if there are more days than one call adds up', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [
      admission('2026-03-01T10:00:00Z', 1),
      admission('2026-03-09T10:00:00Z', 2),
    ]);
    const results = [];
    for (let call = 0; call < 4; call += 1) {
      results.push(await rollUpUsage(bench.db, { maxDays: 4 }));
    }
    expect(results).toEqual([
      { rolledDays: 4, isComplete: false },
      { rolledDays: 4, isComplete: false },
      { rolledDays: 1, isComplete: true },
      { rolledDays: 0, isComplete: true },
    ]);
    expect(await totalOf(bench.db, projectId)).toBe(3);
  });
});

describe('a day that cannot be added up', () => {
  /** A project with usage on the first and the last of some days of March, of which the first fail. */
  async function withFailing(failing: number, days: number) {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [
      admission('2026-03-01T10:00:00Z', 1),
      admission(`2026-03-0${days}T10:00:00Z`, 1),
    ]);
    await bench.db.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as 'begin raise ''refused''; end';
      create trigger refuse before update on usage_rolled_days for each row
        when (new.project_id = '${projectId}' and new.day < '2026-03-01'::date + ${failing})
        execute function refuse()`);
    onTestFinished(async () => {
      await bench.db.sql`drop function refuse cascade`;
      expect(await rollUpAll(bench.db)).toBe(failing);
    });
    return async () =>
      (await stateOf(projectId)).filter(({ isValid }) => isValid).map(({ day }) => day);
  }

  test('keeps no other day waiting, and its error is thrown at the end', async () => {
    const validDays = await withFailing(1, 3);
    await expect(rollUpUsage(bench.db, { maxDays: 50 })).rejects.toThrow();
    expect(await validDays()).toEqual(['2026-03-02', '2026-03-03']);
  });

  test('keeps no other day waiting, also if there are more of them than one call adds up', async () => {
    const validDays = await withFailing(4, 5);
    const rolled = async () => {
      await rollUpUsage(bench.db, { maxDays: 4 }).catch(() => {});
      return validDays();
    };
    await expect.poll(rolled, { interval: 1, timeout: 10_000 }).toEqual(['2026-03-05']);
  });
});

/** A flush of an hour that was written before: it has written the hour, and waits for its month. */
async function flushThatWaits() {
  const { projectId } = await makeProject(bench.ctx);
  await flush(bench.db, projectId, [admission('2026-03-01T10:00:00Z', 3)]);
  const release = await holding(
    bench.url,
    `select from usage_months where project_id = '${projectId}' for update`,
  );
  const flushing = flush(bench.db, projectId, [admission('2026-03-01T10:00:00Z', 8)]);
  await untilWaiting(bench.db);
  return { projectId, flushing, release };
}

describe('a late write', () => {
  test('is read at once, and added up by the next run', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [admission('2026-03-01T10:00:00Z', 3)]);
    await rollUpAll(bench.db);
    await flush(bench.db, projectId, [
      admission('2026-03-01T10:00:00Z', 5),
      admission('2026-03-01T11:00:00Z', 1, { outcome: 'rate_limited' }),
    ]);
    expect(await stateOf(projectId)).toEqual([
      { day: '2026-03-01', isValid: false, lateWrites: 1 },
    ]);
    expect(await totalOf(bench.db, projectId)).toBe(6);
    expect(await rollUpAll(bench.db)).toBe(1);
    expect(await totalOf(bench.db, projectId)).toBe(6);
  });

  test('without new counts, such as that of a sweep, invalidates no totals', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [admission('2026-03-01T10:00:00Z', 3)]);
    await rollUpAll(bench.db);
    for (const count of [3, 2]) {
      await flush(bench.db, projectId, [admission('2026-03-01T10:00:00Z', count)]);
    }
    expect(await stateOf(projectId)).toMatchObject([{ isValid: true, lateWrites: 0 }]);
  });

  test('and one that started before the day was inserted are both counted', async () => {
    const { projectId, flushing, release } = await flushThatWaits();
    const rolling = rollUpUsage(bench.db, { maxDays: 10 });
    await untilWaiting(bench.db, 2);
    await release();
    await flushing;
    await rolling;
    await rollUpAll(bench.db);
    expect(await stateOf(projectId)).toMatchObject([{ isValid: true }]);
    expect(await totalOf(bench.db, projectId)).toBe(8);
  });

  test('never waits long for a waiting roll-up, which gives up', async () => {
    const { projectId, flushing, release } = await flushThatWaits();
    await expect(rollUpUsage(bench.db, { maxDays: 10 })).rejects.toThrow();
    await release();
    await flushing;
    expect(await totalOf(bench.db, projectId)).toBe(8);
    expect(await rollUpAll(bench.db)).toBe(1);
  });

  test('during the roll-up leaves the totals invalid', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [admission('2026-03-01T10:00:00Z', 3)]);
    // The roll-up has read the hours of the outcomes, and waits before the totals of the keys.
    const release = await holding(bench.url, 'lock table usage_key_days in share mode');
    const rolling = rollUpUsage(bench.db, { maxDays: 10 });
    await untilWaiting(bench.db);
    await flush(bench.db, projectId, [admission('2026-03-01T10:00:00Z', 8)]);
    await release();
    expect(await rolling).toMatchObject({ rolledDays: 0 });
    expect(await totalOf(bench.db, projectId)).toBe(8);
    expect(await rollUpAll(bench.db)).toBe(1);
    expect(await totalOf(bench.db, projectId)).toBe(8);
  });

  test('to days of several projects in any order does not deadlock, in 30 rounds', async () => {
    const projects = await Promise.all(
      Array.from({ length: 6 }, async () => (await makeProject(bench.ctx)).projectId),
    );
    const batch = (count: number) => ({
      hours: shuffled(
        projects.flatMap((projectId) =>
          ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z'].map((at) => ({
            projectId,
            hour: Date.parse(at) / 3_600_000,
            apiKeyId: null,
            policyId: null,
            outcome: 'allowed' as const,
            incarnation: `i${Math.random() < 0.5 ? 1 : count}`,
            count,
          })),
        ),
      ),
      months: [],
      lastUsed: [],
    });
    const runtimes = Array.from({ length: 4 }, () =>
      createDatabase(bench.url, { maxConnections: 2 }),
    );
    try {
      for (let round = 1; round <= 30; round += 1) {
        await Promise.all([
          ...runtimes.map((db) => recordUsage(db, batch(round))),
          rollUpUsage(bench.db, { maxDays: 20 }).catch(ignoreLockTimeout),
        ]);
      }
    } finally {
      await Promise.all(runtimes.map((db) => db.close()));
    }
    await rollUpAll(bench.db);
    for (const projectId of projects) {
      const [raw] = await bench.db.sql`
        select sum(count)::int as sum from usage_hours where project_id = ${projectId}`;
      expect(await totalOf(bench.db, projectId)).toBe(raw!.sum);
    }
  }, 60_000);
});

/** During permanent flushes the roll-up rightly gives up. */
function ignoreLockTimeout(error: unknown): void {
  if (!/lock timeout/.test(String((error as Error).cause ?? error))) throw error;
}

describe('totals and hours', () => {
  let projectId: string;
  beforeAll(async () => {
    ({ projectId } = await makeProject(bench.ctx));
    const keys: MadeKey[] = [];
    for (let index = 0; index < 3; index += 1) keys.push(await makeKey(bench.ctx, projectId));
    const pick = <T>(items: readonly T[]) => items[Math.floor(Math.random() * items.length)]!;
    const counted = Array.from({ length: 1_500 }, (_, index) => ({
      at: new Date(
        Date.UTC(2026, 0, 30) + Math.floor(Math.random() * 960) * 3_600_000,
      ).toISOString(),
      count: 1 + (index % 7),
      apiKeyId: pick(keys).apiKeyId,
      policyId: pick([projectId, keys[0]!.apiKeyId]),
      outcome: Math.random() < 0.5 ? ('allowed' as const) : pick(OUTCOMES),
      incarnation: `i${index}`,
    }));
    await flush(bench.db, projectId, counted);
  });

  const RANGES = [
    ['outcome', 'hour', '2026-02-03T05:00:00Z', '2026-02-05T17:00:00Z'],
    ['outcome', 'day', '2026-01-31T00:00:00Z', '2026-03-05T00:00:00Z'],
    ['outcome', 'month', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['policy', 'hour', '2026-02-03T05:00:00Z', '2026-02-04T17:00:00Z'],
    ['policy', 'day', '2026-01-31T00:00:00Z', '2026-03-05T00:00:00Z'],
    ['policy', 'month', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['api_key', 'day', '2026-02-03T00:00:00Z', '2026-03-02T00:00:00Z'],
    ['api_key', 'month', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
  ] as const;
  const readAll = () =>
    Promise.all(
      RANGES.map(([by, step, from, to]) =>
        readUsageSeries(bench.db, { projectId, by, step, from: new Date(from), to: new Date(to) }),
      ),
    );

  test('agree by outcome, key and policy, whichever days are added up', async () => {
    const fromHours = await readAll();
    expect(fromHours.every(({ total }) => total > 0)).toBe(true);
    await rollUpAll(bench.db);
    expect(await readAll()).toEqual(fromHours);
    await bench.db.sql`
      update usage_rolled_days set rolled_at = null
      where project_id = ${projectId} and extract(day from day)::int % 3 = 0`;
    expect(await readAll()).toEqual(fromHours);
  });
});

test('two concurrent roll-ups add up each day once', async () => {
  await rollUpAll(bench.db);
  const { projectId } = await makeProject(bench.ctx);
  await flush(bench.db, projectId, [
    admission('2026-03-01T10:00:00Z', 1),
    admission('2026-03-30T10:00:00Z', 2),
  ]);
  const other = createDatabase(bench.url, { maxConnections: 2 });
  try {
    const [first, second] = await Promise.all([rollUpAll(bench.db), rollUpAll(other)]);
    const later = await rollUpAll(bench.db);
    expect(first + second + later).toBe(30);
    expect(await totalOf(bench.db, projectId)).toBe(3);
  } finally {
    await other.close();
  }
});
