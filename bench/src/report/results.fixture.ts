import type { ContenderResult, Measured, Results } from './results.ts';

const spread = (median: number) => ({ median, least: median * 0.9, most: median * 1.1 });

const measured = (perSecond: number): Measured => ({
  perSecond: spread(perSecond),
  p50Ms: spread(5),
  p99Ms: spread(9),
  cpuMicroseconds: {
    server: spread(100),
    redis: spread(20),
    postgres: spread(30),
    load: spread(9),
  },
  unexpected: 0,
});

const contender = (id: string, name: string, perSecond: number): ContenderResult => ({
  id,
  name,
  kind: id.endsWith('echo') ? 'echo' : 'ceiba',
  guarantees: null,
  perRequest: id === 'ceiba-batch' ? 32 : 1,
  connections: 64,
  ...measured(perSecond),
  alone: { perSecond: spread(900), p50Ms: spread(1), p99Ms: spread(2) },
});

/** Results of a full run with invented figures. */
export const results: Results = {
  size: 'full',
  takenOn: '2026-01-31',
  machine: {
    processor: 'a processor',
    cores: 2,
    system: 'linux 6',
    node: 'v20.0.0',
    postgres: '18.4',
    redis: '7.0.15',
    generator: 'wrk',
  },
  sizes: {
    rounds: 5,
    seconds: { contenders: 5, alone: 2, limits: 2, flat: 4 },
    keys: 200_000,
    keysInUse: 1_000,
  },
  contenders: [
    contender('hono-echo', 'Bare Hono echo', 20_000),
    contender('ceiba', 'Ceiba, one by one', 10_000),
    contender('ceiba-batch', 'Ceiba, batches of 32', 30_000),
  ],
  limits: [
    { part: 'script', shared: 1, decisionsPerSecond: spread(15_000), cpuMicroseconds: spread(60) },
    { part: 'lookup', shared: 1, decisionsPerSecond: spread(9_000), cpuMicroseconds: null },
  ],
  flat: {
    cases: [
      {
        id: 'keys',
        from: 1_000,
        to: 1_000_000,
        base: measured(9_000),
        large: measured(8_900),
      },
    ],
    memory: { keys: 1_000_000, startMiB: 90, usedMiB: 120, afterMiB: 130 },
    unexpected: { 'base, the few keys': 0 },
  },
};
