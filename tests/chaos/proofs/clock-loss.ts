import { type Account, askTimes, exhaust, openAccount, uncertainOf } from '../support/account.ts';
import { judge } from '../support/history.ts';
import type { PrivateStage } from '../support/private-stage.ts';
import type { Edit } from '../support/programs.ts';
import type { Random } from '../support/random.ts';
import { PATIENT, type Stage, startTwoNodes } from '../support/stage.ts';
import { allowedIn, readUsage } from '../support/usage.ts';
import { ANY_CLOCK_IS_SOUND, OFFSET_KEY, STEPPED_CLOCK } from './clock-offset.ts';
import { figuresOf, type LossFigures } from './loss.ts';

const WORDS = 'the clock is stepped back';
const SECOND = 1000;
const DAY = 86_400 * SECOND;

/**
 * The clock passes a month's end and is stepped back over it. The counts of the new month continue,
 * and neither month's quota is handed out again.
 *
 * @param edits additional edits of the Runtime
 */
export async function proveClockStep(
  stage: PrivateStage,
  times: number,
  random: Random,
  edits: readonly Edit[] = [],
): Promise<LossFigures> {
  const stepped = stage.withEdits([...STEPPED_CLOCK, ANY_CLOCK_IS_SOUND, ...edits]);
  const nodes = await startTwoNodes(stepped, { settings: PATIENT });
  const accounts: { account: Account; end: number }[] = [];
  try {
    for (let done = 0; done < times; done += 1) {
      const end = await endOfMonth(stage);
      const account = await openAccount(stage, random.int(20, 60));
      await setClock(stage, end - random.int(5, 50) * SECOND);
      await askTimes(account, nodes, random.int(1, account.quota - 1));
      await setClock(stage, end + random.int(1, 50) * SECOND);
      account.window = 1;
      await askTimes(account, nodes, random.int(1, account.quota - 1));
      account.history.losses.push({ words: WORDS, forgets: 0 });
      await setClock(stage, end - random.pick([5 * SECOND, 40 * SECOND, 2 * DAY, 40 * DAY]));
      await exhaust(account, nodes);
      await setClock(stage, end + 55 * SECOND);
      await askTimes(account, nodes, 8);
      judge(account.history, WORDS);
      accounts.push({ account, end });
    }
  } finally {
    await stage.redisAdmin.del(OFFSET_KEY);
    await Promise.all(nodes.map((node) => node.stop()));
    await stepped.close();
  }
  for (const entry of accounts) await judgeMonths(stage, entry);
  return figuresOf(accounts.map(({ account }) => account));
}

/** Usage has each allowed call in the month in which it was charged. */
async function judgeMonths(
  { world }: Stage,
  { account, end }: { account: Account; end: number },
): Promise<void> {
  const uncertain = uncertainOf(account);
  if (uncertain > 0) throw new Error(`${uncertain} answers are uncertain`);
  const usage = await readUsage(world, account.project.projectId);
  const date = new Date(end);
  const newMonth = date.getUTCFullYear() * 12 + date.getUTCMonth();
  const inWindows = Object.entries(usage.months).map(([month, count]) => [
    Number(month) - newMonth + 1,
    count,
  ]);
  const months = Object.fromEntries(inWindows);
  const outcomes = { allowed: allowedIn(usage) };
  account.history.usage.push({ atMs: performance.now(), outcomes, months });
  judge(account.history, WORDS);
}

async function nowOf({ redisAdmin }: PrivateStage): Promise<number> {
  const [seconds] = await redisAdmin.time();
  return Number(seconds) * SECOND;
}

/** The start of the next month, in ms since 1970. */
async function endOfMonth(stage: PrivateStage): Promise<number> {
  const now = new Date(await nowOf(stage));
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
}

async function setClock(stage: PrivateStage, toMs: number): Promise<void> {
  const offset = Math.round((toMs - (await nowOf(stage))) / SECOND);
  await stage.redisAdmin.set(OFFSET_KEY, offset);
}
