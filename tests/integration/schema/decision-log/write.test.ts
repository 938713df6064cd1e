import { randomUUID } from 'node:crypto';
import { DENIAL_REASONS } from '@ceiba/contract/sets';
import {
  createDatabase,
  deleteProject,
  findDecision,
  listDecisions,
  readDecisionGaps,
  writeDecisions,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { makeProject, useBench } from '../support.ts';
import { decisionAt, idAt } from './support.ts';

const bench = useBench();
const MINUTE_MS = 60_000;
const inMinutes = (first: number, last = first) => ({
  firstMinute: new Date(first * MINUTE_MS),
  lastMinute: new Date(last * MINUTE_MS),
});
const DAY_MS = 86_400_000;
const now = () => new Date();

const partitions = async () => {
  const rows = await bench.db.sql<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'decisions'::regclass order by 1`;
  return rows.map(({ name }) => name);
};

describe('writing decisions', () => {
  test('keeps every field, whatever characters its texts have, and null for those that are left out', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const decision = decisionAt(projectId, now(), {
      requestId: 'a,"b"\\{}',
      method: "PATCH'",
      path: '/a,b/{c}/"d"\\/ü/😀',
      outcome: 'rate_limited',
      apiKeyId: randomUUID(),
      keyPrefix: 'ceiba_AAAAAAAA',
      policyId: randomUUID(),
      limits: {
        rateLimitPerMinute: 1,
        monthlyQuota: 2,
        remainingThisMinute: 0,
        remainingThisMonth: 1,
      },
      limitOwner: 'project_default',
      latencyMs: 12,
    });
    const empty = decisionAt(projectId, now(), { path: '', requestId: 'NULL' });
    await writeDecisions(bench.db, { decisions: [decision, empty], gaps: [] });
    const { projectId: _, ...fields } = decision;
    const { decisionId } = decision;
    const found = await findDecision(bench.db, { projectId, decisionId });
    expect(found).toMatchObject({ ...fields, at: expect.any(Date), denialDetail: null });
    expect(await findDecision(bench.db, { projectId, decisionId: empty.decisionId })).toMatchObject(
      {
        path: '',
        requestId: 'NULL',
        denialDetail: null,
        apiKeyId: null,
        keyPrefix: null,
        policyId: null,
        limits: null,
        limitOwner: null,
      },
    );
  });

  test('takes the time from the id, to the ms', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const at = new Date('2026-03-04T23:59:59.999Z');
    const decision = decisionAt(projectId, at);
    await writeDecisions(bench.db, { decisions: [decision], gaps: [] });
    const { decisionId } = decision;
    expect((await findDecision(bench.db, { projectId, decisionId }))?.at).toEqual(at);
    await expect(
      writeDecisions(bench.db, {
        decisions: [{ ...decision, decisionId: randomUUID() }],
        gaps: [],
      }),
    ).rejects.toThrow(RangeError);
  });

  test('keeps every outcome', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const outcomes = ['allowed', ...DENIAL_REASONS] as const;
    const decisions = outcomes.map((outcome) => decisionAt(projectId, now(), { outcome }));
    await writeDecisions(bench.db, { decisions, gaps: [] });
    const { items } = await listDecisions(bench.db, { projectId, limit: 50 });
    expect(items.map(({ outcome }) => outcome).sort()).toEqual([...outcomes].sort());
  });

  test('twice changes nothing', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const gap = { projectId, minute, outcome: 'invalid_api_key', incarnation: 'i' } as const;
    const batch = { decisions: [decisionAt(projectId, now())], gaps: [{ ...gap, leftOut: 3 }] };
    await writeDecisions(bench.db, batch);
    await writeDecisions(bench.db, batch);
    expect((await listDecisions(bench.db, { projectId, limit: 50 })).items).toHaveLength(1);
    const range = { projectId, from: new Date(minute * MINUTE_MS), to: new Date(Date.now() + 1) };
    expect(await readDecisionGaps(bench.db, range)).toEqual([
      { outcome: 'invalid_api_key', leftOut: 3, ...inMinutes(minute) },
    ]);
  });

  test('adds up two numbers of a minute, as after a clock was set back', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const gap = { projectId, minute, outcome: 'invalid_api_key', incarnation: 'i' } as const;
    const gaps = [
      { ...gap, leftOut: 3 },
      { ...gap, leftOut: 4 },
    ];
    await writeDecisions(bench.db, { decisions: [], gaps });
    const range = { projectId, from: new Date(minute * MINUTE_MS), to: new Date(Date.now() + 1) };
    expect(await readDecisionGaps(bench.db, range)).toEqual([
      { outcome: 'invalid_api_key', leftOut: 7, ...inMinutes(minute) },
    ]);
  });

  test('drops the rows of a project that was deleted, and keeps the others', async () => {
    const gone = await makeProject(bench.ctx);
    await deleteProject(bench.ctx, gone);
    const { projectId } = await makeProject(bench.ctx);
    const decisions = [decisionAt(gone.projectId, now()), decisionAt(projectId, now())];
    const gap = { minute: 1, outcome: 'allowed', incarnation: 'i', leftOut: 1 } as const;
    const gaps = [{ ...gap, projectId: gone.projectId }];
    await writeDecisions(bench.db, { decisions, gaps });
    const rows = await bench.db.sql`
      select project_id from decisions where project_id in (${gone.projectId}, ${projectId})
      union all select project_id from decision_gaps where project_id = ${gone.projectId}`;
    expect([...rows]).toEqual([{ project_id: projectId }]);
  });
});

describe('the partition of a day', () => {
  test('is created with the first decision of the day, by several writers at once', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const days = ['2026-05-31T23:59:59.999Z', '2026-06-01T00:00:00.000Z'];
    const other = createDatabase(bench.url, { maxConnections: 2 });
    try {
      const write = (db: typeof other) =>
        writeDecisions(db, {
          decisions: days.map((day) => decisionAt(projectId, new Date(day))),
          gaps: [],
        });
      await Promise.all([write(bench.db), write(other), write(bench.db), write(other)]);
    } finally {
      await other.close();
    }
    expect(await partitions()).toEqual(
      expect.arrayContaining(['decisions_20260531', 'decisions_20260601']),
    );
    const rows = await bench.db.sql`
      select tableoid::regclass::text as name, count(*)::int from decisions
      where project_id = ${projectId} group by 1 order by 1`;
    expect([...rows]).toEqual([
      { name: 'decisions_20260531', count: 4 },
      { name: 'decisions_20260601', count: 4 },
    ]);
  });

  test('is not created for a day that lies ahead, by a clock that is wrong', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const tomorrow = new Date(Date.now() + DAY_MS);
    await writeDecisions(bench.db, { decisions: [decisionAt(projectId, tomorrow)], gaps: [] });
    const before = await partitions();
    for (const at of [new Date(Date.now() + 3 * DAY_MS), new Date('2999-12-31T12:00:00Z')]) {
      const decisions = [decisionAt(projectId, now()), decisionAt(projectId, at)];
      await expect(writeDecisions(bench.db, { decisions, gaps: [] })).rejects.toThrow(
        'lies ahead: the clock of this machine or of Postgres is wrong',
      );
    }
    expect(await partitions()).toEqual(before);
  });

  test('is created while others write and read', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const at = new Date('2026-07-01T12:00:00Z');
    await writeDecisions(bench.db, { decisions: [decisionAt(projectId, at)], gaps: [] });
    await bench.db.sql.begin(async (sql) => {
      await sql`insert into decisions (project_id, at, decision_id, method, outcome, latency_ms)
        values (${projectId}, ${at.toISOString()}, ${idAt(at)}, 'GET', 'allowed', 1)`;
      await sql`select from decisions`;
      const tomorrow = new Date('2026-07-02T12:00:00Z');
      await writeDecisions(bench.db, { decisions: [decisionAt(projectId, tomorrow)], gaps: [] });
    });
    expect(await partitions()).toEqual(expect.arrayContaining(['decisions_20260702']));
  });
});

describe('the number of what was left out', () => {
  test('adds up over minutes and Runtimes, per outcome and project', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { projectId: other } = await makeProject(bench.ctx);
    const gap = { projectId, minute: 100, outcome: 'invalid_api_key', incarnation: 'a' } as const;
    const write = (...gaps: Parameters<typeof writeDecisions>[1]['gaps']) =>
      writeDecisions(bench.db, { decisions: [], gaps });
    await write({ ...gap, leftOut: 5 }, { ...gap, incarnation: 'b', leftOut: 10 });
    await write({ ...gap, leftOut: 7 }, { ...gap, minute: 101, leftOut: 100 });
    await write({ ...gap, leftOut: 6 }, { ...gap, minute: 102, leftOut: 1_000 });
    await write({ ...gap, projectId: other, leftOut: 9 });
    await write({ ...gap, outcome: 'allowed', leftOut: 500 });
    const read = (from: number, to: number) =>
      readDecisionGaps(bench.db, { projectId, from: new Date(from), to: new Date(to) });
    expect(await read(100.5 * MINUTE_MS, 102 * MINUTE_MS)).toEqual([
      { outcome: 'allowed', leftOut: 500, ...inMinutes(100) },
      { outcome: 'invalid_api_key', leftOut: 117, ...inMinutes(100, 101) },
    ]);
    expect(await read(101 * MINUTE_MS, 101 * MINUTE_MS + 1)).toEqual([
      { outcome: 'invalid_api_key', leftOut: 100, ...inMinutes(101) },
    ]);
    expect(await read(0, 100 * MINUTE_MS)).toEqual([]);
  });
});
