import { proveSchedules, type SimulationFigures } from '../proofs/simulation.ts';
import { createFastRandom } from '../support/random.ts';
import { type Rule, Violation } from '../support/violation.ts';
import { loadProgram } from './program.ts';

/** The input of a worker: its only argument, in JSON. */
export interface Share {
  schedules: number;
  seed: string;
}

/** The result of a worker. */
export type ShareResult = { figures: SimulationFigures } | { rule: Rule | null; message: string };

const { schedules, seed } = JSON.parse(process.argv[2] ?? '') as Share;
const program = await loadProgram();
const result = await proveSchedules(program, schedules, createFastRandom(seed))
  .then((figures): ShareResult => ({ figures }))
  .catch((error: unknown): ShareResult => {
    if (error instanceof Violation) return { rule: error.rule, message: error.message };
    return { rule: null, message: error instanceof Error ? (error.stack ?? '') : String(error) };
  });
program.remove();
process.send?.(result, () => process.disconnect());
