import { expect, it, vi } from 'vitest';
import { startDetecting } from './detection.ts';

it('a detector that fails holds up none of the others', async () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const run = vi.fn(() => Promise.reject(new Error('refused')));
  const detecting = startDetecting({ run, log });
  await vi.waitUntil(() => log.warn.mock.calls.length === 3);
  expect(run).toHaveBeenCalledTimes(9);
  await detecting.stop();
});
