import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proveClockLeap } from '../chaos/proofs/clock-leap.ts';
import { proveDrain } from '../chaos/proofs/drain.ts';
import {
  FAULT_KINDS,
  type FaultScene,
  MEETS_BATCHES,
  NEEDS_REAL_REDIS,
  openFaultScene,
  proveFault,
} from '../chaos/proofs/faults.ts';
import { proveLongList } from '../chaos/proofs/long-list.ts';
import {
  proveLockedKey,
  provePoisonedKey,
  proveRefusedUsage,
  proveUsageBesideLock,
} from '../chaos/proofs/poison.ts';
import { openPrivateStage, type PrivateStage } from '../chaos/support/private-stage.ts';
import { prove } from '../chaos/support/prove.ts';
import { size } from '../chaos/support/size.ts';
import { realRedis } from '../support/redis.ts';

let stage: PrivateStage;
let scene: FaultScene;
beforeAll(async () => {
  stage = await openPrivateStage();
  scene = await openFaultScene(stage);
});
afterAll(async () => {
  await scene.close();
  await stage.close();
});

const times = size.faultsOfEachKind;
// One without, and one with a caller that delays it.
const stops = Math.max(2, times);

describe('a Runtime answers 503 in time, allows nothing and recovers when', () => {
  for (const kind of FAULT_KINDS) {
    it.skipIf(NEEDS_REAL_REDIS.has(kind) && realRedis === undefined)(kind, async () => {
      const figures = await prove(`fault: ${kind}`, (random) =>
        proveFault(scene, kind, times, random),
      );
      expect(figures.faults).toBe(times);
      expect(figures.shared503 > 0).toBe(kind === MEETS_BATCHES);
    });
  }

  it('the clock of Redis leaps ahead', async () => {
    const figures = await prove('fault: the clock of Redis leaps ahead', (random) =>
      proveClockLeap(stage, times, random),
    );
    expect(figures.faults).toBe(times);
  });
});

describe('one bad item fails without affecting others:', () => {
  it('a key that Postgres cannot read', async () => {
    const figures = await prove('fault: a key cannot be read', (random) =>
      provePoisonedKey(stage, times, random),
    );
    expect(figures.rounds).toBe(times);
  });

  it('a key that is locked when its first use has to be written', async () => {
    const figures = await prove('fault: a key is locked', () => proveLockedKey(stage, times));
    expect(figures.rounds).toBe(times);
  });

  it('a key that is locked when usage has to be written', async () => {
    const figures = await prove('fault: usage with a locked key', (random) =>
      proveUsageBesideLock(stage, scene.nodes[0], times, random),
    );
    expect(figures.rounds).toBe(times);
  });

  it('usage that Postgres refuses', async () => {
    const figures = await prove('fault: usage is refused', (random) =>
      proveRefusedUsage(stage, scene.nodes[0], times, random),
    );
    expect(figures.rounds).toBe(times);
  });
});

it('a Runtime keeps deciding while callers list many keys', async () => {
  const figures = await prove('fault: a long list', () => proveLongList(stage, times));
  expect(figures.rounds).toBe(times);
});

it('a Runtime drains, flushes and exits 0 when it is stopped under load', async () => {
  const figures = await prove('fault: SIGTERM', (random) => proveDrain(stage, stops, random));
  expect(figures.stops).toBe(stops);
});
