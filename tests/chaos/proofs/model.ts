import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { World } from '../../support/scenario.ts';
import { simulate, specificationText, tracesOf } from '../support/quint.ts';
import type { Random } from '../support/random.ts';
import { replay, type SpecState } from '../support/spec-replay.ts';

const STEPS = 40;

const PROMISES = [
  'quotaHolds',
  'rateHolds',
  'usageIsKept',
  'usageIsTrue',
  'deniesNothingForNothing',
  'windowsNeverGoBack',
] as const;

const seedFrom = (random: Random) => random.int(1, 2 ** 31);

/** Random runs of docs/spec/ceiba.qnt keep the promises, with and without losses. */
export async function proveModel(courses: number, random: Random) {
  const specification = specificationText();
  const each = { specification, courses, steps: STEPS };
  const seed = seedFrom(random);
  expect(await simulate({ ...each, seed, invariants: PROMISES })).toEqual([]);
  const exact = [...PROMISES, 'limitsAreExact'];
  expect(await simulate({ ...each, seed, invariants: exact, step: 'stepWithoutLoss' })).toEqual([]);
  return { courses: 2 * courses, steps: STEPS };
}

/** A mutant of the specification, and the promise that it breaks. */
interface ModelMutant {
  find: string;
  replace: string;
  breaks: (typeof PROMISES)[number];
  /** Finds the violation early; choose another seed if a change of the specification delays it. */
  seed: number;
}

export const MODEL_MUTANTS: Record<string, ModelMutant> = {
  'windows that go back': {
    find: 'val minute = max(max(now, redis.usage.minute), max(seen.minute, held.minute))',
    replace: 'val minute = now',
    breaks: 'windowsNeverGoBack',
    seed: 0x5fd2,
  },
  'counters without an epoch': {
    find: 'val begins = held.epoch != epoch or',
    replace: 'val begins = held.epoch == 0 or',
    breaks: 'quotaHolds',
    seed: 0x1148e,
  },
  'usage that keeps its incarnation after a restart': {
    find: 'val isFresh = redis.usage.epoch != epoch',
    replace: 'val isFresh = redis.usage.epoch == 0',
    breaks: 'usageIsKept',
    seed: 0x4c24,
  },
  'a sweep that removes the current period': {
    find: 'filter(key => key._2 < numberOf(period, now))',
    replace: 'filter(key => key._2 <= numberOf(period, now))',
    breaks: 'usageIsKept',
    seed: 0xbfae,
  },
  'a quota that has room for any cost while it is not used up': {
    find: 'ofPeriod.count + cost > QUOTA',
    replace: 'ofPeriod.count >= QUOTA',
    breaks: 'quotaHolds',
    seed: 0x11,
  },
  'a sweep that takes every month for one of the calendar': {
    find: 'filter(key => key._2 < numberOf(period, now))',
    replace:
      'filter(key => key._2 < (if (period == 15) numberOf(1, now) + 1 else numberOf(period, now)))',
    breaks: 'usageIsKept',
    seed: 0x12,
  },
  'seen counts of another lineage that are added twice': {
    find: 'else if (seen > base) { count: count + seen - base, base: seen }',
    replace: 'else if (seen > base) { count: count + seen, base: seen }',
    breaks: 'deniesNothingForNothing',
    seed: 0x7f09,
  },
};

/** The simulation finds the promise that a mutant of the specification breaks. */
export async function proveModelMutant({ find, replace, breaks, seed }: ModelMutant) {
  const pieces = specificationText().split(find);
  expect(pieces).toHaveLength(2);
  const specification = pieces.join(replace);
  // The same runs every time, so that the violation is always found.
  const each = { specification, courses: 5000, steps: STEPS, invariants: [breaks] };
  expect(await simulate({ ...each, seed })).toEqual([breaks]);
  return { breaks };
}

/** The real scripts and a real Postgres match the specification step by step. */
export async function proveReplay(redis: Redis, world: World, courses: number, random: Random) {
  const specification = specificationText();
  const seed = seedFrom(random);
  const traces = await tracesOf({ specification, courses, steps: STEPS, seed, invariants: [] });
  expect(traces).toHaveLength(courses);
  const figures: Record<string, number> = { courses };
  for (const states of traces) {
    const steps = await replay(redis, world, states as SpecState[]);
    for (const [name, count] of Object.entries(steps)) figures[name] = (figures[name] ?? 0) + count;
  }
  return figures;
}
