import { exportDecisions, writeDecisions } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { makeProject, useBench } from '../support.ts';
import { decisionAt } from './support.ts';

const bench = useBench();
const NOON = Date.parse('2026-11-20T12:00:00Z');

test('an export has every matching decision of the project once, newest first, in pages', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const elsewhere = await makeProject(bench.ctx);
  const made = Array.from({ length: 1_001 }, (_, index) =>
    decisionAt(projectId, new Date(NOON + index), { path: '/v1/reports' }),
  );
  const others = [
    decisionAt(elsewhere.projectId, new Date(NOON), { path: '/v1/reports' }),
    decisionAt(projectId, new Date(NOON), { path: '/v2' }),
  ];
  await writeDecisions(bench.db, { decisions: [...made, ...others], gaps: [] });
  const pages: string[][] = [];
  const filter = { pathPrefix: '/v1/' };
  const rows = exportDecisions((work) => work(bench.db), { projectId, filter });
  for await (const page of rows) pages.push(page.map(({ decisionId }) => decisionId));
  expect(pages.map((page) => page.length)).toEqual([1_000, 1]);
  expect(pages.flat()).toEqual(made.map(({ decisionId }) => decisionId).reverse());
});
