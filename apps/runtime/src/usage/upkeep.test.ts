import type { BackgroundTask } from '@ceiba/process/tasks';
import { afterEach, expect, test, vi } from 'vitest';
import { startUpkeep, type UpkeepStep } from './upkeep.ts';

const log = { info: vi.fn(), warn: vi.fn() };
let upkeep: BackgroundTask | undefined;
afterEach(() => {
  void upkeep?.stop();
  vi.clearAllMocks();
});

const start = (tasks: UpkeepStep[], intervalMs?: number) => {
  upkeep = startUpkeep({ tasks, log, ...(intervalMs === undefined ? {} : { intervalMs }) });
};

/** A task that is complete after `steps` steps and notes each of them. */
const taskOf = (name: string, steps: number, notes: string[]): UpkeepStep => {
  let taken = 0;
  return async () => {
    taken += 1;
    notes.push(`${name}${taken}`);
    return { isComplete: taken >= steps };
  };
};

test('completes each task before it begins the next one, at start', async () => {
  const notes: string[] = [];
  start([taskOf('a', 3, notes), taskOf('b', 1, notes)]);
  await vi.waitUntil(() => notes.length === 4);
  expect(notes).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('starts again after the interval', async () => {
  const notes: string[] = [];
  start([taskOf('a', 1, notes)], 20);
  await vi.waitUntil(() => notes.length >= 3);
});

test('logs a failed step once, and does not throw its error', async () => {
  let calls = 0;
  start([
    async () => {
      calls += 1;
      throw new Error('the database is down');
    },
  ]);
  await vi.waitUntil(() => log.warn.mock.calls.length > 0);
  expect(calls).toBe(1);
  expect(log.warn).toHaveBeenCalledTimes(1);
});

test('goes on with the next task after one that fails, and counts as failing', async () => {
  const notes: string[] = [];
  start([() => Promise.reject(new Error('too many rows')), taskOf('b', 2, notes)]);
  await vi.waitUntil(() => log.warn.mock.calls.length > 0);
  expect(notes).toEqual(['b1', 'b2']);
});

test('takes no further step after a stop, and logs nothing about the interrupted step', async () => {
  let steps = 0;
  const notes: string[] = [];
  let cut: (error: Error) => void = () => {};
  start([
    () => {
      steps += 1;
      return new Promise((_, reject) => {
        cut = reject;
      });
    },
    taskOf('b', 1, notes),
  ]);
  await vi.waitUntil(() => steps === 1);
  void upkeep?.stop();
  cut(new Error('CONNECTION_ENDED'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps).toBe(1);
  expect(notes).toEqual([]);
  expect(log.warn).not.toHaveBeenCalled();
});
