import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Program, SourceEdit } from '../simulation/program.ts';
import { runSchedule } from '../simulation/schedule.ts';
import type { Share, ShareResult } from '../simulation/worker.ts';
import type { Random } from '../support/random.ts';
import { type Rule, Violation } from '../support/violation.ts';

export interface SimulationFigures {
  schedules: number;
  asked: number;
  allowed: number;
  unavailable: number;
}

/**
 * Runs schedules of a Runtime whose time and servers are simulated, each with its own seed.
 *
 * @throws Violation with the seed that repeats the schedule
 */
export async function proveSchedules(
  program: Program,
  schedules: number,
  random: Random,
): Promise<SimulationFigures> {
  const figures = { schedules: 0, asked: 0, allowed: 0, unavailable: 0 };
  for (; figures.schedules < schedules; figures.schedules += 1) {
    const seed = random.int(0, 2 ** 32 - 1).toString(16);
    const counts = await runSchedule(program, seed).catch((error: unknown) => {
      if (error instanceof Error) error.message += `\n(schedule ${seed})`;
      throw error;
    });
    figures.asked += counts.asked;
    figures.allowed += counts.allowed;
    figures.unavailable += counts.unavailable;
  }
  return figures;
}

/**
 * Does the same in one process per core, because a schedule never waits.
 *
 * @throws Violation with the seed that repeats the schedule
 */
export async function proveSchedulesOnEachCore(
  schedules: number,
  random: Random,
): Promise<SimulationFigures> {
  const cores = availableParallelism();
  const shares = Array.from({ length: cores }, (_, index) => ({
    schedules: Math.floor((schedules + index) / cores),
    seed: random.int(0, 2 ** 32 - 1).toString(16),
  }));
  const figures = { schedules: 0, asked: 0, allowed: 0, unavailable: 0 };
  for (const part of await Promise.all(shares.map(runShare))) {
    figures.schedules += part.schedules;
    figures.asked += part.asked;
    figures.allowed += part.allowed;
    figures.unavailable += part.unavailable;
  }
  return figures;
}

async function runShare(share: Share): Promise<SimulationFigures> {
  const worker = fork(
    fileURLToPath(new URL('../simulation/worker.ts', import.meta.url)),
    [JSON.stringify(share)],
    { execArgv: ['--import', 'tsx'] },
  );
  const ended = once(worker, 'exit').then(([code]) => {
    throw new Error(`a worker of the simulation ended with exit code ${code}`);
  });
  const [result] = (await Promise.race([once(worker, 'message'), ended])) as [ShareResult];
  await ended.catch(() => {});
  if ('figures' in result) return result.figures;
  throw result.rule === null
    ? new Error(result.message)
    : new Violation(result.rule, result.message);
}

/** A mutant of the Runtime's concurrency, and the rule that it breaks. */
export interface SimulationMutant {
  edits: readonly SourceEdit[];
  rule: Rule;
  /** Another rule that it breaks in some schedules. */
  otherRule?: Rule;
  /** Also part of the small size: a few schedules show it. */
  isInSmall?: true;
}

const inRuntime = (file: string, find: string, replace: string): SourceEdit => ({
  file: `apps/runtime/src/${file}`,
  find,
  replace,
});

export const SIMULATION_MUTANTS: Record<string, SimulationMutant> = {
  'a decision that joins a statement in flight': {
    edits: [
      inRuntime(
        'database/lookups.ts',
        'const entry = this.#queue.get(question);',
        'const underWay = ((this as any).underWay ??= new Map()); ' +
          'const entry = this.#queue.get(question) ?? underWay.get(question);',
      ),
      inRuntime(
        'database/lookups.ts',
        'if (entry.waiters.length > 0) batch.push(entry);',
        'if (entry.waiters.length > 0) { ' +
          'batch.push(entry); (this as any).underWay?.set(question, entry); }',
      ),
      inRuntime(
        'database/lookups.ts',
        'batch.forEach(({ waiters }, index) => {',
        '(this as any).underWay?.clear(); batch.forEach(({ waiters }, index) => {',
      ),
    ],
    rule: 'a change applies from the next decision on',
  },
  'a charge that is sent again after an error': {
    edits: [
      inRuntime(
        'limiter/limiter.ts',
        'return link.send(redisBudgetMs, runScript, usageKey(projectId));',
        'return link.send(redisBudgetMs, runScript, usageKey(projectId)).catch(async () => { ' +
          'await new Promise((resolve) => setTimeout(resolve, 60)); ' +
          'return link.send(redisBudgetMs, runScript, usageKey(projectId)); });',
      ),
    ],
    rule: 'nothing is sent twice',
    otherRule: 'usage equals the allowed calls',
  },
  'a charge without a deadline': {
    edits: [
      inRuntime(
        'limiter/limiter.ts',
        'redisDeadlineMs: nowMs + deadline.remainingMs()',
        'redisDeadlineMs: nowMs + 1e9',
      ),
    ],
    rule: 'few charges run late',
    isInSmall: true,
  },
  'a call whose first reply is given to each of its charges': {
    edits: [
      inRuntime(
        'limiter/charge-queue.ts',
        'const reply = replies[index];',
        'const reply = replies[index * 0];',
      ),
    ],
    rule: 'allows exactly what the limits leave',
    otherRule: 'usage equals the allowed calls',
    isInSmall: true,
  },
  'a flush that drops what it could not write': {
    edits: [
      inRuntime(
        'usage/flusher.ts',
        'const { confirmed, refused, refusal } =',
        'ledger.confirm(chunk); const { confirmed, refused, refusal } =',
      ),
    ],
    rule: 'usage equals the allowed calls',
    isInSmall: true,
  },
  'a confirmation that drops what has grown since': {
    edits: [inRuntime('usage/ledger.ts', 'known.count > fact.count', 'false')],
    rule: 'usage equals the allowed calls',
  },
  'a stop without a last flush': {
    edits: [inRuntime('usage/flusher.ts', 'waiting: () => ledger.size,', '')],
    rule: 'usage equals the allowed calls',
    isInSmall: true,
  },
  'a first use that is written after the answer': {
    edits: [inRuntime('decision/record.ts', 'await firstUses.record', 'void firstUses.record')],
    rule: 'usage equals the allowed calls',
    isInSmall: true,
  },
  'a lost server that is never reconnected': {
    edits: [
      {
        file: 'packages/schema/src/connection/client.ts',
        find: "this.#options.onStateChange?.('down', error);\n    this.connect();",
        replace: "this.#options.onStateChange?.('down', error);",
      },
    ],
    rule: 'recovers in time',
    isInSmall: true,
  },
  'a queue without a share for each project': {
    edits: [
      inRuntime('database/lookups.ts', 'ofProject >= this.#limits.maxWaitingPerProject', 'false'),
    ],
    rule: 'a fault does not affect others',
  },
};

/** @returns the error of the first schedule that breaks a rule */
export async function findViolation(
  program: Program,
  mostSchedules: number,
  random: Random,
): Promise<unknown> {
  return proveSchedules(program, mostSchedules, random).then(
    () => null,
    (error: unknown) => error,
  );
}
