import { windowOfPeriod } from '@ceiba/domain';
import { readDayUse, recordUsage } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { makeProject, useBench } from '../support.ts';

const bench = useBench();

test('the use of a day is that of the project today, over all incarnations', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const { projectId: other } = await makeProject(bench.ctx);
  expect(await readDayUse(bench.db, projectId)).toMatchObject({ used: 0 });
  const day = windowOfPeriod(0);
  const today = day.numberAt(Date.now());
  const scope = 'project@0';
  await recordUsage(bench.db, {
    days: [
      { projectId, day: today, scope, incarnation: 'one', count: 5 },
      { projectId, day: today, scope, incarnation: 'two', count: 2 },
      { projectId, day: today - 1, scope, incarnation: 'one', count: 100 },
      { projectId: other, day: today, scope, incarnation: 'one', count: 100 },
    ],
  });
  expect(await readDayUse(bench.db, projectId)).toEqual({
    used: 7,
    dayEnd: new Date(day.startOf(today + 1)),
  });
});
