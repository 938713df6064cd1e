import { EventEmitter } from 'node:events';
import { createLogger } from '@ceiba/process/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type WorkerProcess, Workers } from './workers.ts';

/** A worker that reports what the primary does to it. */
class FakeWorker extends EventEmitter {
  readonly signals: string[] = [];
  readonly process = {
    pid: 1 as number | undefined,
    kill: (signal: string) => this.signals.push(signal) > 0,
  };

  constructor(readonly id: number) {
    super();
  }

  /** Exits with a code, or by a signal. */
  exit(how: number | string) {
    if (typeof how === 'number') this.emit('exit', how, null);
    else this.emit('exit', null, how);
  }
}

function start(count: number, earlierPort?: number) {
  const forked: FakeWorker[] = [];
  const memory = { isFull: false };
  const exit = vi.fn();
  const workers = new Workers({
    count,
    earlierPort,
    fork: () => {
      if (memory.isFull) throw new Error('ENOMEM');
      const worker = new FakeWorker(forked.length + 1);
      forked.push(worker);
      return worker as unknown as WorkerProcess;
    },
    exit,
    maxStopMs: 9_500,
    now: () => performance.now(),
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  const listen = (port = 4_000) => {
    for (const worker of forked) worker.emit('listening', { port });
  };
  const worker = (id: number) => forked[id - 1] ?? new FakeWorker(0);
  return { workers, forked, memory, worker, exit, listen };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the primary', () => {
  it('exits where a worker exits that listened for Envoy alone', () => {
    const { worker, exit, listen } = start(2, 9_000);
    listen(9_000);
    worker(1).exit(1);
    worker(2).exit('SIGTERM');
    expect(exit).toHaveBeenCalledExactlyOnceWith(1);
  });

  it('keeps running while the system has no memory for a replacement, and starts it later', () => {
    const { forked, memory, worker, exit, listen } = start(2, 9_000);
    listen();
    memory.isFull = true;
    worker(1).exit('SIGKILL');
    vi.advanceTimersByTime(100);
    expect(forked).toHaveLength(2);
    memory.isFull = false;
    vi.advanceTimersByTime(200);
    expect(forked).toHaveLength(3);
    expect(exit).not.toHaveBeenCalled();
  });

  it('replaces a worker that exits, after pauses that double up to ten seconds', () => {
    const { forked, worker, listen } = start(2);
    listen();
    for (const pauseMs of [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      const before = forked.length;
      worker(before).exit('SIGKILL');
      vi.advanceTimersByTime(pauseMs - 1);
      expect(forked).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(forked).toHaveLength(before + 1);
    }
  });

  it('tries again if the system cannot create a replacement, and keeps a worker after an error', () => {
    const { forked, worker, listen } = start(2);
    listen();
    worker(1).exit('SIGKILL');
    vi.advanceTimersByTime(100);
    worker(3).process.pid = undefined;
    worker(3).emit('error', new Error('spawn EAGAIN'));
    worker(2).emit('error', new Error('a message could not be sent'));
    vi.advanceTimersByTime(60_000);
    expect(forked).toHaveLength(4);
  });

  it('forgets an exit after a minute', () => {
    const { forked, worker, listen } = start(2);
    listen();
    worker(1).exit(1);
    vi.advanceTimersByTime(60_000);
    worker(2).exit(1);
    vi.advanceTimersByTime(100);
    expect(forked).toHaveLength(4);
  });

  it('stops everything and exits 1 if a worker exits before all have listened', () => {
    const { worker, forked, exit } = start(3);
    worker(1).emit('listening', { port: 4_000 });
    worker(2).exit(1);
    expect([worker(1).signals, worker(3).signals]).toEqual([['SIGTERM'], ['SIGTERM']]);
    expect(exit).not.toHaveBeenCalled();
    worker(1).exit(0);
    worker(3).exit('SIGTERM');
    expect(exit.mock.calls).toEqual([[1]]);
    vi.advanceTimersByTime(60_000);
    expect(forked).toHaveLength(3);
  });

  it('stops each worker once and exits 0 when all of them have exited with 0', () => {
    const { workers, worker, exit, listen } = start(2);
    listen();
    workers.stop('SIGINT');
    workers.stop('SIGTERM');
    worker(1).exit(0);
    expect(exit).not.toHaveBeenCalled();
    worker(2).exit(0);
    expect(exit.mock.calls).toEqual([[0]]);
    expect([worker(1).signals, worker(2).signals]).toEqual([['SIGTERM'], ['SIGTERM']]);
  });

  it.each(['SIGTERM', 'SIGINT'])(
    'exits 0 after a stop in which %s ends a starting worker',
    (how) => {
      const { workers, worker, exit } = start(1);
      workers.stop('SIGINT');
      worker(1).exit(how);
      expect(exit.mock.calls).toEqual([[0]]);
    },
  );

  it.each([1, 'SIGKILL'])('exits 1 after a stop in which a worker ends with %s', (how) => {
    const { workers, worker, exit, listen } = start(2);
    listen();
    workers.stop('SIGTERM');
    worker(1).exit(how);
    worker(2).exit(0);
    expect(exit.mock.calls).toEqual([[1]]);
  });

  it('starts no replacement after a stop', () => {
    const { workers, worker, forked, exit, listen } = start(2);
    listen();
    worker(1).exit('SIGKILL');
    workers.stop('SIGTERM');
    worker(2).exit(0);
    vi.advanceTimersByTime(60_000);
    expect(forked).toHaveLength(2);
    expect(exit.mock.calls).toEqual([[0]]);
  });

  it('kills workers that have not stopped in time', () => {
    const { workers, worker, exit, listen } = start(2);
    listen();
    workers.stop('SIGTERM');
    worker(1).exit(0);
    vi.advanceTimersByTime(9_500);
    expect([worker(1).signals, worker(2).signals]).toEqual([['SIGTERM'], ['SIGTERM', 'SIGKILL']]);
    worker(2).exit('SIGKILL');
    expect(exit.mock.calls).toEqual([[1]]);
  });
});
