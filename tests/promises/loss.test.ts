import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proveClockStep } from '../chaos/proofs/clock-loss.ts';
import { type LossKind, proveLoss } from '../chaos/proofs/loss.ts';
import { proveRuntimeLoss, proveTotalLoss } from '../chaos/proofs/process-loss.ts';
import { proveSleeper } from '../chaos/proofs/sleeper.ts';
import { openPrivateStage, type PrivateStage } from '../chaos/support/private-stage.ts';
import { prove } from '../chaos/support/prove.ts';
import { size } from '../chaos/support/size.ts';
import { realRedis } from '../support/redis.ts';

let stage: PrivateStage;
beforeAll(async () => {
  stage = await openPrivateStage();
});
afterAll(() => stage.close());

// Once at rest, and once under load or in the middle of a flush.
const times = Math.max(2, size.lossesOfEachKind);

const loses = (kind: LossKind) => async () => {
  const figures = await prove(`loss: ${kind}`, (random) => proveLoss(stage, kind, times, random));
  expect(figures.losses).toBe(times);
  expect(figures.shared).toBeGreaterThan(0);
};

describe('a Runtime hands no quota out twice and loses no usage when', () => {
  it('Redis is flushed', loses('Redis is flushed'));
  it('Redis is killed and starts without data', loses('Redis is killed and starts without data'));
  it.skipIf(realRedis === undefined)(
    'Redis starts with an older snapshot',
    loses('Redis starts with an older snapshot'),
  );
  it('Postgres is killed', loses('Postgres is killed'));

  it("the clock is stepped back over a month's end", async () => {
    const figures = await prove('loss: the clock is stepped back', (random) =>
      proveClockStep(stage, times, random),
    );
    expect(figures.losses).toBe(times);
  });

  it('a Runtime is killed with usage that it has not flushed', async () => {
    const figures = await prove('loss: a Runtime is killed', (random) =>
      proveRuntimeLoss(stage, size.lossesOfEachKind, random),
    );
    expect(figures.losses).toBe(size.lossesOfEachKind);
  });

  it('a Runtime sleeps with usage that it has not flushed', async () => {
    const figures = await prove('loss: a Runtime sleeps', (random) =>
      proveSleeper(stage, times, random),
    );
    expect(figures.losses).toBe(times);
  });
});

it('at most one flush interval is lost when Redis and every Runtime are killed at once', async () => {
  const figures = await prove('loss: everything is killed', (random) =>
    proveTotalLoss(stage, size.lossesOfEachKind, random),
  );
  expect(figures.losses).toBe(size.lossesOfEachKind);
});
