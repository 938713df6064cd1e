import { expect, it, vi } from 'vitest';
import { startDetecting } from './detection.ts';

it('a detector that fails holds up none of the others, and the log names each that fails', async () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const run = vi.fn(() => Promise.reject(new Error('refused')));
  const detecting = startDetecting({ run, log });
  await vi.waitUntil(() => log.warn.mock.calls.length === 9);
  expect(run).toHaveBeenCalledTimes(9);
  const lines = log.warn.mock.calls.map(([, words]) => words);
  expect(new Set(lines).size).toBe(9);
  expect(lines).toContain('detecting idle keys is failing');
  await detecting.stop();
});
