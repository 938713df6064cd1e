import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Decision } from '@ceiba/contract';
import type { Charge } from '@ceiba/domain';
import type { Logger } from '@ceiba/process/log';
import { SerialQueue } from '@ceiba/process/tasks';
import {
  appliedMigrationTimes,
  applyRetention,
  compareUsage,
  DatabaseClient,
  type Fence,
  listPoliciesWithRevision,
  maintainDecisionLog,
  pingDatabase,
  readMonthTotals,
  recordDecisionFailures,
  recordFirstUse,
  recordFirstUses,
  recordUsage,
  removeDeadLeases,
  renewRuntimeLease,
  rollUpUsage,
  writeDecisions,
} from '@ceiba/schema';
import { BUILD, SCHEMA_TIME } from './build-info.ts';
import { FirstUses } from './database/first-uses.ts';
import { LookupLane } from './database/lane.ts';
import { FencingLease } from './database/lease.ts';
import { LOOKUP_LIMITS, Lookups } from './database/lookups.ts';
import { DatabasePool } from './database/pool.ts';
import { DecisionLog } from './decision-log/decision-log.ts';
import { DecisionExporter } from './decision-log/exporter.ts';
import { FailureCounter } from './decision-log/failures.ts';
import { openOtlp } from './decision-log/otlp.ts';
import type { DecidedCall } from './decision-log/record.ts';
import type { Settings } from './env.ts';
import { type ExtAuthz, openExtAuthz } from './ext-authz/server.ts';
import { Admission } from './http/admission.ts';
import { createApp } from './http/app.ts';
import { createAuthorizeRoutes } from './http/authorize-routes.ts';
import { createDrain } from './http/drain.ts';
import { TransportError } from './http/errors.ts';
import { logged, readiness } from './http/health-routes.ts';
import { createHttpServer } from './http/listener.ts';
import { Pace } from './http/pace.ts';
import { ErrorLog } from './http/replies.ts';
import { requestIdOf } from './http/request-id.ts';
import { createChargeScript } from './limiter/charge-script.ts';
import { createLimiter } from './limiter/limiter.ts';
import { Metrics } from './metrics/metrics.ts';
import { watch } from './metrics/watch.ts';
import { newUuid } from './new-uuid.ts';
import { PolicyCache } from './policies/policy-cache.ts';
import { PolicyReads } from './policies/policy-reads.ts';
import { newId, PROCESS_ID } from './process-id.ts';
import { RedisClock } from './redis/clock.ts';
import { EpochProbe } from './redis/epoch-probe.ts';
import { RedisLink } from './redis/link.ts';
import type { Traces } from './tracing/traces.ts';
import { UnavailableError } from './unavailable.ts';
import { DenialCounter } from './usage/denials.ts';
import { UsageFlusher } from './usage/flusher.ts';
import { UsageLedger } from './usage/ledger.ts';
import type { RecordUsage } from './usage/record.ts';
import { createTrimScript, UsageSweep } from './usage/sweep.ts';
import { Upkeep } from './usage/upkeep.ts';

export interface Runtime {
  readonly server: Server;
  readonly metrics: Metrics;
  /** Listens for Envoy too, where a port is set. @throws Error when it cannot */
  openExtAuthz(): Promise<void>;
  /** Whether Postgres and Redis answered just now. */
  isReady(): Promise<boolean>;
  /** Accepts no more requests, answers those under way, flushes usage and closes all connections. */
  stop(): Promise<void>;
}

/** Lookups in flight at once. With more lanes, each lookup would serve fewer decisions. */
const LOOKUP_LANES = 2;
/** Connections by purpose, so that no purpose can take those of another. */
const CONNECTIONS = { decisions: 4, keyRoutes: 8, usage: 3, decisionLog: 1, checks: 1 };
/** One write of usage, in ms; no request waits for it. */
const USAGE_BUDGET_MS = 2_000;
/** One write of the decision log, in ms; no request waits for it. */
const DECISION_LOG_BUDGET_MS = 2_000;
/** One step of upkeep, in ms: longer than the server's timeout for its statements. */
const UPKEEP_BUDGET_MS = 30_000;
/** Small enough that a step takes a fraction of a second. */
const UPKEEP_STEP = { mostDays: 4, mostRows: 5_000 };
const CHECK_BUDGET_MS = 700;
/** One renewal of the lease, in ms. After it the lease tries the next host. */
const LEASE_BUDGET_MS = 1_000;

