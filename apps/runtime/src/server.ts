import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Decision } from '@ceiba/contract';
import type { Charge } from '@ceiba/domain';
import type { Logger } from '@ceiba/process/log';
import { rehearseCharge, whatToChangeInRedis } from '@ceiba/process/redis';
import { SerialQueue } from '@ceiba/process/tasks';
import {
  applyRetention,
  compareUsage,
  listFurtherPolicies,
  listPoliciesWithRevision,
  maintainDecisionLog,
  readMonthTotals,
  recordDecisionFailures,
  recordFirstUse,
  recordFirstUses,
  recordUsage,
  removeDeadLeases,
  rollUpUsage,
  writeDecisions,
} from '@ceiba/schema';
import { FirstUses } from './database/first-uses.ts';
import { CHECK_BUDGET_MS, openDatabase } from './database/open.ts';
import { Admission } from './decision/admission.ts';
import { Entrance } from './decision/entrance.ts';
import { Pace } from './decision/pace.ts';
import { ProvenSecrets } from './decision/proven-secrets.ts';
import { DecisionLog } from './decision-log/decision-log.ts';
import { DecisionExporter } from './decision-log/exporter.ts';
import { FailureCounter } from './decision-log/failures.ts';
import { openOtlp } from './decision-log/otlp.ts';
import type { DecidedCall } from './decision-log/record.ts';
import type { Settings } from './env.ts';
import { ErrorLog } from './error-log.ts';
import { TransportError } from './errors.ts';
import { type ExtAuthz, openExtAuthz } from './ext-authz/server.ts';
import { createApp } from './http/app.ts';
import { createAuthorizeRoutes } from './http/authorize-routes.ts';
import { createDrain } from './http/drain.ts';
import { logged, readiness } from './http/health-routes.ts';
import { createHttpServer } from './http/listener.ts';
import { createChargeScript } from './limiter/charge-script.ts';
import { createLimiter } from './limiter/limiter.ts';
import { Metrics } from './metrics/metrics.ts';
import { watch } from './metrics/watch.ts';
import { newUuid } from './new-uuid.ts';
import { PolicyCache } from './policies/policy-cache.ts';
import { PolicyReads } from './policies/policy-reads.ts';
import { newId } from './process-id.ts';
import { RedisClock } from './redis/clock.ts';
import { EpochProbe } from './redis/epoch-probe.ts';
import { RedisLink } from './redis/link.ts';
import { Rehearsal } from './rehearsal.ts';
import { requestIdOf } from './request-id.ts';
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

/** One step of upkeep, in ms: longer than the server's timeout for its statements. */
const UPKEEP_BUDGET_MS = 30_000;
/** Small enough that a step takes a fraction of a second. */
const UPKEEP_STEP = { mostDays: 4, mostRows: 5_000 };
/**
 * Assembles the Runtime. The caller makes its server listen.
 *
 * @param traces absent where none are exported; closed with the Runtime
 */
export function createRuntime(settings: Settings, log: Logger, traces?: Traces): Runtime {
  const metrics = new Metrics();
  const database = openDatabase(settings, metrics, log);
  const { lookups, pools } = database;
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
  const chargeRehearsal = new Rehearsal(
    'redis',
    () => link.send(CHECK_BUDGET_MS, rehearseCharge),
    whatToChangeInRedis,
  );
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
    readMonthTotals: (items) =>
      pools.decisions.run(settings.DECISION_DATABASE_BUDGET_MS, (db) => readMonthTotals(db, items)),
  });
  const policyReads = new PolicyReads({
    first: (projectIds) =>
      pools.decisions.run(settings.DECISION_DATABASE_BUDGET_MS, (db) =>
        listPoliciesWithRevision(db, projectIds),
      ),
    further: (projectId, after) =>
      pools.decisions.run(settings.DECISION_DATABASE_BUDGET_MS, (db) =>
        listFurtherPolicies(db, { projectId, after }),
      ),
  });
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

  const checks = {
    ...database.checks,
    async redis() {
      await link.ping(CHECK_BUDGET_MS);
      const problem = epochProbe.problem ?? clock.problem;
      if (problem !== null) throw new UnavailableError('redis', problem);
      await chargeRehearsal.check();
    },
  };
  let isDraining = false;
  const errors = new ErrorLog(log, metrics);
  const admission = new Admission({
    maxDecisions: settings.MAX_DECISIONS_IN_FLIGHT,
    deadlineMs: settings.DECISION_DEADLINE_MS,
    now: performance.now.bind(performance),
    onAnswer: (tookMs) => metrics.answered(tookMs),
  });
  const proven = new ProvenSecrets({
    find: (item, deadline) => lookups.find(item, deadline),
    deadlineMs: settings.DECISION_DEADLINE_MS,
    now: performance.now.bind(performance),
  });
  const paceOf = (mostPerMs: number) =>
    new Pace({
      mostPerMs,
      deadlineMs: settings.DECISION_DEADLINE_MS,
      now: performance.now.bind(performance),
    });
  const entrance = new Entrance({
    proven,
    admission,
    errors,
    paces: { project: paceOf(4), unproven: paceOf(2) },
    countFailure(projectId, error) {
      if (!(error instanceof TransportError)) metrics.failed(error);
      if (projectId !== null) failures.count(projectId, error);
    },
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
    onBatch: (questions: number) => metrics.batchOf(questions),
    traces,
    deadlineMs: settings.DECISION_DEADLINE_MS,
    entrance,
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
      entrance,
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
  server.keepAliveTimeout = settings.KEEP_ALIVE_TIMEOUT;
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
      await database.close();
    },
  };
}
