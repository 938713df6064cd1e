/** Seeded randomness for tests: a failure repeats under the same seed. */
import { type KeyLimits, NO_LIMITS, type Scope, scopesOf, scopesOfApiKey } from './limits.ts';

/** Returns whole numbers from 0 to `below` - 1 (the mulberry32 generator). */
export type Pick = (below: number) => number;

export function seeded(seed: number): Pick {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export function oneOf<T>(pick: Pick, items: readonly T[]): T {
  const item = items[pick(items.length)];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
}

/** Bytes from the seeded generator, in the shape of `crypto.randomBytes`. */
export function seededBytes(pick: Pick): (bytes: number) => Uint8Array {
  return (bytes) => Uint8Array.from({ length: bytes }, () => pick(256));
}

/** The scope of a project's month. */
export function projectScope(projectId: string, plan: Partial<KeyLimits>): Scope {
  const apiKey = { apiKeyId: 'k', ...NO_LIMITS };
  const ofPlan = { ...NO_LIMITS, ...plan };
  const call = {
    projectId,
    plan: ofPlan,
    customer: null,
    apiKey,
    defaultKeyRateLimitPerMinute: null,
  };
  return firstOf(scopesOf(call));
}

/** The scope of a key's month. */
export const apiKeyScope = (
  apiKeyId: string,
  own: Partial<KeyLimits>,
  defaultRate: number | null = null,
): Scope => firstOf(scopesOfApiKey({ apiKeyId, ...NO_LIMITS, ...own }, defaultRate));

function firstOf([first]: readonly Scope[]): Scope {
  if (first === undefined) throw new Error('there is no scope');
  return first;
}
