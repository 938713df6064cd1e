import { readFirstSteps } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { flush, makeProject, useBench } from '../support.ts';

const bench = useBench();

test('the first steps of a project are its first denied and its first allowed decision', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const other = await makeProject(bench.ctx);
  await flush(bench.db, other.projectId, [{ at: '2026-02-28T23:00:00Z', count: 1 }]);
  const read = () => readFirstSteps(bench.db, projectId);
  const none = { policy: false, key: false, called: false, allowed: false, isNew: false };
  expect(await read()).toEqual(none);
  const denied = { at: '2026-02-28T23:00:00Z', outcome: 'missing_api_key', count: 1 } as const;
  await flush(bench.db, projectId, [denied]);
  expect(await read()).toEqual({ ...none, called: true });
  await flush(bench.db, projectId, [denied, { at: '2026-03-01T00:00:00Z', count: 1 }]);
  // Longer ago than a day.
  expect(await read()).toEqual({ ...none, called: true, allowed: true });
  const { projectId: fresh } = await makeProject(bench.ctx);
  await flush(bench.db, fresh, [{ at: new Date().toISOString(), count: 1 }]);
  expect(await readFirstSteps(bench.db, fresh)).toEqual({
    ...none,
    called: true,
    allowed: true,
    isNew: true,
  });
});
