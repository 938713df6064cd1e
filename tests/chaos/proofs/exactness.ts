import { Redis } from 'ioredis';
import type { TestApiKey, TestProject } from '../../support/scenario.ts';
import { type Answer, countOf, tally } from '../support/caller.ts';
import { askAtOnce } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { type Node, PATIENT, type Stage, startTwoNodes } from '../support/stage.ts';
import { allowedIn, monthsOf, readUsage } from '../support/usage.ts';
import { hold } from '../support/violation.ts';

const CALLS_AT_ONCE = 200;
/** What a raised limit leaves, so that what was charged can be read from what remains. */
const RAISED = 1_000_000;
/** Rounds that a minute's edge may spoil before the clock is to blame. */
const MOST_SPOILT = 20;

/** One key and how many of the calls are made with it. */
interface Share {
  key: TestApiKey;
  calls: number;
  /** What the key itself may be admitted; Infinity where it has no limits. */
  limit: number;
}

interface Round {
  project: TestProject;
  rate: number;
  quota: number;
  shares: Share[];
  /** Admitted one by one before the boundary is tried. */
  before: number;
}

export interface ExactnessFigures {
  rounds: number;
  calls: number;
  admitted: number;
  spoiltByAMinutesEdge: number;
}

/**
 * 200 calls at once, through two Runtimes, at a boundary that rate and quota both make: exactly as
 * many are admitted as the smaller of them leaves, and the denied ones consume nothing.
 */
export async function proveExactness(
  stage: Stage,
  rounds: number,
  random: Random,
): Promise<ExactnessFigures> {
  const nodes = await startTwoNodes(stage, { settings: PATIENT });
  const redis = new Redis(stage.redisUrl);
  const figures: ExactnessFigures = { rounds: 0, calls: 0, admitted: 0, spoiltByAMinutesEdge: 0 };
  const proven: { round: Round; admitted: number }[] = [];
  try {
    while (figures.rounds < rounds) {
      const round = await setUp(stage, random);
      const outcome = await tryBoundary(round, nodes, redis);
      if (outcome === null) {
        figures.spoiltByAMinutesEdge += 1;
        if (figures.spoiltByAMinutesEdge > MOST_SPOILT) throw new Error('no round fits a minute');
        continue;
      }
      figures.rounds += 1;
      figures.calls += CALLS_AT_ONCE;
      figures.admitted += outcome.admitted;
      proven.push({ round, admitted: outcome.admitted + round.before + 1 });
    }
  } finally {
    redis.disconnect();
    // A Runtime that has stopped in order has flushed all that it knew.
    await Promise.all(nodes.map((node) => node.stop()));
  }
  for (const { round, admitted } of proven) await holdUsage(stage, round, admitted);
  return figures;
}

async function setUp(stage: Stage, random: Random): Promise<Round> {
  const [rate, quota] = [random.int(1, 180), random.int(1, 180)];
  const project = await stage.world.createProject({
    plan: { rateLimitPerMinute: rate, monthlyQuota: quota },
  });
  const shares: Share[] = [];
  const keys = random.int(1, 3);
  for (let i = 0; i < keys; i += 1) {
    const calls = Math.floor(CALLS_AT_ONCE / keys) + (i < CALLS_AT_ONCE % keys ? 1 : 0);
    const isLimited = keys > 1 && random.chance(0.5);
    const limits = isLimited
      ? { rateLimitPerMinute: random.int(1, 60), monthlyQuota: random.int(1, 60) }
      : null;
    const key = await project.createKey(limits ?? {});
    const limit = limits === null ? Number.POSITIVE_INFINITY : smallest(limits);
    shares.push({ key, calls, limit });
  }
  const before = random.int(0, Math.min(3, rate, quota, shares[0]?.limit ?? 0) - 1);
  return { project, rate, quota, shares, before };
}

const smallest = (limits: { rateLimitPerMinute: number; monthlyQuota: number }) =>
  Math.min(limits.rateLimitPerMinute, limits.monthlyQuota);

