import { until } from '../../support/until.ts';
import {
  type Account,
  askTimes,
  exhaust,
  judgeWithUsage,
  openAccount,
  untilFlushed,
} from '../support/account.ts';
import type { PrivateStage } from '../support/private-stage.ts';
import type { Random } from '../support/random.ts';
import { type Node, type Stage, startNode, startTwoNodes } from '../support/stage.ts';
import { figuresOf, type LossFigures, untilReady } from './loss.ts';

const WORDS = 'a Runtime slept';

/** Postgres ends an idle transaction after five seconds. */
const FLUSHED_WITHIN_MS = 20_000;

/**
 * A Runtime is frozen with unflushed usage, or in the middle of a flush, and wakes when Postgres has
 * newer numbers from another Runtime. It does not block the other one, and its late write neither
 * removes nor adds usage.
 */
export async function proveSleeper(
  stage: PrivateStage,
  times: number,
  random: Random,
  runtime: Stage = stage,
): Promise<LossFigures> {
  const accounts: Account[] = [];
  for (let done = 0; done < times; done += 1) {
    const account = await openAccount(stage, random.int(80, 160));
    account.history.losses.push({ words: WORDS, forgets: 0 });
    accounts.push(account);
    const [sleeper, other] = await startTwoNodes(runtime, {});
    try {
      await askTimes(account, [sleeper], random.int(10, 20));
      await (done % 2 === 0 ? sleeper.runtime.pause() : pauseMidway(stage, account, sleeper));
      await askTimes(account, [other], random.int(10, 20));
      await untilFlushed(stage, account, FLUSHED_WITHIN_MS);
      sleeper.runtime.resume();
      await untilReady([sleeper]);
    } finally {
      await other.stop();
      await sleeper.stop(); // after the newer numbers of the other Runtime
    }
    await judgeWithUsage(stage, account, WORDS);
    const next = await startNode(runtime);
    try {
      await exhaust(account, [next]);
    } finally {
      await next.stop();
    }
    await judgeWithUsage(stage, account, WORDS);
  }
  return figuresOf(accounts);
}

/** Blocks a flush between its statements, so that it sleeps with rows locked. */
async function pauseMidway(stage: Stage, account: Account, sleeper: Node): Promise<void> {
  await untilFlushed(stage, account);
  const { sql } = stage.world.db;
  const session = await sql.reserve();
  try {
    await session`begin`;
    await session`select 1 from usage_months
      where project_id = ${account.who.projectId} for update`;
    await askTimes(account, [sleeper], 5);
    await until('its flush waits for the lock', async () => {
      const waiting = await sql`
        select 1 from pg_stat_activity where datname = current_database()
          and application_name = 'ceiba-usage' and wait_event_type = 'Lock'`;
      return waiting.length > 0;
    });
    sleeper.runtime.pause();
  } finally {
    await session`rollback`;
    session.release();
  }
}
