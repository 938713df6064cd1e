import { readFirstSteps } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { flush, makeProject, useBench } from '../support.ts';

const bench = useBench();

test('the first steps of a project are its first denied and its first allowed decision', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const other = await makeProject(bench.ctx);
  await flush(bench.db, other.projectId, [{ at: '2026-02-28T23:00:00Z', count: 1 }]);
  const read = () => readFirstSteps(bench.db, projectId);
  const none = { policy: false, key: false, called: false, allowed: false };
  expect(await read()).toEqual(none);
  const denied = { at: '2026-02-28T23:00:00Z', outcome: 'missing_api_key', count: 1 } as const;
  await flush(bench.db, projectId, [denied]);
  expect(await read()).toEqual({ ...none, called: true });
  await flush(bench.db, projectId, [denied, { at: '2026-03-01T00:00:00Z', count: 1 }]);
  expect(await read()).toEqual({ ...none, called: true, allowed: true });
});
