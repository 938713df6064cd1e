import type { Logger } from '@ceiba/process/log';
import {
  appliedMigrationTimes,
  type Database,
  DatabaseClient,
  type Fence,
  LOOKUP_OF_NO_PROJECT,
  pingDatabase,
  rehearseChange,
  rehearseDecision,
  renewRuntimeLease,
  whatToChange,
} from '@ceiba/schema';
import { BUILD, SCHEMA_TIME } from '../build-info.ts';
import { Deadline } from '../deadline.ts';
import type { Settings } from '../env.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { PROCESS_ID } from '../process-id.ts';
import { CHECK_BUDGET_MS, Rehearsal } from '../rehearsal.ts';
import { UnavailableError } from '../unavailable.ts';
import { Changes } from './changes.ts';
import { LookupLane } from './lane.ts';
import { FencingLease } from './lease.ts';
import { LOOKUP_LIMITS, Lookups } from './lookups.ts';
import { DatabasePool, type PoolOptions } from './pool.ts';

/** What the Runtime does in Postgres, by purpose: no purpose can take the connections of another. */
export interface RuntimeDatabase {
  readonly lookups: Lookups;
  readonly pools: ReturnType<typeof openPools>;
  /** Runs verbs that a decision waits for, within its budget for Postgres. */
  runForDecision<T>(work: (db: Database) => Promise<T>): Promise<T>;
  readonly changes: Changes;
  /** Those of `/ready`. */
  readonly checks: { database(): Promise<void>; schema(): Promise<void> };
  close(): Promise<void>;
}

/** Lookups in flight at once. With more lanes, each lookup would serve fewer decisions. */
const LOOKUP_LANES = 2;
/** Of the connections of the key routes, those that the changes of one project take. */
const CHANGES_PER_PROJECT = 4;
const CONNECTIONS = { decisions: 4, keyRoutes: 8, usage: 3, decisionLog: 1, checks: 1 };
/** One write of usage, in ms; no request waits for it. */
const USAGE_BUDGET_MS = 2_000;
/** One write of the decision log, in ms; no request waits for it. */
const DECISION_LOG_BUDGET_MS = 2_000;
/** One renewal of the lease, in ms. After it the lease tries the next host. */
const LEASE_BUDGET_MS = 1_000;

export function openDatabase(settings: Settings, metrics: Metrics, log: Logger): RuntimeDatabase {
  const { lease, closeLease } = openLease(settings, log);
  const pools = openPools(settings, lease, metrics);
  const { lanes, lookups } = openLookups(settings, lease, metrics, log);
  const lacksMigration = async () => {
    const times = await pools.checks.run(CHECK_BUDGET_MS, appliedMigrationTimes);
    return SCHEMA_TIME !== null && !times.includes(SCHEMA_TIME);
  };
  const rehearseUnlessOld = async () => {
    // What a database without them lacks is what `schema` is for.
    if (!(await lacksMigration())) await rehearse(lookups, pools, settings.KEY_ROUTE_DEADLINE_MS);
  };
  const rehearsal = new Rehearsal('database', rehearseUnlessOld, whatToChange);
  return {
    lookups,
    pools,
    changes: new Changes(pools.keyRoutes, CHANGES_PER_PROJECT),
    runForDecision: (work) => pools.decisions.run(settings.DECISION_DATABASE_BUDGET_MS, work),
    checks: {
      async database() {
        // The next decision needs a connection of the lookups, so a ping alone is not enough.
        if (!lookups.isUp) throw new UnavailableError('database', 'no connection for decisions');
        await pools.checks.run(CHECK_BUDGET_MS, pingDatabase);
        await rehearsal.check();
      },
      /** Fails only where the migration is known to be missing: an outage is what `database` is for. */
      async schema() {
        if (!(await lacksMigration().catch(() => false))) return;
        throw new UnavailableError('database', `lacks ${BUILD.schema}: run ceiba migrate`);
      },
    },
    async close() {
      await closeLease();
      await Promise.all(lanes.map((lane) => lane.close()));
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

/** Runs what a decision and a change run, over the connections that serve them. */
async function rehearse(
  lookups: Lookups,
  pools: RuntimeDatabase['pools'],
  changeBudgetMs: number,
): Promise<void> {
  await lookups.find(LOOKUP_OF_NO_PROJECT, new Deadline(CHECK_BUDGET_MS));
  await pools.decisions.run(CHECK_BUDGET_MS, rehearseDecision);
  // The budget of any change: a shorter one would drop the connections of those under way.
  await pools.keyRoutes.run(changeBudgetMs, (db) => rehearseChange(db, `ready${PROCESS_ID}`));
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
  const open = (
    purpose: keyof typeof CONNECTIONS,
    statementTimeoutMs: number,
    options: Pick<PoolOptions, 'isLateAlone'> = {},
  ) =>
    new DatabasePool({
      ...options,
      url: settings.DATABASE_URL,
      maxConnections: CONNECTIONS[purpose],
      applicationName: `ceiba-${purpose}`,
      statementTimeoutMs,
      fence,
      onError: (error) => metrics.databaseFailed(error),
    });
  return {
    decisions: open('decisions', settings.DECISION_DATABASE_BUDGET_MS),
    // One that waits for a lock, or had a slow body, must not end those of other projects.
    keyRoutes: open('keyRoutes', settings.KEY_ROUTE_DEADLINE_MS, { isLateAlone: true }),
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
