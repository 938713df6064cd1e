import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOf, endedChildrenCpuMs } from './processes.mjs';
import { spreadOf } from './report/statistics.ts';

/**
 * The Runtime writes usage to Postgres within a second: what a run causes is counted as its own.
 */
const SETTLE_MS = 1_200;

/**
 * How long a program is loaded before it is measured, in seconds. The Runtime is compiled while it
 * runs: in its first three seconds a decision costs twice the CPU time that it costs from the
 * twentieth on.
 */
export const WARM_UP_SECONDS = 20;

/**
 * @typedef {object} Measured
 * @property {Spread} perSecond decisions, or echoes
 * @property {Spread} p50Ms of a request
 * @property {Spread} p99Ms of a request
 * @property {Record<string, Spread>} cpuMicroseconds per decision, by process; `load` is the generator
 * @property {number} unexpected
 *
 * @typedef {import('./report/statistics.ts').Spread} Spread
 * @typedef {{ id: string, pid: number, target: import('./load/generator.mjs').Target, connections: number }} Candidate
 */

/**
 * Measures candidates in turns, so that a busy moment of the machine affects all of them.
 *
 * @param {readonly Candidate[]} candidates
 * @param {object} options
 * @param {import('./load/generator.mjs').Generator} options.generator
 * @param {Record<string, number>} options.pids of Postgres and Redis
 * @param {number} options.rounds
 * @param {number} options.seconds of each candidate in each round
 * @returns {Promise<Record<string, Measured>>} by id
 */
export async function compare(candidates, { generator, pids, rounds, seconds }) {
  const runs = Object.fromEntries(candidates.map(({ id }) => [id, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const candidate of candidates) {
      runs[candidate.id].push(await measureOnce(candidate, { generator, pids, seconds }));
    }
  }
  return Object.fromEntries(Object.entries(runs).map(([id, all]) => [id, summaryOf(all)]));
}

/** Loads one candidate once. Its costs include what it writes within a second after. */
export async function measureOnce({ pid, target, connections }, { generator, pids, seconds }) {
  const roots = { server: pid, ...pids };
  const before = { ...cpuMsOf(roots), load: endedChildrenCpuMs() };
  const result = await generator.putLoad(target, { connections, seconds });
  await delay(SETTLE_MS);
  const after = { ...cpuMsOf(roots), load: endedChildrenCpuMs() };
  const decisions = result.requests * target.perRequest;
  const cpuMicroseconds = Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, ((ms - before[name]) * 1_000) / decisions]),
  );
  return { ...result, perSecond: decisions / result.seconds, cpuMicroseconds };
}

function summaryOf(runs) {
  const of = (field) => spreadOf(runs.map(field));
  const processes = Object.keys(runs[0].cpuMicroseconds).filter((name) =>
    runs.every((run) => Number.isFinite(run.cpuMicroseconds[name])),
  );
  return {
    perSecond: of((run) => run.perSecond),
    p50Ms: of((run) => run.p50Ms),
    p99Ms: of((run) => run.p99Ms),
    cpuMicroseconds: Object.fromEntries(
      processes.map((name) => [name, of((run) => run.cpuMicroseconds[name])]),
    ),
    unexpected: runs.reduce((sum, run) => sum + run.unexpected, 0),
  };
}
