import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realRedis } from '../support/redis.ts';
import { MUTANTS } from './proofs/mutants.ts';
import { openPrivateStage, type PrivateStage } from './support/private-stage.ts';
import { copyProgram } from './support/programs.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';
import { Violation } from './support/violation.ts';

let stage: PrivateStage;
beforeAll(async () => {
  stage = await openPrivateStage();
});
afterAll(() => stage.close());

it('every mutant changes the program of this build', () => {
  for (const { edits } of Object.values(MUTANTS)) copyProgram(edits).remove();
});

describe('a proof catches', () => {
  const mutants = Object.entries(MUTANTS).filter(([, mutant]) => size.isFull || mutant.isInSmall);

  for (const [name, { edits, rule, otherRule, needsRealRedis, try: attempt }] of mutants) {
    it.skipIf(needsRealRedis && realRedis === undefined)(name, () =>
      prove(`mutant: ${name}`, async (random) => {
        const mutant = stage.withEdits(edits);
        try {
          const error = await attempt({ stage, mutant, edits, random }).catch((it: unknown) => it);
          expect(error).toBeInstanceOf(Violation);
          const brokenRule = error instanceof Violation ? error.rule : null;
          expect([rule, otherRule]).toContain(brokenRule);
          return { caughtBy: String(brokenRule) };
        } finally {
          await mutant.close();
        }
      }),
    );
  }
});
