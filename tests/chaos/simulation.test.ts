import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findViolation,
  proveSchedules,
  proveSchedulesOnEachCore,
  SIMULATION_MUTANTS,
} from './proofs/simulation.ts';
import { loadProgram, type Program } from './simulation/program.ts';
import { runSchedule } from './simulation/schedule.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';
import { Violation } from './support/violation.ts';

describe('a Runtime in simulated time', () => {
  let program: Program;
  beforeAll(async () => {
    program = await loadProgram();
  });
  afterAll(() => program.remove());

  it('keeps every rule in schedules of faults, changes and stops', async () => {
    const figures = await prove('simulation', (random) =>
      size.isFull
        ? proveSchedulesOnEachCore(size.schedules, random)
        : proveSchedules(program, size.schedules, random),
    );
    expect(figures.schedules).toBe(size.schedules);
  });

  it('repeats the same run with the same seed', async () => {
    for (const seed of ['1', '2', '3', '4', '5']) {
      expect(await runSchedule(program, seed)).toEqual(await runSchedule(program, seed));
    }
  });
});

/** Each mutant is found within a tenth of these with any seed. */
const SCHEDULES_OF_A_MUTANT_MAX = 4_000;

it('every mutant changes the source of this build', async () => {
  for (const { edits } of Object.values(SIMULATION_MUTANTS)) (await loadProgram(edits)).remove();
});

describe('a schedule finds', () => {
  const mutants = Object.entries(SIMULATION_MUTANTS).filter(
    ([, { isInSmall }]) => size.isFull || isInSmall,
  );

  it.each(mutants)('%s', async (name, { edits, rule, otherRule }) => {
    const mutant = await loadProgram(edits);
    try {
      await prove(`simulation: ${name}`, async (random) => {
        const error = await findViolation(mutant, SCHEDULES_OF_A_MUTANT_MAX, random);
        expect(error).toBeInstanceOf(Violation);
        const brokenRule = error instanceof Violation ? error.rule : null;
        expect([rule, otherRule]).toContain(brokenRule);
        return { caughtBy: String(brokenRule) };
      });
    } finally {
      mutant.remove();
    }
  });
});
