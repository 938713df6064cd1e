import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Logger } from '@ceiba/process/log';
import { SerialQueue, singleFlight } from '@ceiba/process/tasks';
import { openDatabase } from './database/open.ts';
import { openDecisions } from './decision/open.ts';
import type { DecisionExporter } from './decision-log/exporter.ts';
import { openDecisionLog } from './decision-log/open.ts';
import type { Settings } from './env.ts';
import { ErrorLog } from './error-log.ts';
import { type ExtAuthz, openExtAuthz } from './ext-authz/server.ts';
import { createApp } from './http/app.ts';
import { createAuthorizeRoutes } from './http/authorize-routes.ts';
import { createDrain } from './http/drain.ts';
import { logged, readiness } from './http/health-routes.ts';
import { LargeBodies } from './http/large-bodies.ts';
import { createHttpServer } from './http/listener.ts';
import { Metrics } from './metrics/metrics.ts';
import { watch } from './metrics/watch.ts';
import { openRedis } from './redis/open.ts';
import { stopTimes } from './stop-times.ts';
import type { Traces } from './tracing/traces.ts';
import { openUsage } from './usage/open.ts';

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

/** Other engines that get what the Runtime does; absent where none are set. */
export interface Engines {
  readonly traces?: Traces | undefined;
  readonly decisionExporter?: DecisionExporter | undefined;
}

/**
 * Assembles the Runtime. The caller makes its server listen.
 *
 * @param engines where it exports to; closed with the Runtime
 */
export function createRuntime(settings: Settings, log: Logger, engines: Engines = {}): Runtime {
  const { traces, decisionExporter } = engines;
  const metrics = new Metrics();
  const errors = new ErrorLog(log, metrics);
  const database = openDatabase(settings, metrics, log);
  const redis = openRedis(settings, metrics, log);
  const usage = openUsage(database.pools.usage, redis, log);
  const decisionLog = openDecisionLog(decisionExporter, database.pools.decisionLog, log);
  const around = { settings, database, redis, usage, decisionLog, metrics, errors, log };
  const decisions = openDecisions(around);
  if (settings.METRICS_PORT !== 'off') {
    watch(metrics.registry, {
      admission: decisions.admission,
      lookups: database.lookups,
      link: redis.link,
      ledger: usage.ledger,
      decisionLog: decisionLog.decisionLog,
      exporter: decisionExporter,
      tasks: { ...usage.tasks, ...decisionLog.tasks },
    });
  }

  let isDraining = false;
  // Anyone may ask whether it is ready: many at once cost one check.
  const checks = {
    database: singleFlight(database.checks.database),
    redis: singleFlight(redis.check),
    schema: singleFlight(database.checks.schema),
  };
  const calls = { ...decisions, errors, traces, deadlineMs: settings.DECISION_DEADLINE_MS };
  const authorizeRoutes = createAuthorizeRoutes(calls);
  const app = createApp({
    authorizeRoutes,
    projects: {
      entrance: decisions.entrance,
      findProject: async (projectId, deadline) =>
        (await database.lookups.find({ projectId, apiKeyDigest: null }, deadline)).project,
      usage: usage.denials,
      read: (deadline, work) => database.pools.keyRoutes.run(deadline.remainingMs(), work),
      change: (projectId, deadline, work) => database.changes.run(projectId, deadline, work),
      pageReads: new SerialQueue(),
      largeBodies: new LargeBodies(),
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
      extAuthz = await openExtAuthz({ host, port }, { ...calls, maxDecisions });
      log.info({ host, port }, 'the Runtime listens for Envoy');
    },
    isReady: async () => (await readiness(checks, isDraining)).ok,
    async stop() {
      isDraining = true;
      usage.stopUpkeep();
      const times = stopTimes(settings);
      await Promise.all([drain(times), extAuthz?.stop(times)]);
      await Promise.all([usage.stop(), decisionLog.stop(), traces?.stop()]);
      redis.close();
      await database.close();
    },
  };
}
