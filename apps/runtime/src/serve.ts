import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@ceiba/process/log';
import { BUILD } from './build-info.ts';
import { DecisionExporter } from './decision-log/exporter.ts';
import type { Settings } from './env.ts';
import { openMetricsPort } from './metrics/port.ts';
import { answerForMetrics } from './metrics/worker-metrics.ts';
import { createRuntime, type Runtime } from './server.ts';
import { stopTimes } from './stop-times.ts';
import { openTraces } from './tracing/traces.ts';

/** How long it waits for Postgres and Redis before it listens all the same, in ms. */
const WAIT_MS_MAX = 2_000;
const READY_CHECK_MS = 20;

/** Runs the Runtime in this process until SIGTERM or SIGINT, or until it cannot listen. */
export async function serve(
  settings: Settings,
  log: Logger,
  { isWorker }: { isWorker: boolean },
): Promise<void> {
  const traces = settings.exportsTraces ? await openTraces(settings, log) : undefined;
  const now = performance.now.bind(performance);
  const decisionExporter = settings.exportsDecisions
    ? await DecisionExporter.open({ now, log }).catch((err: unknown) => {
        log.warn(
          { err },
          'the decision log is not exported: correct the OTEL_ settings and restart',
        );
        return undefined;
      })
    : undefined;
  const runtime = createRuntime(settings, log, { traces, decisionExporter });
  runtime.server.once('error', (error) => {
    log.fatal({ err: error, port: settings.RUNTIME_PORT }, 'cannot listen');
    process.exit(1);
  });
  let isStopping = false;
  /** Stops being ready, drains, flushes and exits with 0. */
  const stopThenExit = (signal: string) => {
    // A signal to the whole group, as Ctrl-C or systemd sends it, is followed by the primary's.
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'the Runtime stops');
    setTimeout(() => {
      log.error('the Runtime could not stop in time');
      process.exit(1);
    }, stopTimes(settings).maxMs).unref();
    runtime.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the Runtime stopped with an error');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => stopThenExit(signal));
  }
  const { registry } = runtime.metrics;
  if (isWorker) answerForMetrics(registry);
  else await openMetricsPortOrExit(settings, log, () => registry.metrics());
  if (isStopping) return;
  // Others may be serving already: this one must not take connections that it answers 503.
  await untilReady(runtime);
  if (isStopping) return;
  // First, because /ready stands for both ports.
  await runtime.openExtAuthz().catch((error: unknown) => {
    log.fatal({ err: error, port: settings.EXT_AUTHZ_PORT }, 'cannot listen for Envoy');
    process.exit(1);
  });
  if (isStopping) return;
  runtime.server.listen(settings.RUNTIME_PORT, settings.RUNTIME_HOST, () => {
    log.info({ address: runtime.server.address(), ...BUILD }, 'the Runtime listens');
  });
}

/** Opens the port of the metrics, in the only process of a Runtime or in the primary of its workers. */
export async function openMetricsPortOrExit(
  settings: Settings,
  log: Logger,
  read: () => Promise<string>,
): Promise<void> {
  try {
    await openMetricsPort(settings, log, read);
  } catch (error) {
    const { METRICS_HOST: host, METRICS_PORT: port } = settings;
    log.fatal({ err: error, host, port }, CANNOT_LISTEN_FOR_PROMETHEUS);
    process.exit(1);
  }
}

const CANNOT_LISTEN_FOR_PROMETHEUS =
  'cannot listen for Prometheus: set METRICS_PORT to a free port, or to off';

async function untilReady(runtime: Runtime): Promise<void> {
  const lastAt = performance.now() + WAIT_MS_MAX;
  while (!(await runtime.isReady()) && performance.now() < lastAt) await pause(READY_CHECK_MS);
}
