import {
  type Account,
  askTimes,
  exhaust,
  holdQuota,
  holdUsage,
  openAccount,
  untilFlushed,
} from '../support/account.ts';
import type { PrivateStage } from '../support/private-stage.ts';
import type { Random } from '../support/random.ts';
import { type Stage, startNode, startTwoNodes } from '../support/stage.ts';
import { figuresOf, type LossFigures, untilReady } from './loss.ts';

const WORDS = 'a Runtime slept';

/**
 * A Runtime is frozen with usage that it has not flushed, and wakes when Postgres has newer numbers
 * from another. What it then writes takes nothing away and adds nothing.
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
    const [sleeper, other] = await startTwoNodes(runtime, {});
    try {
      await askTimes(account, [sleeper], random.int(10, 30));
      sleeper.runtime.pause();
      await askTimes(account, [other], random.int(10, 30));
      await untilFlushed(stage, account);
      sleeper.runtime.resume();
      await untilReady([sleeper]);
    } finally {
      await other.stop();
      await sleeper.stop(); // after the newer numbers of the other
    }
    await holdUsage(stage, account, WORDS);
    const next = await startNode(runtime);
    try {
      await exhaust(account, [next]);
    } finally {
      await next.stop();
    }
    holdQuota(account, WORDS);
    await holdUsage(stage, account, WORDS);
    accounts.push(account);
  }
  return figuresOf(accounts);
}
