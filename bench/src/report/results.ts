import type { Spread } from './statistics.ts';

/** What one run of the benchmark measured: the content of `docs/performance.json`. */
export interface Results {
  size: 'full' | 'small';
  /** A date. */
  takenOn: string;
  machine: {
    processor: string;
    cores: number;
    system: string;
    node: string;
    postgres: string;
    redis: string;
    generator: string;
  };
  sizes: { rounds: number; seconds: Seconds; keys: number; keysInUse: number };
  contenders: ContenderResult[];
  limits: LimitResult[];
  flat: {
    cases: FlatCase[];
    memory: Memory;
    /** Answers that were not the expected ones, by part. */
    unexpected: Record<string, number>;
  };
}

/** How long each round of each part lasted. */
export interface Seconds {
  contenders: number;
  alone: number;
  limits: number;
  flat: number;
}

/** CPU time per decision in µs, by process; processes of which it is not known are missing. */
export type CpuMicroseconds = Partial<Record<'server' | 'redis' | 'postgres' | 'load', Spread>>;

export interface Measured {
  perSecond: Spread;
  p50Ms: Spread;
  p99Ms: Spread;
  cpuMicroseconds: CpuMicroseconds;
  unexpected: number;
}

export interface ContenderResult extends Measured {
  id: string;
  name: string;
  kind: 'echo' | 'ceiba' | 'contender';
  guarantees: Record<Guarantee, string> | null;
  perRequest: number;
  connections: number;
  /** With one connection. */
  alone: Pick<Measured, 'perSecond' | 'p50Ms' | 'p99Ms'>;
}

export type Guarantee = 'freshRevocation' | 'oneCharge' | 'failClosed' | 'pathPolicies';

export interface LimitResult {
  part: 'script' | 'lookup';
  /** Decisions in one call or statement. */
  shared: number;
  decisionsPerSecond: Spread;
  cpuMicroseconds: Spread | null;
}

export interface FlatCase {
  id: 'keys' | 'policies' | 'projects' | 'activeKeys';
  from: number;
  to: number;
  base: Measured;
  large: Measured;
}

export interface Memory {
  keys: number;
  startMiB: number;
  usedMiB: number;
  afterMiB: number;
}
