import 'server-only';
import { randomUUID } from 'node:crypto';
import { FairShare } from '@ceiba/process/fair-share';
import { SharedCheck, singleFlight } from '@ceiba/process/tasks';
import {
  type Database,
  DatabaseUnavailableError,
  pingDatabase,
  rehearseChange,
  rehearseDecision,
  UnsuitableDatabaseError,
  whatToChange,
} from '@ceiba/schema';
import { currentShare } from './current-share.ts';
import { log } from './log.ts';
import { Pool } from './pool.ts';

export { withSessionDatabase } from './session-database.ts';
export { DatabaseUnavailableError };

/** A call may run several statements at once. */
const POOL_SIZE = 14;
/** How many calls of one user run at once: a page makes about three. */
const CALLS_PER_USER = 3;
const BUDGET_MS = 3_000;
const READINESS_BUDGET_MS = 600;
const REHEARSAL_ID = `console${randomUUID().replaceAll('-', '')}`;
/** Less than proxies wait. */
const SLOW_BUDGET_MS = 25_000;
const SLOW_POOL_SIZE = 8;
/** One page of usage runs four statements at once. */
const SLOW_CALLS_PER_USER = 1;

/** A call waited for its user's share until its time was over; the database works. */
export class TooManyCallsError extends DatabaseUnavailableError {}

/** A pool of which each user has a share: a call over it waits for one of the same user's to end. */
class SharedPool extends Pool {
  readonly #shares: FairShare;

  constructor(maxConnections: number, budgetMs: number, callsPerUser: number) {
    super(maxConnections, budgetMs);
    this.#shares = new FairShare(
      callsPerUser,
      budgetMs,
      () => new TooManyCallsError('this user has too many calls under way'),
    );
  }

  /** The wait for a place is part of the budget. */
  override async run<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const endsAt = performance.now() + this.budgetMs;
    const leave = await this.#shares.enter(await currentShare());
    let underWay: Promise<unknown> = Promise.resolve();
    try {
      return await super.run((db) => {
        const answer = work(db);
        underWay = answer.catch(() => {});
        return answer;
      }, endsAt - performance.now());
    } finally {
      // A late call keeps its place until its statements are over.
      void underWay.then(leave);
    }
  }
}

const pool = new SharedPool(POOL_SIZE, BUDGET_MS, CALLS_PER_USER);
const slowPool = new SharedPool(SLOW_POOL_SIZE, SLOW_BUDGET_MS, SLOW_CALLS_PER_USER);
const readinessPool = new Pool(1, READINESS_BUDGET_MS);

/** Runs one or more verbs within one time budget; throws {@link DatabaseUnavailableError}. */
export function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  return pool.run(work);
}

/**
 * Like {@link withDatabase}, with much more time: for usage of days that are not added up yet, and for
 * searches of the logs and of all projects. It has its own connections, so that other pages do not wait for it.
 */
export function withSlowDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  return slowPool.run(work);
}

/**
 * Whether Postgres answers within 0.6 s. It has its own connection, so that a busy pool does not look
 * like an outage. Concurrent calls share one check.
 */
export const isDatabaseReady = singleFlight(() =>
  readinessPool.run(pingDatabase).then(
    () => true,
    () => false,
  ),
);

const rehearsal = new SharedCheck(async () => {
  let change: string | null = null;
  await readinessPool
    .run(async (db) => {
      try {
        await rehearseDecision(db);
        await rehearseChange(db, REHEARSAL_ID);
      } catch (error) {
        change = whatToChange(error);
        throw error;
      }
    })
    // The ping finds an outage, without waiting for the next rehearsal.
    .catch(() => {});
  if (change !== null) throw new UnsuitableDatabaseError(change);
});

let isUnsuitable = false;

/** Whether Postgres answers, and can do what pages read and change; the log says what to change. */
export async function isReady(): Promise<boolean> {
  if (!(await isDatabaseReady())) return false;
  const change = await rehearsal.run().then(() => null, whatToChange);
  if (change !== null && !isUnsuitable) log.warn({ change }, 'not ready');
  if (change === null && isUnsuitable) log.info('ready again');
  isUnsuitable = change !== null;
  return !isUnsuitable;
}

/**
 * For `catch`: `too_many` if other calls of its user took the time of this one, `too_slow` if the
 * database answers and only this work took too long; throws any other error unchanged.
 */
export async function unlessTooSlow(error: unknown): Promise<'too_slow' | 'too_many'> {
  if (error instanceof TooManyCallsError) return 'too_many';
  if (!(error instanceof DatabaseUnavailableError) || !(await isDatabaseReady())) throw error;
  return 'too_slow';
}
