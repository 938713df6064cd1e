import {
  createDatabase,
  deleteProject,
  maintainDecisionLog,
  setRetention,
  writeDecisions,
} from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { holding, makeProject, useBench } from '../support.ts';
import { decisionAt } from './support.ts';

const bench = useBench();
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const nameOf = (at: Date) => `decisions_${at.toISOString().slice(0, 10).replaceAll('-', '')}`;

async function partitions(): Promise<string[]> {
  const rows = await bench.db.sql<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'decisions'::regclass order by 1`;
  return rows.map(({ name }) => name);
}

async function maintain(maxRows = 1_000): Promise<void> {
  for (let isComplete = false; !isComplete; ) {
    ({ isComplete } = await maintainDecisionLog(bench.db, { maxRows }));
  }
}

const rowsOf = async (projectId: string) => {
  const [row] = await bench.db.sql<{ count: number }[]>`
    select (select count(*) from decisions where project_id = ${projectId})::int +
      (select count(*) from decision_gaps where project_id = ${projectId})::int as count`;
  return row!.count;
};

const gapOn = (projectId: string, at: Date) => {
  const minute = Math.floor(at.getTime() / 60_000);
  return { projectId, minute, outcome: 'allowed', incarnation: 'i', leftOut: 1 } as const;
};

beforeEach(async () => {
  await setRetention(bench.ctx, { decisionDays: 7 });
  await maintain();
});

describe('the upkeep of the decision log', () => {
  test('makes the partitions of today and tomorrow, once', async () => {
    const expected = [nameOf(daysAgo(0)), nameOf(daysAgo(-1))];
    expect(await partitions()).toEqual(expect.arrayContaining(expected));
    const before = await partitions();
    await maintain();
    expect(await partitions()).toEqual(before);
  });

  test('drops the partitions of older days and keeps the others', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const days = [0, 1, 6, 7, 8, 9, 30].map(daysAgo);
    const decisions = days.map((at) => decisionAt(projectId, at));
    await writeDecisions(bench.db, { decisions, gaps: days.map((at) => gapOn(projectId, at)) });
    await maintain();
    const kept = days.slice(0, 4).map(nameOf);
    expect(await partitions()).toEqual([...kept, nameOf(daysAgo(-1))].sort());
    expect(await rowsOf(projectId)).toBe(8);
    await setRetention(bench.ctx, { decisionDays: 1 });
    await maintain();
    expect(await rowsOf(projectId)).toBe(4);
  });

  test('drops what a clock that was years ahead has made', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await bench.db.sql`create table decisions_29991231 partition of decisions
      for values from ('2999-12-31 00:00:00+00') to ('3000-01-01 00:00:00+00')`;
    const ahead = new Date('2999-12-31T12:00:00Z');
    await writeDecisions(bench.db, {
      decisions: [decisionAt(projectId, ahead), decisionAt(projectId, daysAgo(0))],
      gaps: [gapOn(projectId, ahead), gapOn(projectId, daysAgo(0))],
    });
    await maintain();
    expect(await partitions()).not.toContain('decisions_29991231');
    expect(await rowsOf(projectId)).toBe(2);
  });

  test('removes the rows of a deleted project in limited steps, and no others', async () => {
    const gone = await makeProject(bench.ctx);
    const { projectId: other } = await makeProject(bench.ctx);
    const decisions = [gone.projectId, other].flatMap((projectId) =>
      [0, 0, 0, 1, 1, 2, 2].map((days) => decisionAt(projectId, daysAgo(days))),
    );
    const gaps = [gone.projectId, other].map((projectId) => gapOn(projectId, daysAgo(0)));
    await writeDecisions(bench.db, { decisions, gaps });
    await deleteProject(bench.ctx, gone);
    expect(await maintainDecisionLog(bench.db, { maxRows: 3 })).toEqual({ isComplete: false });
    expect(await rowsOf(gone.projectId)).toBe(4);
    await maintain(3);
    expect(await rowsOf(gone.projectId)).toBe(0);
    expect(await rowsOf(other)).toBe(8);
  });

  test('gives up a lock that others hold, so that writers do not wait behind it', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await writeDecisions(bench.db, { decisions: [decisionAt(projectId, daysAgo(9))], gaps: [] });
    const release = await holding(bench.url, 'lock table decisions in access share mode');
    try {
      await expect(maintainDecisionLog(bench.db, { maxRows: 1 })).rejects.toThrow();
      await writeDecisions(bench.db, { decisions: [decisionAt(projectId, daysAgo(0))], gaps: [] });
    } finally {
      await release();
    }
    await maintain();
    expect(await partitions()).not.toContain(nameOf(daysAgo(9)));
  });

  test('is left to the Runtime that does it', async () => {
    const other = createDatabase(bench.url, { maxConnections: 1 });
    const release = await holding(bench.url, `select pg_advisory_xact_lock(${0x0ce1be})`);
    try {
      await writeDecisions(bench.db, {
        decisions: [decisionAt((await makeProject(bench.ctx)).projectId, daysAgo(9))],
        gaps: [],
      });
      expect(await maintainDecisionLog(other, { maxRows: 1 })).toEqual({ isComplete: true });
      expect(await partitions()).toContain(nameOf(daysAgo(9)));
    } finally {
      await release();
      await other.close();
    }
  });
});
