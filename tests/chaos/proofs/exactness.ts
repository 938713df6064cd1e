import { Redis } from 'ioredis';
import type { TestApiKey, TestProject } from '../../support/scenario.ts';
import { type Answer, countOf } from '../support/caller.ts';
import { type History, judge, openHistory, type ScopeLimits } from '../support/history.ts';
import { askAtOnce } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { type Node, PATIENT, type Stage, startTwoNodes } from '../support/stage.ts';
import { monthsOf, readUsage } from '../support/usage.ts';

const CALLS_AT_ONCE = 200;
/** A limit so high that the remaining count shows the number of charges. */
const RAISED = 1_000_000;
/** How many rounds a minute's edge may invalidate before the proof fails. */
const MOST_REPEATED = 20;

/** A key, and the number of calls with it. */
interface Share {
  key: TestApiKey;
  calls: number;
}

interface Round {
  project: TestProject;
  history: History;
  shares: Share[];
  /** Calls that are allowed one by one before the boundary is tried. */
  before: number;
}

export interface ExactnessFigures {
  rounds: number;
  calls: number;
  allowed: number;
  repeatedAtMinuteEdge: number;
}

/**
 * 200 calls at once, through two Runtimes, at a boundary of both rate and quota: exactly as many are
 * allowed as the smaller limit leaves, and the denied calls cost nothing.
 */
export async function proveExactness(
  stage: Stage,
  rounds: number,
  random: Random,
  settings: Record<string, string> = {},
): Promise<ExactnessFigures> {
  const nodes = await startTwoNodes(stage, { settings: { ...PATIENT, ...settings } });
  const redis = new Redis(stage.redisUrl);
  const figures: ExactnessFigures = { rounds: 0, calls: 0, allowed: 0, repeatedAtMinuteEdge: 0 };
  const proven: Round[] = [];
  try {
    while (figures.rounds < rounds) {
      const round = await setUp(stage, random);
      if (!(await tryBoundary(round, nodes, redis))) {
        figures.repeatedAtMinuteEdge += 1;
        if (figures.repeatedAtMinuteEdge > MOST_REPEATED)
          throw new Error('no round fits into a minute');
        continue;
      }
      figures.rounds += 1;
      figures.calls += CALLS_AT_ONCE;
      figures.allowed += countOf(round.history.asks, 'allowed') - round.before - 1;
      proven.push(round);
    }
  } finally {
    redis.disconnect();
    // A Runtime that has stopped gracefully has flushed all its usage.
    await Promise.all(nodes.map((node) => node.stop()));
  }
  for (const round of proven) await judgeWithUsage(stage, round);
  return figures;
}

async function setUp(stage: Stage, random: Random): Promise<Round> {
  const ofProject = { ratePerMinute: random.int(1, 180), quota: random.int(1, 180) };
  const project = await stage.world.createProject({ plan: planOf(ofProject) });
  const shares: Share[] = [];
  const ofKeys: Record<string, RateAndQuota> = {};
  const keys = random.int(1, 3);
  for (let i = 0; i < keys; i += 1) {
    const calls = Math.floor(CALLS_AT_ONCE / keys) + (i < CALLS_AT_ONCE % keys ? 1 : 0);
    const isLimited = keys > 1 && random.chance(0.5);
    const ofKey = { ratePerMinute: random.int(1, 60), quota: random.int(1, 60) };
    const key = await project.createKey(isLimited ? planOf(ofKey) : {});
    if (isLimited) ofKeys[key.apiKeyId] = ofKey;
    shares.push({ key, calls });
  }
  const all = [ofProject, ...Object.values(ofKeys)];
  const least = Math.min(3, ...all.flatMap((limits) => [limits.ratePerMinute, limits.quota]));
  const history = openHistory({ project: ofProject, keys: ofKeys });
  return { project, history, shares, before: random.int(0, least - 1) };
}

type RateAndQuota = Record<keyof ScopeLimits, number>;

const planOf = ({ ratePerMinute, quota }: RateAndQuota) => ({
  rateLimitPerMinute: ratePerMinute,
  monthlyQuota: quota,
});

/** @returns false if the round crossed a minute's edge, so that the rate applied twice */
async function tryBoundary(round: Round, nodes: [Node, Node], redis: Redis): Promise<boolean> {
  const { project, history, shares, before } = round;
  const startedIn = await minuteOf(redis);
  const { projectId } = project;
  const ask = async (key: TestApiKey, index: number): Promise<Answer> => {
    const who = { projectId, secret: project.secret, apiKey: key.plaintext };
    const answer = await nodes[index % 2 === 0 ? 0 : 1].ask(who);
    history.asks.push({ ...answer, key: key.apiKeyId, window: 0 });
    return answer;
  };
  const calls = shares.flatMap(({ key, calls: times }) => new Array<TestApiKey>(times).fill(key));
  const [first] = calls;
  if (first === undefined) throw new Error('a round needs a key');
  for (let i = 0; i < before; i += 1) await ask(first, i);
  await askAtOnce(calls.length, (index) => ask(calls[index] ?? first, index));

  // With raised limits, the remaining count shows the charges: the denied calls cost nothing.
  history.limitsLiftedAtMs = performance.now();
  await project.setPlanLimits(planOf({ ratePerMinute: RAISED, quota: RAISED }));
  await ask(await project.createKey(), 0);
  const isOfOneMinute = (await minuteOf(redis)) === startedIn;
  judge(isOfOneMinute ? history : withoutRates(history), 'a boundary');
  return isOfOneMinute;
}

/** Over two minutes, only the quotas can be judged. */
function withoutRates({ asks, limits, ...history }: History): History {
  const ofProject = { ...limits.project, ratePerMinute: null };
  const allowed = asks.filter(({ verdict }) => verdict === 'allowed');
  return { ...history, asks: allowed, limits: { project: ofProject, keys: {} } };
}

/** Every call of the round is in Postgres once, with its verdict. */
async function judgeWithUsage({ world }: Stage, { project, history }: Round): Promise<void> {
  const usage = await readUsage(world, project.projectId);
  const outcomes = { allowed: 0, quota_exceeded: 0, rate_limited: 0, ...usage.hours };
  history.usage.push({ atMs: performance.now(), outcomes, months: { 0: monthsOf(usage) } });
  judge(history, 'the usage of a boundary');
}

async function minuteOf(redis: Redis): Promise<number> {
  const [seconds] = await redis.time();
  return Math.floor(Number(seconds) / 60);
}
