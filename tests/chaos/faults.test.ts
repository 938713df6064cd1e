import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realRedis } from '../support/redis.ts';
import { proveClockLeap } from './proofs/clock-leap.ts';
import { proveDrain } from './proofs/drain.ts';
import {
  FAULT_KINDS,
  type FaultScene,
  NEEDS_REAL_REDIS,
  openFaultScene,
  proveFault,
} from './proofs/faults.ts';
import { proveLongList } from './proofs/long-list.ts';
import {
  proveLockedKey,
  provePoisonedKey,
  proveRefusedUsage,
  proveUsageBesideLock,
} from './proofs/poison.ts';
import { openPrivateStage, type PrivateStage } from './support/private-stage.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';

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
// One at its pace, and one that a caller holds up.
const stops = Math.max(2, times);

describe('answers 503 in time, admits nothing and recovers by itself when', () => {
  for (const kind of FAULT_KINDS) {
    it.skipIf(NEEDS_REAL_REDIS.has(kind) && realRedis === undefined)(kind, async () => {
      const figures = await prove(`fault: ${kind}`, (random) =>
        proveFault(scene, kind, times, random),
      );
      expect(figures.faults).toBe(times);
    });
  }

  it('the clock of Redis leaps ahead', async () => {
    const figures = await prove('fault: the clock of Redis leaps ahead', (random) =>
      proveClockLeap(stage, times, random),
    );
    expect(figures.faults).toBe(times);
  });
});

describe('one bad item among many fails alone:', () => {
  it('a key that Postgres cannot read', async () => {
    const figures = await prove('fault: a key cannot be read', (random) =>
      provePoisonedKey(stage, times, random),
    );
    expect(figures.rounds).toBe(times);
  });

  it('a key that is locked while its first use is to be written', async () => {
    const figures = await prove('fault: a key is locked', () => proveLockedKey(stage, times));
    expect(figures.rounds).toBe(times);
  });

  it('a key that is locked while usage is to be written', async () => {
    const figures = await prove('fault: usage beside a locked key', (random) =>
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

it('goes on deciding for others beside lists of many keys', async () => {
  const figures = await prove('fault: a long list', () => proveLongList(stage, times));
  expect(figures.rounds).toBe(times);
});

it('drains, flushes and exits 0 when it is stopped under load', async () => {
  const figures = await prove('fault: SIGTERM', (random) => proveDrain(stage, stops, random));
  expect(figures.stops).toBe(stops);
});
