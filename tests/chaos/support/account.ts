import type { TestApiKey, TestProject } from '../../support/scenario.ts';
import { until } from '../../support/until.ts';
import { type Answer, type Caller, type Credentials, countOf } from './caller.ts';
import { type History, judge, openHistory, type ScopeLimits } from './history.ts';
import { askAtOnce } from './load.ts';
import type { Stage } from './stage.ts';
import { allowedIn, monthsOf, readUsage } from './usage.ts';
import { hold } from './violation.ts';

/** A project with a quota and one caller, and its history. */
export interface Account {
  readonly project: TestProject;
  /** The first key, and the caller's credentials with it. */
  readonly apiKeyId: string;
  readonly who: Credentials;
  /** The keys that the caller uses, one after the other. */
  readonly keys: readonly TestApiKey[];
  /** How many questions were asked. */
  asked: number;
  readonly quota: number;
  readonly history: History;
  /** Every answer that the caller got, in order of arrival. */
  readonly answers: readonly Answer[];
  /** The month in which questions are counted, from 0. A proof that moves the clock sets it. */
  window: number;
}

/**
 * All keys but the first belong to one customer, whose day is limited to half of the quota and whose month,
 * which is limited alike, begins on another day than the first.
 */
export async function openAccount({ world }: Stage, quota: number, keyCount = 1): Promise<Account> {
  const project = await world.createProject({ plan: { monthlyQuota: quota } });
  const first = await project.createKey();
  const keys = [first];
  const half = Math.floor(quota / 2);
  const limits = { dailyQuota: half, monthlyQuota: half, billingDay: 15 };
  const customer = keyCount > 1 ? await project.createCustomer(limits) : null;
  while (customer && keys.length < keyCount) {
    keys.push(await project.createKey({ customerId: customer.customerId }));
  }
  const who = credentialsOf(project, first);
  const ofProject: ScopeLimits = { quota, ratePerMinute: null };
  const ofCustomer: ScopeLimits = { quota: half, ratePerMinute: null };
  const history = openHistory({
    project: ofProject,
    ...(customer && {
      customers: { [customer.customerId]: ofCustomer },
      customerOf: Object.fromEntries(
        keys.slice(1).map(({ apiKeyId }) => [apiKeyId, customer.customerId]),
      ),
    }),
  });
  const { apiKeyId } = first;
  return {
    project,
    apiKeyId,
    who,
    keys,
    asked: 0,
    quota,
    history,
    answers: history.asks,
    window: 0,
  };
}

const credentialsOf = ({ projectId, secret }: TestProject, { plaintext }: TestApiKey) => {
  return { projectId, secret, apiKey: plaintext };
};

/** Asks once, with the next key, and records the answer in the history. */
export async function askFor(account: Account, caller: Caller): Promise<Answer> {
  const { project, keys, window } = account;
  const key = keys[account.asked % keys.length];
  if (key === undefined) throw new Error('an account needs a key');
  account.asked += 1;
  const answer = await caller.ask(credentialsOf(project, key));
  account.history.asks.push({ ...answer, key: key.apiKeyId, window });
  return answer;
}

/** Sends `times` questions concurrently, spread evenly over the callers. */
export function askTimes(account: Account, callers: readonly Caller[], times: number) {
  return askAtOnce(times, (index) => {
    const caller = callers[index % callers.length];
    if (caller === undefined) throw new Error('there is no caller');
    return askFor(account, caller);
  });
}

const CALLS_AT_ONCE = 16;
const EXHAUST_WITHIN_MS = 30_000;

/** Asks in batches until every answer of a batch is `quota_exceeded`. */
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

export const allowedOf = ({ answers }: Account) => countOf(answers, 'allowed');

export const uncertainOf = ({ answers }: Account) =>
  countOf(answers, 'unavailable') + countOf(answers, 'no_answer');

/** Adds the usage that Postgres has to the history, then judges the whole history. */
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

/** Waits until Postgres has every allowed call. @throws Violation if it takes too long */
export async function untilFlushed(
  { world }: Stage,
  account: Account,
  withinMs = 10_000,
): Promise<void> {
  const isFlushed = async () => {
    const usage = await readUsage(world, account.project.projectId);
    const allowed = allowedOf(account);
    return allowedIn(usage) >= allowed && monthsOf(usage) >= allowed;
  };
  await until('usage is flushed', isFlushed, withinMs).catch(() => {});
  hold('usage equals the allowed calls', await isFlushed(), () => {
    return `after ${withinMs} ms Postgres does not have all ${allowedOf(account)} allowed calls`;
  });
}
