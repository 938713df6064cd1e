import { EventEmitter } from 'node:events';
import { Counter, Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { watchProcess } from './watch.ts';
import { type MetricsWorker, WorkerMetrics } from './worker-metrics.ts';

const LATE = 'nodejs_eventloop_lag_p99_seconds';

/** A worker that has counted `calls`, and answers unless it hangs. */
class FakeWorker extends EventEmitter {
  readonly id: number;
  calls = 0;
  hangs = false;
  /** By how much its event loop is late. */
  lateSeconds = 0.01;
  readonly #registry = new Registry();

  constructor(id: number) {
    super();
    this.id = id;
    const worker = this;
    const registers = [this.#registry];
    new Counter({
      name: 'calls_total',
      help: 'Calls.',
      registers,
      collect() {
        this.reset();
        this.inc(worker.calls);
      },
    });
    new Gauge({ name: 'memory_bytes', help: 'Memory.', registers }).set(100);
    watchProcess(this.#registry);
  }

  isConnected = () => true;

  send(message: { metricsQuestion: number }): boolean {
    if (this.hangs) return true;
    void this.#registry.getMetricsAsJSON().then((metrics) => {
      for (const metric of metrics) {
        if (metric.name === LATE) metric.values = [{ labels: {}, value: this.lateSeconds }];
      }
      const answer = { metricsAnswer: message.metricsQuestion, metrics };
      this.emit('message', JSON.parse(JSON.stringify(answer)));
    });
    return true;
  }
}

function setUp() {
  const metrics = new WorkerMetrics(2, 50);
  const workers = [new FakeWorker(1), new FakeWorker(2)] as const;
  for (const worker of workers) metrics.add(worker as unknown as MetricsWorker);
  const read = async () => {
    const text = await metrics.read();
    const numberOf = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
    return {
      calls: numberOf('calls_total'),
      memory: numberOf('memory_bytes'),
      answering: numberOf('ceiba_workers_answering'),
      exits: numberOf('ceiba_worker_exits_total'),
    };
  };
  return { metrics, workers, read };
}

describe('the metrics of several workers', () => {
  it('are added up', async () => {
    const { workers, read } = setUp();
    workers[0].calls = 3;
    workers[1].calls = 4;
    expect(await read()).toEqual({ calls: 7, memory: 200, answering: 2, exits: 0 });
  });

  it('keep what an exited worker had counted, but not what it used', async () => {
    const { metrics, workers, read } = setUp();
    workers[0].calls = 3;
    await read();
    workers[0].emit('exit', 1, null);
    expect(await read()).toEqual({ calls: 3, memory: 100, answering: 1, exits: 1 });

    const replacement = new FakeWorker(3);
    replacement.calls = 2;
    metrics.add(replacement as unknown as MetricsWorker);
    expect(await read()).toEqual({ calls: 5, memory: 200, answering: 2, exits: 1 });
    replacement.emit('exit', 1, null);
    workers[1].emit('exit', 1, null);
    expect(await read()).toEqual({ calls: 5, memory: Number.NaN, answering: 0, exits: 3 });
  });

  it('count a worker that does not answer with its last answer', async () => {
    const { workers, read } = setUp();
    workers[0].calls = 3;
    await read();
    workers[0].hangs = true;
    workers[0].calls = 9;
    expect(await read()).toEqual({ calls: 3, memory: 200, answering: 1, exits: 0 });
  });

  it('have the start of the primary once, not that of a worker', async () => {
    const { metrics } = setUp();
    const text = await metrics.read();
    const starts = text.match(/^process_start_time_seconds (.+)$/gm) ?? [];
    expect(starts).toHaveLength(1);
    const startedAt = Number(starts[0]?.split(' ')[1]);
    expect(startedAt).toBeCloseTo(Date.now() / 1000 - process.uptime(), 0);
  });

  it('show the event loop that is most late', async () => {
    const { metrics, workers } = setUp();
    workers[0].lateSeconds = 0.7;
    expect(await metrics.read()).toContain(`\n${LATE} 0.7\n`);
  });

  it('ignore every other message of a worker', async () => {
    const { workers, read } = setUp();
    for (const message of [null, 'text', { cmd: 'NODE_HANDLE' }, { metricsAnswer: 99 }]) {
      workers[0].emit('message', message);
    }
    expect(await read()).toMatchObject({ calls: 0, answering: 2 });
  });
});
