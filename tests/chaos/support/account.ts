import { until } from '../../support/redis.ts';
import type { TestProject } from '../../support/scenario.ts';
import { type Answer, type Caller, type Credentials, countOf } from './caller.ts';
import { type History, judge, openHistory, type ScopeLimits } from './history.ts';
import { askAtOnce } from './load.ts';
import type { Stage } from './stage.ts';
import { allowedIn, monthsOf, readUsage } from './usage.ts';
import { hold } from './violation.ts';

/** A project with a quota and one caller, and the history of what happened to it. */
export interface Account {
  readonly project: TestProject;
  readonly apiKeyId: string;
  readonly who: Credentials;
  readonly quota: number;
  readonly history: History;
  /** Every answer that the caller got, in the order in which they came. */
  readonly answers: readonly Answer[];
  /** The month that is being counted, where a proof steps the clock. */
  window: number;
}

export async function openAccount({ world }: Stage, quota: number): Promise<Account> {
  const project = await world.createProject({ plan: { monthlyQuota: quota } });
  const { apiKeyId, plaintext } = await project.createKey();
  const who = { projectId: project.projectId, secret: project.secret, apiKey: plaintext };
  const ofProject: ScopeLimits = { quota, ratePerMinute: null };
  const history = openHistory({ project: ofProject });
  return { project, apiKeyId, who, quota, history, answers: history.asks, window: 0 };
}

/** Asks once and writes it down. */
export async function askFor(account: Account, caller: Caller): Promise<Answer> {
  const { window, apiKeyId: key } = account;
  const answer = await caller.ask(account.who);
  account.history.asks.push({ ...answer, key, window });
  return answer;
}

/** Asks a number of times at once, the callers in turn. */
export function askTimes(account: Account, callers: readonly Caller[], times: number) {
  return askAtOnce(times, (index) => {
    const caller = callers[index % callers.length];
    if (caller === undefined) throw new Error('nobody to ask');
    return askFor(account, caller);
  });
}

const CALLS_AT_ONCE = 16;
const EXHAUST_WITHIN_MS = 30_000;

/** Asks until nothing but the end of the quota is left. */
export async function exhaust(account: Account, callers: readonly Caller[]): Promise<void> {
  await until(
    'the quota is used up',
    async () => {
      const answers = await askTimes(account, callers, CALLS_AT_ONCE);
      return countOf(answers, 'quota_exceeded') === answers.length;
    },
    EXHAUST_WITHIN_MS,
  );
}

export const admittedOf = ({ answers }: Account) => countOf(answers, 'allowed');

export const uncertainOf = ({ answers }: Account) =>
  countOf(answers, 'unavailable') + countOf(answers, 'no_answer');

/** Writes down what Postgres holds, and judges the whole history. */
export async function judgeWithUsage(
  { world }: Stage,
  account: Account,
  words: string,
): Promise<void> {
  const { history, project } = account;
  const usage = await readUsage(world, project.projectId);
  const outcomes = { allowed: allowedIn(usage) };
  const months = { [account.window]: monthsOf(usage) };
  history.usage.push({ atMs: performance.now(), outcomes, months });
  judge(history, words);
}

/** Waits until Postgres knows of every admission. @throws Violation where it takes too long */
export async function untilFlushed(
  { world }: Stage,
  account: Account,
  withinMs = 10_000,
): Promise<void> {
  const isFlushed = async () => {
    const usage = await readUsage(world, account.project.projectId);
    const admitted = admittedOf(account);
    return allowedIn(usage) >= admitted && monthsOf(usage) >= admitted;
  };
  await until('Postgres knows', isFlushed, withinMs).catch(() => {});
  hold('usage is what was admitted', await isFlushed(), () => {
    return `after ${withinMs} ms Postgres does not know of all ${admittedOf(account)} admissions`;
  });
}
