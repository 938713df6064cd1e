import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createDatabase, withConnection } from '@ceiba/devstack/databases';
import { freePort } from '@ceiba/devstack/ports';
import { migrate, startRuntime } from '@ceiba/devstack/programs';
import { loopback } from '@ceiba/devstack/settings';
import { mintApiKey } from '@ceiba/domain';
import { startCollector } from './collector.mjs';
import { measureOnce, WARM_UP_SECONDS } from './compare.mjs';
import { writeLines } from './lines.mjs';
import { sharesOf } from './profile/parts.mjs';
import { spreadOf } from './report/statistics.ts';
import { decisionsOf } from './runtime.mjs';
import { seedProject } from './seed.ts';

const KEYS = 1_000;
const CONNECTIONS = 64;
const WARM_UP = { connections: CONNECTIONS, seconds: WARM_UP_SECONDS };

const PROGRAM = fileURLToPath(new URL('../../apps/runtime/dist/main.js', import.meta.url));
const PROFILER = new URL('./profile/profiler.mjs', import.meta.url).href;

const ALLOWED = '"allowed":true';
const DENIED = '"allowed":false';
/** The caller's trace is not sampled. */
const UNSAMPLED = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` };

/**
 * Each with a Runtime of its own. `project` sets columns of the project, `plan` those of its plan.
 *
 * @type {{ name: string, marker: string, project?: object, plan?: object, unknownKeys?: boolean,
 *   headers?: Record<string, string>, tracesShare?: string }[]}
 */
const CASES = [
  { name: 'allowed, 1 % logged', marker: ALLOWED },
  { name: 'allowed, 100 % logged', marker: ALLOWED, project: { logged_allows_percent: 100 } },
  { name: 'unknown keys', marker: DENIED, unknownKeys: true },
  { name: 'rate limited', marker: DENIED, plan: { rate_limit_per_minute: 0 } },
  {
    name: 'allowed, traces on, none sampled',
    marker: ALLOWED,
    tracesShare: '1',
    headers: UNSAMPLED,
  },
  { name: 'allowed, traces on, 1 % sampled', marker: ALLOWED, tracesShare: '0.01' },
];

/**
 * Reports what a decision costs in each case and which part of it the log, the metrics and the traces
 * are. The rounds of a case follow each other, so that they include the writes of each minute.
 */
export async function measureOverhead({ supervisor, services, report }, options) {
  const collector = await startCollector();
  try {
    for (const each of CASES) {
      report(each.name, await measureCase({ supervisor, services, collector }, each, options));
    }
  } finally {
    await collector.close();
  }
}

async function measureCase({ supervisor, services, collector }, load, options) {
  const database = await createDatabase(services.databaseUrl, { prefix: 'ceiba_bench' });
  const own = { ...services, databaseUrl: database.url };
  try {
    await migrate(supervisor, own);
    const project = await seedProject(own.databaseUrl, KEYS);
    return await withConnection(own.databaseUrl, async (sql) => {
      if (load.project) await sql`update projects set ${sql(load.project)}`;
      if (load.plan) await sql`update plans set ${sql(load.plan)}`;
      const runtime = await startProfiled(supervisor, own, tracesTo(collector, load.tracesShare));
      const decisions = decisionsOf(runtime.url, project, project.projectId);
      const target = {
        ...decisions,
        ...writeLines(supervisor.dataDir, 'keys', load.unknownKeys ? unknownKeys() : project.keys),
        headers: { ...decisions.headers, ...load.headers },
        marker: load.marker,
      };
      await options.generator.putLoad(target, WARM_UP);
      const candidate = { pid: runtime.pid, target, connections: CONNECTIONS };
      const rounds = [];
      while (rounds.length < options.rounds) {
        const pids = { ...options.pids, log: await pidOfLogBackend(sql) };
        const round = await measureRound(runtime, candidate, { ...options, pids });
        // A busy machine may cost the log its connection, and the time of its process is lost then.
        if (!Number.isNaN(round['log, %'])) rounds.push(round);
      }
      await runtime.stop();
      return summaryOf(rounds);
    });
  } finally {
    await database.drop();
  }
}

const unknownKeys = () => Array.from({ length: KEYS }, () => mintApiKey(randomBytes).plaintext);

const tracesTo = (collector, share) =>
  share === undefined
    ? {}
    : {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: share,
      };

/** Starts a Runtime with the profiler. */
async function startProfiled(supervisor, services, variables) {
  const [port, runtimePort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const settings = { ...variables, NODE_OPTIONS: `--import=${PROFILER}?port=${port}` };
  const url = `http://${loopback}:${runtimePort}`;
  const metricsUrl = `http://${loopback}:${metricsPort}`;
  Object.assign(process.env, settings);
  const started = startRuntime(supervisor, services, { runtimeUrl: url, metricsUrl });
  for (const name of Object.keys(settings)) delete process.env[name];
  const { pid, stop } = await started;
  const profiler = (command) => fetch(`http://${loopback}:${port}/${command}`);
  return { url, metricsUrl, pid, stop, profiler };
}

/** One load, in whose middle Prometheus asks once. */
async function measureRound(runtime, candidate, { generator, pids, seconds }) {
  await runtime.profiler('start');
  const [{ cpuMicroseconds, perSecond, unexpected }] = await Promise.all([
    measureOnce(candidate, { generator, pids, seconds }),
    delay(seconds * 500).then(() => fetch(`${runtime.metricsUrl}/metrics`)),
  ]);
  const profile = await (await runtime.profiler('stop')).json();
  const shares = sharesOf(profile, readFileSync(PROGRAM, 'utf8'));
  const { server, postgres, redis, log } = cpuMicroseconds;
  const whole = server + postgres + redis;
  const percent = (microseconds) => (100 * microseconds) / whole;
  return {
    'a second': perSecond,
    Runtime: server,
    Postgres: postgres,
    Redis: redis,
    'log, %': percent(shares.log * server + log),
    'metrics, %': percent(shares.metrics * server),
    'traces, %': percent(shares.traces * server),
    'metrics and traces, %': percent((shares.metrics + shares.traces) * server),
    unexpected,
  };
}

/** The log writes over a connection of its own, which is replaced after an error. */
async function pidOfLogBackend(sql) {
  const [backend] = await sql`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'ceiba-decisionLog'`;
  if (backend === undefined) throw new Error('the decision log has no connection to Postgres');
  return backend.pid;
}

const summaryOf = (rounds) =>
  Object.fromEntries(
    Object.keys(rounds[0]).map((column) => [
      column,
      spreadOf(rounds.map((round) => round[column])),
    ]),
  );
