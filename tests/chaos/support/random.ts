import { createHash } from 'node:crypto';

/** A generator of random values that gives the same values for the same seed. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  bytes(count: number): Uint8Array;
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
}

/** @param seed Any text; each proof adds its name, so that it gets the same values when it runs alone. */
export function createRandom(seed: string): Random {
  let drawn = 0;
  return randomOf(() => {
    drawn += 1;
    const digest = createHash('sha256').update(`${seed} ${drawn}`).digest();
    return digest.readUInt32LE() / 2 ** 32;
  });
}

/** A cheaper generator, for many draws (mulberry32). */
export function createFastRandom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE();
  return randomOf(() => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  });
}

/** @param next returns numbers uniform in [0, 1) */
function randomOf(next: () => number): Random {
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    bytes: (count) => Uint8Array.from({ length: count }, () => next() * 256),
    int,
    pick(items) {
      const item = items[int(0, items.length - 1)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    chance: (probability) => next() < probability,
  };
}