/**
 * Assembles the Runtime. The caller makes its server listen.
 *
 * @param traces absent where none are exported; closed with the Runtime
 */
export function createRuntime(settings: Settings, log: Logger, traces?: Traces): Runtime {
  const metrics = new Metrics();
  const { lease, closeLease } = openLease(settings, log);
  const pools = openPools(settings, lease, metrics);
  const { lanes, lookups } = openLookups(settings, lease, metrics, log);
  const clock = new RedisClock(performance.now.bind(performance), Date.now);
  const link = new RedisLink({
    url: settings.REDIS_URL,
    cluster: settings.REDIS_CLUSTER,
    sentinelPassword: settings.REDIS_SENTINEL_PASSWORD,
    clock,
    log,
    random: Math.random,
    now: performance.now.bind(performance),
    onError: (error) => metrics.redisFailed(error),
  });
  const epochProbe = new EpochProbe({
    url: settings.REDIS_URL,
    cluster: settings.REDIS_CLUSTER,
    log,
  });
  const ledger = new UsageLedger();
  const denials = new DenialCounter({ ledger, newId, wallClockMs: Date.now });
  const writeUsage: RecordUsage = (batch, budgetMs) =>
    pools.usage.run(budgetMs, (db) => recordUsage(db, batch));
  const flusher = new UsageFlusher({ ledger, recordUsage: writeUsage, log });
  const sweep = new UsageSweep({
    link,
    clock,
    trimScript: createTrimScript(),
    compareUsage: (batch, budgetMs) => pools.usage.run(budgetMs, (db) => compareUsage(db, batch)),
    recordUsage: writeUsage,
    log,
  });
  const upkeep = new Upkeep({
    tasks: [
      () => pools.usage.run(UPKEEP_BUDGET_MS, (db) => applyRetention(db, UPKEEP_STEP)),
      () => pools.usage.run(UPKEEP_BUDGET_MS, (db) => rollUpUsage(db, UPKEEP_STEP)),
      () => pools.usage.run(UPKEEP_BUDGET_MS, removeDeadLeases),
      // Last, because it fails where a table is locked for long.
      () => pools.usage.run(UPKEEP_BUDGET_MS, (db) => maintainDecisionLog(db, UPKEEP_STEP)),
    ],
    log,
  });
  const exporter = settings.exportsDecisions
    ? new DecisionExporter({
        open: openOtlp,
        now: performance.now.bind(performance),
        log,
      })
    : undefined;
  const decisionLog = new DecisionLog({
    exporter,
    write: (batch, budgetMs) => pools.decisionLog.run(budgetMs, (db) => writeDecisions(db, batch)),
    incarnation: newId(),
    random: Math.random,
    wallClockMs: Date.now,
    now: performance.now.bind(performance),
    log,
  });
  const failures = new FailureCounter({
    write: (rows, budgetMs) =>
      pools.decisionLog.run(budgetMs, (db) => recordDecisionFailures(db, rows)),
    incarnation: newId(),
    wallClockMs: Date.now,
    log,
  });
  const limiter = createLimiter({
    link,
    clock,
    script: createChargeScript(),
    ledger,
    newId,
    problem: () => epochProbe.problem,
    onMemoryFull: () => sweep.sweepSoon(),
    redisBudgetMs: settings.DECISION_REDIS_BUDGET_MS,
    roundTrips: metrics.charge,
    readMonthTotals: (items, deadline) =>
      pools.decisions.run(deadline.remainingMs(), (db) => readMonthTotals(db, items)),
  });
  const policyReads = new PolicyReads((projectIds) =>
    pools.decisions.run(settings.DECISION_DATABASE_BUDGET_MS, (db) =>
      listPoliciesWithRevision(db, projectIds),
    ),
  );
  const policies = new PolicyCache((projectId) =>
    metrics.loadingPolicies(policyReads.of(projectId)),
  );

  const firstUses = new FirstUses({
    writeAtOnce: (apiKeyIds) =>
      pools.decisions.run(settings.DECISION_DATABASE_BUDGET_MS, (db) =>
        recordFirstUses(db, apiKeyIds),
      ),
    writeOne: (apiKeyId) =>
      pools.decisions.run(settings.DECISION_DATABASE_BUDGET_MS, (db) =>
        recordFirstUse(db, apiKeyId),
      ),
  });

  const checks = checksOf({ lookups, pools, link, epochProbe, clock });
  let isDraining = false;
  const errors = new ErrorLog(log, metrics);
  const admission = new Admission({
    maxDecisions: settings.MAX_DECISIONS_IN_FLIGHT,
    deadlineMs: settings.DECISION_DEADLINE_MS,
    now: performance.now.bind(performance),
    onAnswer: (tookMs) => metrics.answered(tookMs),
  });
  const decisions = {
    dependencies: {
      lookups,
      policies,
      limiter,
      usage: denials,
      decisionLog: {
        add(call: DecidedCall, decision: Decision, charge?: Charge) {
          metrics.decided(decision);
          decisionLog.add(call, decision, charge);
        },
      },
      firstUses,
      newDecisionId: newUuid,
      log,
    },
    errors,
    failures: {
      count(projectId: string, error: unknown) {
        if (!(error instanceof TransportError)) metrics.failed(error);
        failures.count(projectId, error);
      },
    },
    onBatch: (questions: number) => metrics.batchOf(questions),
    traces,
    deadlineMs: settings.DECISION_DEADLINE_MS,
    admission,
    pace: new Pace({
      deadlineMs: settings.DECISION_DEADLINE_MS,
      now: performance.now.bind(performance),
    }),
  };
  const watched = {
    admission,
    lookups,
    link,
    ledger,
    decisionLog,
    exporter,
    tasks: {
      usage_flush: flusher,
      usage_sweep: sweep,
      decision_log: decisionLog,
      failure_counts: failures,
      upkeep,
    },
  };
  if (settings.METRICS_PORT !== 'off') watch(metrics.registry, watched);
  const authorizeRoutes = createAuthorizeRoutes(decisions);
  const app = createApp({
    authorizeRoutes,
    projects: {
      findProject: async (projectId, deadline) =>
        (await lookups.find({ projectId, apiKeyDigest: null }, deadline)).project,
      run: (deadline, work) => pools.keyRoutes.run(deadline.remainingMs(), work),
      pageReads: new SerialQueue(),
      random: randomBytes,
      errors,
      log,
      deadlineMs: settings.KEY_ROUTE_DEADLINE_MS,
    },
    checks: {
      database: logged('database', checks.database, log),
      redis: logged('redis', checks.redis, log),
      schema: logged('database', checks.schema, log),
    },
    isDraining: () => isDraining,
    errors,
  });

  const server = createHttpServer(app, authorizeRoutes, errors);
  const drain = createDrain(server);
  let extAuthz: ExtAuthz | undefined;
  return {
    server,
    metrics,
    async openExtAuthz() {
      const { EXT_AUTHZ_HOST: host, EXT_AUTHZ_PORT: port } = settings;
      if (port === undefined) return;
      const maxDecisions = settings.MAX_DECISIONS_IN_FLIGHT;
      extAuthz = await openExtAuthz({ host, port }, { ...decisions, requestIdOf, maxDecisions });
      log.info({ host, port }, 'the Runtime listens for Envoy');
    },
    isReady: async () => (await readiness(checks, isDraining)).ok,
    async stop() {
      isDraining = true;
      upkeep.stop();
      const delayMs = settings.SHUTDOWN_DELAY_MS;
      await Promise.all([drain(delayMs), extAuthz?.stop(delayMs)]);
      await sweep.stop();
      const logStopped = Promise.all([
        decisionLog.stop(),
        failures.stop(),
        exporter?.stop(),
        traces?.stop(),
      ]);
      await flusher.stop();
      await logStopped;
      epochProbe.close();
      link.close();
      await closeLease();
      await Promise.all(lanes.map((lane) => lane.close()));
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

interface Checked {
  lookups: Lookups;
  pools: ReturnType<typeof openPools>;
  link: RedisLink;
  epochProbe: EpochProbe;
  clock: RedisClock;
}

/** The checks of `/ready`. */
function checksOf({ lookups, pools, link, epochProbe, clock }: Checked) {
  const database = async () => {
    // The next decision needs a connection of the lookups, so a ping alone is not enough.
    if (!lookups.isUp) throw new UnavailableError('database', 'no connection for decisions');
    await pools.checks.run(CHECK_BUDGET_MS, pingDatabase);
  };
  /** Fails only where the migration is known to be missing: an outage is what `database` is for. */
  const schema = async () => {
    const times = await pools.checks.run(CHECK_BUDGET_MS, appliedMigrationTimes).catch(() => null);
    if (times === null || SCHEMA_TIME === null || times.includes(SCHEMA_TIME)) return;
    throw new UnavailableError('database', `lacks ${BUILD.schema}: run ceiba migrate`);
  };
  const redis = async () => {
    await link.ping(CHECK_BUDGET_MS);
    const problem = epochProbe.problem ?? clock.problem;
    if (problem !== null) throw new UnavailableError('redis', problem);
  };
  return { database, redis, schema };
}

/** On its own connection, so that no other work delays a renewal. */
function openLease(settings: Settings, log: Logger) {
  let isWarned = false;
  const client = new DatabaseClient(settings.DATABASE_URL, {
    maxConnections: 1,
    applicationName: 'ceiba-lease',
    // Longer than the budget: a commit may wait for the standby while it holds the row's lock.
    statementTimeoutMs: 5 * LEASE_BUDGET_MS,
    onNotice: () => {
      isWarned = true;
    },
  });
  const lease = new FencingLease({
    leaseMs: settings.DATABASE_LEASE_MS,
    renew: async ({ always }) => {
      isWarned = false;
      const renewal = await client.run(LEASE_BUDGET_MS, (db) =>
        renewRuntimeLease(db, { id: PROCESS_ID, always }),
      );
      return isWarned ? null : renewal;
    },
    now: performance.now.bind(performance),
    log,
  });
  lease.start();
  const closeLease = async () => {
    await lease.stop();
    await client.close();
  };
  return { lease, closeLease };
}

function openPools(settings: Settings, fence: Fence, metrics: Metrics) {
  const open = (purpose: keyof typeof CONNECTIONS, statementTimeoutMs: number) =>
    new DatabasePool({
      url: settings.DATABASE_URL,
      maxConnections: CONNECTIONS[purpose],
      applicationName: `ceiba-${purpose}`,
      statementTimeoutMs,
      fence,
      onError: (error) => metrics.databaseFailed(error),
    });
  return {
    decisions: open('decisions', settings.DECISION_DATABASE_BUDGET_MS),
    keyRoutes: open('keyRoutes', settings.KEY_ROUTE_DEADLINE_MS),
    usage: open('usage', USAGE_BUDGET_MS),
    decisionLog: open('decisionLog', DECISION_LOG_BUDGET_MS),
    checks: open('checks', CHECK_BUDGET_MS),
  };
}

/** An idle lane makes the lookups send the next batch. */
function openLookups(
  settings: Settings,
  fence: Fence,
  metrics: Metrics,
  log: Logger,
): { lanes: LookupLane[]; lookups: Lookups } {
  const openLane = () =>
    new LookupLane({
      url: settings.DATABASE_URL,
      fence,
      budgetMs: settings.DECISION_DATABASE_BUDGET_MS,
      random: Math.random,
      onStateChange: (state, error) => {
        if (state === 'up') log.info('connected to Postgres for decisions');
        else log.warn({ err: error }, 'Postgres is unavailable for decisions');
      },
      onError: (error) => metrics.databaseFailed(error),
      onIdle: () => lookups.schedule(),
    });
  const lanes = Array.from({ length: LOOKUP_LANES }, openLane);
  const lookups = new Lookups(lanes, LOOKUP_LIMITS, metrics.lookup);
  return { lanes, lookups };
}
