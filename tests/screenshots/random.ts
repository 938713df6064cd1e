export interface SeededRandom {
  /** From 0 up to, but not including, 1. */
  next: () => number;
  bytes: (count: number) => Uint8Array;
}

/**
 * The same numbers for the same seed, for data that must look alike in each run.
 *
 * @see https://en.wikipedia.org/wiki/Linear_congruential_generator the constants of POSIX's drand48
 */
export function seededRandom(seed: number): SeededRandom {
  const modulus = 1n << 48n;
  let state = (BigInt(seed) << 16n) + 0x330en;
  const next = () => {
    state = (0x5deece66dn * state + 0xbn) % modulus;
    return Number(state) / Number(modulus);
  };
  return { next, bytes: (count) => Uint8Array.from({ length: count }, () => next() * 256) };
}
