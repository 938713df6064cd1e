import { withConnection } from '@ceiba/devstack/databases';
import { Redis } from 'ioredis';
import { until } from '../../support/redis.ts';
import {
  type Account,
  admittedOf,
  exhaust,
  openAccount,
  untilFlushed,
} from '../support/account.ts';
import { type Answer, countOf, tally } from '../support/caller.ts';
import { judge } from '../support/history.ts';
import { type Node, PATIENT, type Stage, startNode } from '../support/stage.ts';
import type { Arrangement, StandbyStage } from '../support/standby-stage.ts';
import { hold } from '../support/violation.ts';

export interface StandbyFigures {
  rounds: number;
  /** Questions that were sent after a change that the standby does not know of. */
  questionsAfter: number;
  /** Of these, answered 503 rather than by the standby. */
  unavailable: number;
  /** What the quotas admitted, over all losses of Redis. */
  admitted: number;
}

/** Asked at once, this many projects make a Runtime open all of its connections for decisions. */
const CONNECTIONS_OF_A_RUNTIME = 6;
const QUOTA = 25;
const PLENTY = 1_000_000;
/** Each is one more chance that a connection ends up at the standby. */
const CUTS_A_ROUND = 6;
const LOSSES_A_ROUND = 2;
const FINDS_THE_PRIMARY_WITHIN_MS = 20_000;

/**
 * A Runtime may be connected to a standby that lags: by a list of hosts once the primary has
 * restarted, or by a balancer. A key that is revoked, a policy that is removed and a month that is
 * counted on the primary are not forgotten because the standby does not know of them; and the
 * Runtime finds the primary by itself.
 *
 * @param runtime What the Runtime is started from; default: the stage's own program.
 */
export async function proveStandbyIsNotAsked(
  stage: StandbyStage,
  arrangement: Arrangement,
  rounds: number,
  runtime: Stage = stage,
): Promise<StandbyFigures> {
  const figures = { rounds: 0, questionsAfter: 0, unavailable: 0, admitted: 0 };
  const start = () =>
    startNode(runtime, { databaseUrl: stage.urls[arrangement], settings: PATIENT });
  while (figures.rounds < rounds) {
    const accounts = await Promise.all(
      Array.from({ length: CONNECTIONS_OF_A_RUNTIME }, () => openAccount(stage, PLENTY)),
    );
    const answers = await changesHold(stage, arrangement, accounts, start);
    figures.questionsAfter += answers.length;
    figures.unavailable += countOf(answers, 'unavailable');
    figures.admitted += await quotaIsHandedOutOnce(stage, start);
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
    for (const { project } of withoutPolicy) await project.setPolicies([]);
    await world.db.sql`
      update api_keys set status = 'revoked' where project_id = ${revoked?.who.projectId ?? null}`;
    const answers: Answer[] = [];
    for (let cut = 0; cut < CUTS_A_ROUND; cut += 1) {
      await endConnections(stage);
      // A balancer gives the next connection to the other server then.
      if (cut % 2 === 1) await withConnection(stage.urls[arrangement], (sql) => sql`select 1`);
      answers.push(...(await askUntilDenied(node, accounts)));
    }
    return answers;
  } finally {
    await node.stop();
    await pair.resumeReplay();
  }
}

/** The Runtimes that follow have seen nothing of the month, and Redis has lost it. */
async function quotaIsHandedOutOnce(
  stage: StandbyStage,
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
    for (let loss = 1; loss <= LOSSES_A_ROUND; loss += 1) {
      const node = await start();
      try {
        await untilPoliciesAreRead(node, accounts);
        await endConnections(stage);
        await redisAdmin.flushall();
        await Promise.all(accounts.map((account) => exhaust(account, [node])));
        // What no store has yet is lost with Redis and the Runtime, standby or not.
        await Promise.all(accounts.map((account) => untilFlushed(stage, account)));
      } finally {
        await node.stop();
      }
      for (const account of accounts) {
        judge(account.history, `Redis was flushed ${loss} times beside a standby that lags`);
      }
    }
  } finally {
    redisAdmin.disconnect();
    await pair.resumeReplay();
  }
  return accounts.reduce((total, account) => total + admittedOf(account), 0);
}

/** Such questions cost nothing: the Runtime sees nothing of the month by them. */
async function untilPoliciesAreRead(node: Node, accounts: readonly Account[]): Promise<void> {
  const elsewhere = { path: '/v1/elsewhere' };
  await until('all policies are read', async () => {
    const answers = await Promise.all(accounts.map(({ who }) => node.ask(who, elsewhere)));
    return countOf(answers, 'policy_no_match') === accounts.length;
  });
}

/** Not one is admitted, and the Runtime finds the server that knows why not. */
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
  hold('a change holds from the next decision on', countOf(answers, 'allowed') === 0, () => {
    return `beside a standby that lags, what was revoked came to ${tally(answers)}`;
  });
  await found;
  return answers;
}

/** As a restart of the primary does: the driver goes on to the next host, a balancer as well. */
async function endConnections({ world }: StandbyStage): Promise<void> {
  await world.db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'ceiba-decisions'`;
}
