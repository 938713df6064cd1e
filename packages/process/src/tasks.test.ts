import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  BackgroundTask,
  type BackgroundTaskOptions,
  Batcher,
  SerialQueue,
  SharedCheck,
  singleFlight,
  tryEach,
} from './tasks.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a serial queue', () => {
  it('runs one piece of work at a time, in order, and goes on after an error', async () => {
    const queue = new SerialQueue();
    const events: string[] = [];
    const work = (name: string) => async () => {
      events.push(`${name} begins`);
      await nextTurn();
      events.push(`${name} ends`);
      if (name === 'a') throw new Error(name);
      return name;
    };
    const results = await Promise.allSettled([queue.run(work('a')), queue.run(work('b'))]);
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

it('work on one item after the other goes on after a failure, whose error is thrown at the end', async () => {
  const items: string[] = [];
  const work = async (item: string) => {
    items.push(item);
    if (item !== 'b') throw new Error(item);
  };
  await expect(tryEach(['a', 'b', 'c'], work)).rejects.toThrow('a');
  expect(items).toEqual(['a', 'b', 'c']);
});

describe('a batcher', () => {
  it('puts items that arrive during a batch into the next one', async () => {
    const batches: string[][] = [];
    const batcher = new Batcher(async (items: readonly string[]) => {
      batches.push([...items]);
      await nextTurn();
      return items.length;
    });
    const first = batcher.add('a');
    await Promise.resolve();
    const others = [batcher.add('b'), batcher.add('c', 'd')];
    expect(await Promise.all([first, ...others])).toEqual([1, 3, 3]);
    expect(batches).toEqual([['a'], ['b', 'c', 'd']]);
  });
});

describe('a background task', () => {
  const log = { info: vi.fn(), warn: vi.fn() };
  const tasks: BackgroundTask[] = [];
  const start = (options: Partial<BackgroundTaskOptions>) => {
    const given = { name: 'the task', run: async () => {}, pauseMs: () => 1_000, log, ...options };
    const task = new BackgroundTask(given);
    tasks.push(task);
    return task;
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.clearAllMocks();
    await Promise.all(tasks.splice(0).map((task) => task.stop()));
  });

  it('lags behind the start of its last run that succeeded', async () => {
    let fails = true;
    const run = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (fails) throw new Error('failed');
    };
    const task = start({ run });
    await vi.advanceTimersByTimeAsync(500);
    expect(task.lagMs).toBe(500);
    fails = false;
    // The next run begins at 1,100 ms and ends at 1,200 ms.
    await vi.advanceTimersByTimeAsync(699);
    expect(task.lagMs).toBe(1_199);
    await vi.advanceTimersByTimeAsync(1);
    expect(task.lagMs).toBe(100);
  });

  it('runs at once, and again after each pause, until it is stopped', async () => {
    const run = vi.fn(async () => {});
    const task = start({ run });
    await vi.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(run).toHaveBeenCalledTimes(3);
    await task.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(run).toHaveBeenCalledTimes(3);
  });

  it('does not run if it is stopped before its first run', async () => {
    const run = vi.fn(async () => {});
    await start({ run }).stop();
    expect(run).not.toHaveBeenCalled();
  });

  it('runs earlier when it is hurried, never later', async () => {
    const run = vi.fn(async () => {});
    const task = start({ run });
    await vi.advanceTimersByTimeAsync(0);
    task.hurry(2_000);
    task.hurry(100);
    await vi.advanceTimersByTimeAsync(100);
    expect(run).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(run).toHaveBeenCalledTimes(3);
  });

  it('logs once that it fails and once that it works again, and reports each to its pause', async () => {
    let isUp = false;
    const done: boolean[] = [];
    const run = async () => {
      if (!isUp) throw new Error('away');
    };
    start({ run, pauseMs: ({ isDone }) => 1_000 * Math.sign(done.push(isDone)) });
    await vi.advanceTimersByTimeAsync(2_000);
    isUp = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(log.warn.mock.calls).toEqual([[{ err: new Error('away') }, 'the task is failing']]);
    expect(log.info.mock.calls).toEqual([['the task works again']]);
    expect(done).toEqual([false, false, false, true, true]);
  });

  it('logs neither an error that is already reported nor one of a stopped run', async () => {
    const run = (signal: AbortSignal) =>
      new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    const task = start({ run });
    await vi.advanceTimersByTimeAsync(0);
    await task.stop();
    start({ run: () => Promise.reject(new Error('known')), isReported: () => true });
    await vi.advanceTimersByTimeAsync(0);
    expect(log.warn).not.toHaveBeenCalled();
  });

  it('runs a last time after a stop where something may wait, and logs what it left and why', async () => {
    let waiting = 3;
    const run = vi.fn(async () => {
      waiting -= 1;
      if (waiting === 0) throw new Error('away');
    });
    const task = start({ run, waiting: () => waiting });
    await vi.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(1);
    await task.stop();
    expect(run).toHaveBeenCalledTimes(2);
    expect(log.warn.mock.calls).toEqual([[{ left: 1 }, 'the task did not finish']]);
    await task.stop();
    const failure = { err: new Error('away'), left: 0 };
    expect(log.warn).toHaveBeenLastCalledWith(failure, 'the task did not finish');
  });

  it('never runs twice at the same time', async () => {
    let inFlight = 0;
    let most = 0;
    const task = start({
      run: async () => {
        most = Math.max(most, ++inFlight);
        await nextTurn();
        inFlight -= 1;
      },
    });
    await Promise.all([task.runNow(), task.runNow()]);
    expect(most).toBe(1);
  });
});

it('work in single flight runs once for all who ask meanwhile, and again for the next one', async () => {
  let runs = 0;
  const ask = singleFlight(async () => {
    runs += 1;
    await nextTurn();
    if (runs === 1) throw new Error('away');
    return runs;
  });
  const burst = await Promise.allSettled(Array.from({ length: 2_000 }, ask));
  expect(burst.map(({ status }) => status)).toEqual(burst.map(() => 'rejected'));
  expect(runs).toBe(1);
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2]);
});

describe('SharedCheck', () => {
  it('runs once per time, however many ask, and again sooner after a failure', async () => {
    let now = 0;
    let runs = 0;
    const check = new SharedCheck(
      async () => {
        runs += 1;
        if (runs === 1) throw new Error('not yet');
      },
      () => now,
    );
    const outcomeAt = async (ms: number) => {
      now = ms;
      const all = await Promise.allSettled(Array.from({ length: 100 }, () => check.run()));
      return { outcomes: [...new Set(all.map(({ status }) => status))], runs };
    };
    expect(await outcomeAt(0)).toEqual({ outcomes: ['rejected'], runs: 1 });
    expect(await outcomeAt(999)).toEqual({ outcomes: ['rejected'], runs: 1 });
    expect(await outcomeAt(1_000)).toEqual({ outcomes: ['fulfilled'], runs: 2 });
    expect(await outcomeAt(5_999)).toEqual({ outcomes: ['fulfilled'], runs: 2 });
    expect(await outcomeAt(6_000)).toEqual({ outcomes: ['fulfilled'], runs: 3 });
  });
});
