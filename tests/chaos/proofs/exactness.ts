import { Redis } from 'ioredis';
import type { TestApiKey, TestProject } from '../../support/scenario.ts';
import { type Answer, type Caller, countOf } from '../support/caller.ts';
import { type History, judge, openHistory, type ScopeLimits } from '../support/history.ts';
import { inBatches, sharedIn } from '../support/in-batches.ts';
import { askAtOnce } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { PATIENT, type Stage, startTwoNodes } from '../support/stage.ts';
import { monthsOf, readUsage } from '../support/usage.ts';

const CALLS_AT_ONCE = 200;
const PROJECTS = 2;
const CUSTOMERS = 2;
const KEYS_OF_CUSTOMERS = 10;
/** A limit so high that the remaining count shows the number of charges. */
const RAISED = 1_000_000;
/** How many rounds a minute's edge may invalidate before the proof fails. */
const REPEATED_MAX = 20;

/** What one project of a round allows, and who calls. */
interface Boundary {
  project: TestProject;
  history: History;
  /** The key of each call, in order. */
  calls: TestApiKey[];
  /** Calls that are allowed one by one before the boundary is tried. */
  before: number;
}

export interface ExactnessFigures {
  rounds: number;
  calls: number;
  allowed: number;
  /** Calls that shared a batch. */
  shared: number;
  repeatedAtMinuteEdge: number;
}

/**
 * 200 calls at once to each of two projects, through two Runtimes, alone and in batches, at a boundary
 * of both rate and quota: exactly as many are allowed as the smaller limit leaves, and the denied
 * calls cost nothing.
 */
export async function proveExactness(
  stage: Stage,
  rounds: number,
  random: Random,
  settings: Record<string, string> = {},
): Promise<ExactnessFigures> {
  const nodes = await startTwoNodes(stage, { settings: { ...PATIENT, ...settings } });
  const callers = nodes.map((node) => inBatches(node, random));
  const redis = new Redis(stage.redisUrl);
  const figures = { rounds: 0, calls: 0, allowed: 0, shared: 0, repeatedAtMinuteEdge: 0 };
  const proven: Boundary[] = [];
  try {
    while (figures.rounds < rounds) {
      const round: Boundary[] = [];
      while (round.length < PROJECTS) round.push(await setUp(stage, random));
      if (!(await tryRound(round, callers, redis))) {
        figures.repeatedAtMinuteEdge += 1;
        if (figures.repeatedAtMinuteEdge > REPEATED_MAX)
          throw new Error('no round fits into a minute');
        continue;
      }
      figures.rounds += 1;
      for (const { calls, history, before } of round) {
        figures.calls += calls.length;
        figures.allowed += countOf(history.asks, 'allowed') - before - 1;
        figures.shared += sharedIn(history.asks);
      }
      proven.push(...round);
    }
  } finally {
    redis.disconnect();
    // A Runtime that has stopped gracefully has flushed all its usage.
    await Promise.all(nodes.map((node) => node.stop()));
  }
  for (const boundary of proven) await judgeWithUsage(stage, boundary);
  return figures;
}

async function setUp(stage: Stage, random: Random): Promise<Boundary> {
  const ofProject = { ratePerMinute: random.int(1, 180), quota: random.int(1, 180) };
  const project = await stage.world.createProject({ plan: planOf(ofProject) });
  const keys: TestApiKey[] = [];
  const ofKeys: Record<string, RateAndQuota> = {};
  const { ofCustomers, customerIds } = await createCustomers(project, random);
  const customerOf: Record<string, string> = {};
  const keyCount = customerIds.length > 0 ? KEYS_OF_CUSTOMERS : random.int(1, 4);
  while (keys.length < keyCount) {
    const isLimited = keyCount > 1 && random.chance(0.5);
    const ofKey = { ratePerMinute: random.int(1, 60), quota: random.int(1, 60) };
    const customerId = customerIds.length > 0 ? random.pick(customerIds) : undefined;
    const key = await project.createKey({
      ...(isLimited && planOf(ofKey)),
      ...(customerId !== undefined && { customerId }),
    });
    if (isLimited) ofKeys[key.apiKeyId] = ofKey;
    if (customerId !== undefined) customerOf[key.apiKeyId] = customerId;
    keys.push(key);
  }
  const calls = Array.from({ length: CALLS_AT_ONCE }, () => random.pick(keys));
  const all = [ofProject, ...Object.values(ofCustomers), ...Object.values(ofKeys)];
  const least = Math.min(3, ...all.flatMap((limits) => [limits.ratePerMinute, limits.quota]));
  const history = openHistory({
    project: ofProject,
    keys: ofKeys,
    customers: ofCustomers,
    customerOf,
  });
  return { project, history, calls, before: random.int(0, least - 1) };
}

