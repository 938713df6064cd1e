import { until } from '../../support/until.ts';
import { isRunning, workersStartedBy, workersThatListened } from '../../support/workers.ts';
import {
  type Account,
  allowedOf,
  askFor,
  exhaust,
  judgeWithUsage,
  openAccount,
  uncertainOf,
  untilFlushed,
} from '../support/account.ts';
import { askInLoops } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { PATIENT, type Stage, startNode } from '../support/stage.ts';

/** The replacement of a killed worker sweeps soon after its start. */
const ADOPTED_WITHIN_MS = 20_000;

/** The pause before a replacement doubles with every kill of the last minute, up to ten seconds. */
const REPLACED_WITHIN_MS = 20_000;

export interface WorkerLossFigures {
  kills: number;
  allowed: number;
  uncertain: number;
}

/**
 * Workers of one Runtime are killed under load. The others keep answering, each killed one is
 * replaced, and every allowed call is counted once.
 */
export async function proveWorkerLoss(
  stage: Stage,
  times: number,
  random: Random,
): Promise<WorkerLossFigures> {
  const figures = { kills: 0, allowed: 0, uncertain: 0 };
  const accounts: Account[] = [];
  const node = await startNode(stage, { settings: { ...PATIENT, RUNTIME_WORKERS: '2' } });
  try {
    // A worker that ends before all of them have listened ends the Runtime.
    await until('both workers listen', () => workersThatListened(node.runtime) === 2);
    for (; figures.kills < times; figures.kills += 1) {
      const account = await openAccount(stage, random.int(3_000, 4_000));
      account.history.losses.push({ words: 'a worker was killed', forgets: 0 });
      accounts.push(account);
      const started = workersStartedBy(node.runtime);
      const load = askInLoops(() => askFor(account, node), 16, 1);
      try {
        await until('the Runtime is under load', () => allowedOf(account) > 100);
        process.kill(random.pick(started.filter(isRunning)), 'SIGKILL');
        const allowedAtKill = allowedOf(account);
        await until('the others answer', () => allowedOf(account) > allowedAtKill + 20);
        const isReplaced = () => workersStartedBy(node.runtime).length > started.length;
        await until('the worker is replaced', isReplaced, REPLACED_WITHIN_MS);
      } finally {
        await load.stop();
      }
      await exhaust(account, [node]);
      await untilFlushed(stage, account, ADOPTED_WITHIN_MS);
      figures.allowed += allowedOf(account);
      figures.uncertain += uncertainOf(account);
    }
  } finally {
    await node.stop();
  }
  for (const account of accounts) await judgeWithUsage(stage, account, 'a killed worker');
  return figures;
}
