import { withConnection } from '@ceiba/devstack/databases';
import { Redis } from 'ioredis';
import { until } from '../../support/until.ts';
import { type Account, allowedOf, exhaust, openAccount, untilFlushed } from '../support/account.ts';
import { type Answer, countOf, tally } from '../support/caller.ts';
import { judge } from '../support/history.ts';
import { type Node, PATIENT, type Stage, startNode } from '../support/stage.ts';
import type { Arrangement, StandbyStage } from '../support/standby-stage.ts';
import { hold } from '../support/violation.ts';

export interface StandbyFigures {
  rounds: number;
  /** Questions after a change that the standby has not replayed. */
  questionsAfter: number;
  /** Those of them that were answered 503. */
  unavailable: number;
  /** Calls that the quotas allowed, over all losses of Redis. */
  allowed: number;
}

/** Concurrent questions about this many projects make a Runtime open all its connections for decisions. */
const CONNECTIONS_OF_A_RUNTIME = 6;
const QUOTA = 25;
const PLENTY = 1_000_000;
const ELSEWHERE = { method: 'GET', pathPattern: '/v1/elsewhere' };
/** Each cut is another chance that a connection leads to the standby. */
const CUTS_A_ROUND = 6;
const LOSSES_A_ROUND = 2;
/** More than a balancer needs until a connection for a statement leads to the standby. */
const CHANCES_MAX = 40;
const FINDS_THE_PRIMARY_WITHIN_MS = 20_000;

/**
 * A Runtime may connect to a standby that lags: through a list of hosts after the primary has
 * restarted, or through a balancer. A revoked key, a removed policy and the month's count on the
 * primary still apply, although the standby has not replayed them; and the Runtime finds the primary.
 *
 * @param runtime the program of the Runtime; the stage's own by default
 */
export async function proveStandbyIsNotAsked(
  stage: StandbyStage,
  arrangement: Arrangement,
  rounds: number,
  runtime: Stage = stage,
): Promise<StandbyFigures> {
  const figures = { rounds: 0, questionsAfter: 0, unavailable: 0, allowed: 0 };
  const start = () =>
    startNode(runtime, { databaseUrl: stage.urls[arrangement], settings: PATIENT });
  while (figures.rounds < rounds) {
    const accounts = await Promise.all(
      Array.from({ length: CONNECTIONS_OF_A_RUNTIME }, () => openAccount(stage, PLENTY)),
    );
    const answers = await changesHold(stage, arrangement, accounts, start);
    figures.questionsAfter += answers.length;
    figures.unavailable += countOf(answers, 'unavailable');
    figures.allowed += await quotaIsHandedOutOnce(stage, arrangement, start);
    figures.rounds += 1;
  }
  return figures;
}

async function changesHold(
  stage: StandbyStage,
  arrangement: Arrangement,
  accounts: readonly Account[],
  start: () => Promise<Node>,
): Promise<Answer[]> {
  const { pair, world } = stage;
  const node = await start();
  try {
    await until('all are allowed', async () => {
      const answers = await Promise.all(accounts.map(({ who }) => node.ask(who)));
      return countOf(answers, 'allowed') === accounts.length;
    });
    await pair.caughtUp();
    await pair.pauseReplay();
    const [revoked, ...withoutPolicy] = accounts;
    await world.db.sql`
      update api_keys set status = 'revoked' where project_id = ${revoked?.who.projectId ?? null}`;
    const answers: Answer[] = [];
    const isTried = await readsByStandby(stage, arrangement, 'policies');
    for (let cut = 0; cut < CUTS_A_ROUND || !(await isTried()); cut += 1) {
      if (cut === CHANCES_MAX) throw new Error('no policies were read on the standby');
      // A list that has changed is read again, by whatever connection is next.
      const rules = cut % 2 === 0 ? [] : [ELSEWHERE];
      for (const { project } of withoutPolicy) await project.setPolicies(rules);
      await endConnections(stage);
      // Makes a balancer send the next connection to the other server.
      if (cut % 2 === 1) await withConnection(stage.urls[arrangement], (sql) => sql`select 1`);
      answers.push(...(await askUntilDenied(node, accounts)));
    }
    return answers;
  } finally {
    await node.stop();
    await pair.resumeReplay();
  }
}

