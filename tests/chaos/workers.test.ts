import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proveDrain } from './proofs/drain.ts';
import { proveExactness } from './proofs/exactness.ts';
import { proveWorkerLoss } from './proofs/worker-loss.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';
import { FAILOVER_DEADLINES, openSharedStage, type Stage } from './support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openSharedStage();
});
afterAll(() => stage.close());

const workers = { RUNTIME_WORKERS: '2' };

describe('a Runtime with two workers', () => {
  it('allows exactly what rate and quota leave when 200 calls arrive at once', async () => {
    const figures = await prove('exactness with workers', (random) =>
      proveExactness(stage, size.exactnessRounds, random, workers),
    );
    expect(figures.rounds).toBe(size.exactnessRounds);
  });

  it('drains, flushes and exits 0 when it is stopped under load', async () => {
    const stops = Math.max(2, size.faultsOfEachKind);
    const figures = await prove('fault: SIGTERM with workers', (random) =>
      proveDrain(stage, stops, random, { ...FAILOVER_DEADLINES, ...workers }),
    );
    expect(figures.stops).toBe(stops);
  });

  it('replaces a worker that is killed under load, and counts every allowed call', async () => {
    const kills = Math.max(2, size.lossesOfEachKind);
    const figures = await prove('loss: a worker is killed', (random) =>
      proveWorkerLoss(stage, kills, random),
    );
    expect(figures.kills).toBe(kills);
  });
});
