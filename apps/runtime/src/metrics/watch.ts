import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { BUILD } from '../build-info.ts';

/** A repeated task; see `BackgroundTask`. */
interface Repeated {
  readonly lagMs: number;
}

/** What is read when Prometheus asks, and costs nothing until then. */
export interface Watched {
  admission: { readonly state: { requests: number; decisions: number; limit: number } };
  lookups: { readonly isUp: boolean };
  link: { readonly isUp: boolean };
  ledger: { readonly size: number };
  decisionLog: { readonly waiting: number; readonly leftOut: number };
  /** Absent where decisions are not exported. */
  exporter: { readonly waiting: number; readonly lost: number } | undefined;
  tasks: Record<(typeof TASKS)[number], Repeated>;
}

const TASKS = ['usage_flush', 'usage_sweep', 'decision_log', 'failure_counts', 'upkeep'] as const;

/** Registers what is read of the parts of a Runtime, and of its process. */
export function watch(registry: Registry, watched: Watched): void {
  const registers = [registry];
  const { admission, decisionLog, exporter, tasks } = watched;
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });

  new Gauge({
    name: 'ceiba_dependency_up',
    help: 'Whether decisions have a connection (1) or not (0); of several workers, whether all have one.',
    labelNames: ['dependency'],
    registers,
    aggregator: 'min',
    collect() {
      this.set({ dependency: 'database' }, Number(watched.lookups.isUp));
      this.set({ dependency: 'redis' }, Number(watched.link.isUp));
    },
  });
  gauge(
    'ceiba_requests_in_flight',
    'Requests for a decision that are being answered; a batch is one.',
    () => admission.state.requests,
  );
  gauge(
    'ceiba_decisions_in_flight',
    'Decisions that are being made.',
    () => admission.state.decisions,
  );
  new Gauge({
    name: 'ceiba_admission_limit',
    help: 'How many requests of the most limited project may be in flight: MAX_DECISIONS_IN_FLIGHT, or fewer under overload; of several workers, the lowest.',
    registers,
    aggregator: 'min',
    collect() {
      this.set(admission.state.limit);
    },
  });
  gauge(
    'ceiba_usage_waiting',
    'Numbers of usage that Postgres has not confirmed yet.',
    () => watched.ledger.size,
  );
  gauge(
    'ceiba_decision_log_waiting',
    'Records of the decision log that wait for Postgres.',
    () => decisionLog.waiting,
  );
  counter(
    'ceiba_decision_log_left_out_total',
    'Decisions that the log left out: above its cap, without room, or refused by Postgres.',
    () => decisionLog.leftOut,
  );
  gauge(
    'ceiba_decision_export_waiting',
    'Records that wait for the other engine of the decision log; 0 where none is set.',
    () => exporter?.waiting ?? 0,
  );
  counter(
    'ceiba_decision_export_lost_total',
    'Records that the other engine of the decision log did not take.',
    () => exporter?.lost ?? 0,
  );
  new Gauge({
    name: 'ceiba_task_lag_seconds',
    help: 'Time since the start of the last run of a repeated task that succeeded; of several workers, the longest.',
    labelNames: ['task'],
    registers,
    aggregator: 'max',
    collect() {
      for (const task of TASKS) this.set({ task }, tasks[task].lagMs / 1000);
    },
  });
  new Gauge({
    name: 'ceiba_build_info',
    help: 'Always 1; the labels are the commit and the newest migration of the build.',
    labelNames: ['sha', 'schema'],
    registers,
    aggregator: 'first',
  }).set(BUILD, 1);
  watchProcess(registry);
}

/** Gauges of prom-client whose names are those of counters, which promtool rejects. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** What Node and the system say of the process. */
export function watchProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  // An average would hide the one worker whose event loop is late.
  for (const metric of registry.getMetricsAsArray()) {
    if (metric.aggregator === 'average') metric.aggregator = 'max';
  }
}