/** @returns null where the round reached over a minute's edge: then two rates were in force */
async function tryBoundary(round: Round, nodes: [Node, Node], redis: Redis) {
  const startedIn = await minuteOf(redis);
  const calls = round.shares.flatMap(({ key, calls: times }) =>
    new Array<TestApiKey>(times).fill(key),
  );
  const ask = (key: TestApiKey, index: number) => {
    const { projectId, secret } = round.project;
    return nodes[index % 2 === 0 ? 0 : 1].ask({ projectId, secret, apiKey: key.plaintext });
  };
  const first = round.shares[0]?.key;
  if (first === undefined) throw new Error('a round needs a key');
  for (let i = 0; i < round.before; i += 1) await ask(first, i);

  const answers = await askAtOnce(calls.length, (index) => ask(calls[index] ?? first, index));
  const endedIn = await minuteOf(redis);
  const admitted = countOf(answers, 'allowed');
  hold('admits exactly what the limits leave', admitted + round.before <= round.quota, () =>
    wordsOf(round, answers),
  );
  if (startedIn !== endedIn) return null;
  hold('admits exactly what the limits leave', admitted === expected(round), () =>
    wordsOf(round, answers),
  );
  holdReasons(round, answers);
  return (await costsNothing(round, nodes, admitted, redis, startedIn)) ? { admitted } : null;
}

/** Whoever comes first is admitted, so the total does not depend on the order. */
function expected({ rate, quota, shares, before }: Round): number {
  const byKeys = shares.map(({ calls, limit }, index) =>
    Math.min(calls, limit - (index === 0 ? before : 0)),
  );
  return Math.min(
    rate - before,
    quota - before,
    byKeys.reduce((total, count) => total + count, 0),
  );
}

/** The month is judged before the minute; what remains is told once each, without a gap. */
function holdReasons(round: Round, answers: readonly Answer[]): void {
  const { rate, quota, shares, before } = round;
  if (shares.some(({ limit }) => limit !== Number.POSITIVE_INFINITY)) return;
  const reason = quota <= rate ? 'quota_exceeded' : 'rate_limited';
  const isComplete = countOf(answers, 'allowed') + countOf(answers, reason) === answers.length;
  hold('admits exactly what the limits leave', isComplete, () => wordsOf(round, answers));

  const remaining = answers.flatMap(({ limits }) => limits?.remainingThisMonth ?? []);
  const descending = remaining.sort((one, other) => other - one);
  const isGapless = descending.every((left, index) => left === quota - before - 1 - index);
  hold('admits exactly what the limits leave', isGapless, () => `told as left: ${descending}`);
}

/**
 * Raises the limits and asks once more: what remains tells what was charged.
 *
 * @returns whether the minute was still the one of the round
 */
async function costsNothing(
  { project, shares, before }: Round,
  [node]: [Node, Node],
  admitted: number,
  redis: Redis,
  startedIn: number,
): Promise<boolean> {
  const raised = { rateLimitPerMinute: RAISED, monthlyQuota: RAISED };
  await project.setPlanLimits(raised);
  const key = await project.createKey();
  const { projectId, secret } = project;
  const answer = await node.ask({ projectId, secret, apiKey: key.plaintext });
  if ((await minuteOf(redis)) !== startedIn) return false;
  const charged = before + admitted + 1;
  const left = answer.limits;
  hold(
    'a denial costs nothing',
    left?.remainingThisMinute === RAISED - charged && left.remainingThisMonth === RAISED - charged,
    () =>
      `${charged} were admitted with ${shares.length} keys, then this was told: ${answer.words}`,
  );
  return true;
}

/** Every call of the round is in Postgres, once, as what it came to. */
async function holdUsage({ world }: Stage, round: Round, admitted: number): Promise<void> {
  const usage = await readUsage(world, round.project.projectId);
  const calls = Object.values(usage.hours).reduce((total, count) => total + count, 0);
  hold(
    'usage is what was admitted',
    allowedIn(usage) === admitted &&
      monthsOf(usage) === admitted &&
      calls === CALLS_AT_ONCE + round.before + 1,
    () =>
      `${admitted} of ${CALLS_AT_ONCE + round.before + 1}, but usage is ${JSON.stringify(usage)}`,
  );
}

async function minuteOf(redis: Redis): Promise<number> {
  const [seconds] = await redis.time();
  return Math.floor(Number(seconds) / 60);
}

function wordsOf(round: Round, answers: readonly Answer[]): string {
  const limits = round.shares.map(({ calls, limit }) => `${calls} of a key limited to ${limit}`);
  return (
    `rate ${round.rate}, quota ${round.quota}, ${round.before} admitted before, ` +
    `${limits.join(', ')}: ${expected(round)} must be admitted; there were ${tally(answers)}`
  );
}
