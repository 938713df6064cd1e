import { afterAll, beforeAll, expect, it } from 'vitest';
import { proveExactness } from '../chaos/proofs/exactness.ts';
import { prove } from '../chaos/support/prove.ts';
import { size } from '../chaos/support/size.ts';
import { openSharedStage, type Stage } from '../chaos/support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openSharedStage();
});
afterAll(() => stage.close());

it('allows exactly what rate and quota leave when 200 calls to each of two projects arrive at once through two Runtimes, alone and in batches', async () => {
  const figures = await prove('exactness', (random) =>
    proveExactness(stage, size.exactnessRounds, random),
  );
  expect(figures.rounds).toBe(size.exactnessRounds);
  expect(figures.shared).toBeGreaterThan(0);
});