/** In half of the rounds two customers, limited by their own numbers or by those of their plan. */
async function createCustomers(project: TestProject, random: Random) {
  const ofCustomers: Record<string, RateAndQuota> = {};
  const customerIds: string[] = [];
  const count = random.chance(0.5) ? CUSTOMERS : 0;
  while (customerIds.length < count) {
    const ofCustomer = { ratePerMinute: random.int(1, 90), quota: random.int(1, 90) };
    const limits = planOf(ofCustomer);
    const billingDay = random.int(1, 28);
    const { customerId } = await project.createCustomer(
      random.chance(0.5) ? { ...limits, billingDay } : { plan: limits, billingDay },
    );
    ofCustomers[customerId] = ofCustomer;
    customerIds.push(customerId);
  }
  return { ofCustomers, customerIds };
}

type RateAndQuota = Record<keyof ScopeLimits, number>;

const planOf = ({ ratePerMinute, quota }: RateAndQuota) => ({
  rateLimitPerMinute: ratePerMinute,
  monthlyQuota: quota,
});

/** @returns false if the round crossed a minute's edge, so that the rate applied twice */
async function tryRound(round: Boundary[], callers: Caller[], redis: Redis): Promise<boolean> {
  const startedIn = await minuteOf(redis);
  const tries = round.map((boundary) => tryBoundary(boundary, callers));
  await Promise.all(tries);
  const isOfOneMinute = (await minuteOf(redis)) === startedIn;
  for (const { history } of round) {
    judge(isOfOneMinute ? history : withoutRates(history), 'a boundary');
  }
  return isOfOneMinute;
}

async function tryBoundary(boundary: Boundary, callers: Caller[]): Promise<void> {
  const { project, history, calls, before } = boundary;
  const ask = async (key: TestApiKey | undefined, index: number): Promise<Answer> => {
    const caller = callers[index % callers.length];
    if (key === undefined || caller === undefined) throw new Error('a call needs a key');
    const { projectId, secret } = project;
    const answer = await caller.ask({ projectId, secret, apiKey: key.plaintext });
    history.asks.push({ ...answer, key: key.apiKeyId, window: 0 });
    return answer;
  };
  for (let i = 0; i < before; i += 1) await ask(calls[i], i);
  await askAtOnce(calls.length, (index) => ask(calls[index], index));

  // With raised limits, the remaining count shows the charges: the denied calls cost nothing.
  history.limitsLiftedAtMs = performance.now();
  await project.setPlanLimits(planOf({ ratePerMinute: RAISED, quota: RAISED }));
  await ask(await project.createKey(), 0);
}

/** Over two minutes, only the quotas can be judged. */
function withoutRates({ asks, limits, ...history }: History): History {
  const withoutRate = (ofScope: ScopeLimits) => ({ ...ofScope, ratePerMinute: null });
  const each = (scopes: Readonly<Record<string, ScopeLimits>>) =>
    Object.fromEntries(Object.entries(scopes).map(([id, scope]) => [id, withoutRate(scope)]));
  const allowed = asks.filter(({ verdict }) => verdict === 'allowed');
  const quotas = {
    ...limits,
    project: withoutRate(limits.project),
    keys: each(limits.keys),
    customers: each(limits.customers),
  };
  return { ...history, asks: allowed, limits: quotas };
}

/** Every call of the round is in Postgres once, with its verdict. */
async function judgeWithUsage({ world }: Stage, { project, history }: Boundary): Promise<void> {
  const usage = await readUsage(world, project.projectId);
  const outcomes = { allowed: 0, quota_exceeded: 0, rate_limited: 0, ...usage.hours };
  history.usage.push({ atMs: performance.now(), outcomes, months: { 0: monthsOf(usage) } });
  judge(history, 'the usage of a boundary');
}

async function minuteOf(redis: Redis): Promise<number> {
  const [seconds] = await redis.time();
  return Math.floor(Number(seconds) / 60);
}
