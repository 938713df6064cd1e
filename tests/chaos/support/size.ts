import { randomBytes } from 'node:crypto';

/**
 * The size of each proof. The tests run the small size; `npm run prove` sets these variables, which
 * scripts/prove.ts explains.
 */
const isFull = process.env.CEIBA_PROVE === 'full';
const rounds = Number(process.env.CEIBA_PROVE_ROUNDS ?? 0);
const sized = (small: number, full: number) => rounds || (isFull ? full : small);

export const size = {
  isFull,
  exactnessRounds: sized(6, 100),
  revocationsOfEachKind: sized(4, 500),
  lossesOfEachKind: sized(1, 20),
  faultsOfEachKind: sized(1, 20),
  failovers: sized(1, 50),
  scriptHistories: sized(200, 10_000),
  failoversOfEachKind: sized(1, 10),
  modelRuns: sized(100, 10_000),
  modelReplays: sized(12, 500),
  schedules: sized(200, 100_000),
  strangersRounds: sized(1, 100),
} as const;

export const seed = process.env.CEIBA_PROVE_SEED ?? randomBytes(4).toString('hex');
