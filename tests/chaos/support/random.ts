import { createHash } from 'node:crypto';

/** Chance that the same seed repeats. */
export interface Random {
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
}

/** @param seed Any text; each proof adds its name, so that it takes the same course alone. */
export function createRandom(seed: string): Random {
  let drawn = 0;
  return randomOf(() => {
    drawn += 1;
    const digest = createHash('sha256').update(`${seed} ${drawn}`).digest();
    return digest.readUInt32LE() / 2 ** 32;
  });
}

/** Chance that costs little, for many draws (mulberry32). */
export function createFastRandom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE();
  return randomOf(() => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  });
}

/** @param next Uniform in [0, 1). */
function randomOf(next: () => number): Random {
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    int,
    pick(items) {
      const item = items[int(0, items.length - 1)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    chance: (probability) => next() < probability,
  };
}