/** Each Runtime starts without seen counts, and Redis has lost the month. */
async function quotaIsHandedOutOnce(
  stage: StandbyStage,
  arrangement: Arrangement,
  start: () => Promise<Node>,
): Promise<number> {
  const { pair, redis } = stage;
  const accounts = await Promise.all(
    Array.from({ length: CONNECTIONS_OF_A_RUNTIME }, () => openAccount(stage, QUOTA)),
  );
  for (const { history } of accounts) history.losses.push({ words: 'Redis flushed', forgets: 0 });
  await pair.caughtUp();
  await pair.pauseReplay();
  const redisAdmin = new Redis(redis.url);
  try {
    let isTried = async () => false;
    for (let loss = 1; loss <= LOSSES_A_ROUND || !(await isTried()); loss += 1) {
      if (loss === CHANCES_MAX) throw new Error('no totals were read on the standby');
      const node = await start();
      try {
        await untilPoliciesAreRead(node, accounts);
        await endConnections(stage);
        await redisAdmin.flushall();
        await Promise.all(accounts.map((account) => exhaust(account, [node])));
        // Unflushed usage is lost with Redis and the Runtime, with or without a standby.
        await Promise.all(accounts.map((account) => untilFlushed(stage, account)));
      } finally {
        await node.stop();
      }
      for (const account of accounts) {
        judge(account.history, `Redis was flushed ${loss} times with a standby that lags`);
      }
      // Before the first loss nothing was used, of which the standby knows as much as the primary.
      if (loss === 1) isTried = await readsByStandby(stage, arrangement, 'usage_months');
    }
  } finally {
    redisAdmin.disconnect();
    await pair.resumeReplay();
  }
  return accounts.reduce((total, account) => total + allowedOf(account), 0);
}

/** Denied questions cost nothing, so the Runtime sees no counts of the month. */
async function untilPoliciesAreRead(node: Node, accounts: readonly Account[]): Promise<void> {
  const elsewhere = { path: ELSEWHERE.pathPattern };
  await until('all policies are read', async () => {
    const answers = await Promise.all(accounts.map(({ who }) => node.ask(who, elsewhere)));
    return countOf(answers, 'policy_no_match') === accounts.length;
  });
}

/** No question is allowed, and the Runtime finds the primary, which has the changes. */
async function askUntilDenied(node: Node, accounts: readonly Account[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  const isSettled = async () => {
    const latest = await Promise.all(accounts.map(({ who }) => node.ask(who)));
    answers.push(...latest);
    if (countOf(latest, 'allowed') > 0) return true;
    return (
      countOf(latest, 'revoked_api_key') === 1 &&
      countOf(latest, 'policy_no_match') === latest.length - 1
    );
  };
  const found = until('the Runtime finds the primary', isSettled, FINDS_THE_PRIMARY_WITHIN_MS);
  await found.catch(() => {});
  hold('a change applies from the next decision on', countOf(answers, 'allowed') === 0, () => {
    return `with a standby that lags, revoked keys and removed policies got ${tally(answers)}`;
  });
  await found;
  return answers;
}

/**
 * Whether the standby has read a table since this call, without which a round proves nothing. Behind a
 * list of hosts a connection leads to the standby only where the primary refused it, so there a round
 * does not wait for it. The standby counts a read once its connection has ended.
 */
async function readsByStandby(
  { pair, databaseUrl }: StandbyStage,
  arrangement: Arrangement,
  table: string,
): Promise<() => Promise<boolean>> {
  if (arrangement === 'a list of both hosts') return async () => true;
  const url = new URL(pair.standby.url);
  url.pathname = new URL(databaseUrl).pathname;
  const count = () =>
    withConnection(url.toString(), async (sql) => {
      const [row] = await sql<{ reads: string }[]>`
        select seq_scan + coalesce(idx_scan, 0) as reads
        from pg_stat_user_tables where relname = ${table}`;
      return BigInt(row?.reads ?? 0);
    });
  const before = await count();
  return async () => (await count()) > before;
}

/** Ends connections as a restart of the primary does: the driver or balancer tries the next host. */
async function endConnections({ world }: StandbyStage): Promise<void> {
  await world.db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'ceiba-decisions'`;
}
