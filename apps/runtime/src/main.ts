import cluster from 'node:cluster';
import { createLogger } from '@ceiba/process/log';
import { readSettings } from './env.ts';
import { WorkerMetrics } from './metrics/worker-metrics.ts';
import { openMetricsPortOrExit, serve } from './serve.ts';
import { stopTimes } from './stop-times.ts';
import { Workers } from './workers.ts';

const settings = readSettingsOrExit();
const log = createLogger({ service: 'ceiba-runtime', level: settings.LOG_LEVEL });
process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));

if (cluster.worker) {
  await serve(settings, log.child({ worker: cluster.worker.id }), { isWorker: true });
} else if (settings.RUNTIME_WORKERS === 1) {
  await serve(settings, log, { isWorker: false });
} else await superviseWorkers(settings.RUNTIME_WORKERS);

function readSettingsOrExit() {
  try {
    return readSettings();
  } catch (error) {
    process.stderr.write(
      `The Runtime cannot start. ${error instanceof Error ? error.message : error}\n`,
    );
    process.exit(2);
  }
}

/** This process only starts, replaces and stops workers; each of them is a whole Runtime. */
async function superviseWorkers(count: number): Promise<void> {
  const metrics = new WorkerMetrics(count);
  await openMetricsPortOrExit(settings, log, () => metrics.read());
  // Each worker accepts connections itself. Where the primary hands them out, those that it has not
  // handed out yet are lost when the Runtime stops.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const workers = new Workers({
    count,
    earlierPort: settings.EXT_AUTHZ_PORT,
    fork() {
      const worker = cluster.fork();
      metrics.add(worker);
      return worker;
    },
    exit: (code) => process.exit(code),
    // More than a worker allows itself, so that its own error is the one in the log.
    maxStopMs: stopTimes(settings).maxMs + 500,
    now: performance.now.bind(performance),
    log,
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => workers.stop(signal));
  }
}
