import type { PrivateStage } from '../support/private-stage.ts';
import type { Edit } from '../support/programs.ts';
import type { Random } from '../support/random.ts';
import { STEPPED_CLOCK } from './clock-offset.ts';
import { CLOCK_LEAP, type FaultFigures, openFaultScene, proveFault } from './faults.ts';

/**
 * The clock of Redis leaps an hour ahead, and back. This is an outage like any other: later charges
 * find the windows unchanged.
 *
 * @param edits additional edits of the Runtime
 */
export async function proveClockLeap(
  stage: PrivateStage,
  times: number,
  random: Random,
  edits: readonly Edit[] = [],
): Promise<FaultFigures> {
  const stepped = stage.withEdits([...STEPPED_CLOCK, ...edits]);
  const scene = await openFaultScene(stage, stepped);
  try {
    return await proveFault(scene, CLOCK_LEAP, times, random);
  } finally {
    await scene.close();
    await stepped.close();
  }
}
