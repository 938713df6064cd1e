import { until } from '../../support/redis.ts';
import type { TestProject } from '../../support/scenario.ts';
import { type Answer, type Caller, type Credentials, countOf, tally } from './caller.ts';
import { askAtOnce } from './load.ts';
import type { Stage } from './stage.ts';
import { allowedIn, monthsOf, readUsage } from './usage.ts';
import { hold } from './violation.ts';

/** A project with a quota, and every answer that its one caller got: both sides of the books. */
export interface Account {
  readonly project: TestProject;
  readonly apiKeyId: string;
  readonly who: Credentials;
  readonly quota: number;
  readonly answers: Answer[];
}

export async function openAccount({ world }: Stage, quota: number): Promise<Account> {
  const project = await world.createProject({ plan: { monthlyQuota: quota } });
  const { apiKeyId, plaintext } = await project.createKey();
  const who = { projectId: project.projectId, secret: project.secret, apiKey: plaintext };
  return { project, apiKeyId, who, quota, answers: [] };
}

/** Asks once and keeps the answer. */
export async function askFor(account: Account, caller: Caller): Promise<Answer> {
  const answer = await caller.ask(account.who);
  account.answers.push(answer);
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

/** A 503, and a call that got no answer, may have been charged. */
export const uncertainOf = ({ answers }: Account) =>
  countOf(answers, 'unavailable') + countOf(answers, 'no_answer');

/**
 * After {@link exhaust}: the quota was handed out once.
 *
 * @param forgotten What the loss may have taken, by the words of the promise.
 */
export function holdQuota(account: Account, words: string, forgotten = 0): void {
  const admitted = admittedOf(account);
  const isOnce =
    admitted <= account.quota + forgotten && admitted + uncertainOf(account) >= account.quota;
  hold('a loss hands nothing out again', isOnce, () => {
    return `${words}: of a quota of ${account.quota} there were ${tally(account.answers)}`;
  });
}

/**
 * Usage in Postgres is what was admitted; what got no answer may be in it or not.
 *
 * @param forgotten What the loss may have taken, by the words of the promise.
 */
export async function holdUsage(
  { world }: Stage,
  account: Account,
  words: string,
  forgotten = 0,
): Promise<void> {
  const usage = await readUsage(world, account.project.projectId);
  const least = admittedOf(account) - forgotten;
  const most = admittedOf(account) + uncertainOf(account);
  const isWithin = (count: number) => count >= least && count <= most;
  hold(
    'usage is what was admitted',
    isWithin(allowedIn(usage)) && isWithin(monthsOf(usage)),
    () => {
      return `${words}: ${tally(account.answers)}, but usage is ${JSON.stringify(usage)}`;
    },
  );
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
