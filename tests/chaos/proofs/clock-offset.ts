import type { Edit } from '../support/programs.ts';

/** The offset that the scripts add to Redis's clock, in seconds; a real clock cannot be stepped. */
export const OFFSET_KEY = 'ceiba-proof:clock-offset';
const OFFSET = `(tonumber(redis.call('GET', '${OFFSET_KEY}')) or 0)`;

export const STEPPED_CLOCK: readonly Edit[] = [
  {
    file: 'counters.lua',
    find: "local time = redis.call('TIME')",
    replace: `local time = redis.call('TIME') time[1] = time[1] + ${OFFSET}`,
  },
  {
    file: 'trim.lua',
    find: "redis.call('TIME')[1]",
    replace: `(redis.call('TIME')[1] + ${OFFSET})`,
  },
];

/** Makes the Runtime accept any clock of Redis, because its own clock is not stepped. */
export const ANY_CLOCK_IS_SOUND: Edit = {
  file: 'main.js',
  find: 'AHEAD_MS_MAX = 3e5',
  replace: 'AHEAD_MS_MAX = Infinity',
};
