import type { Process } from './network.ts';
import type { PostgresModel } from './postgres-model.ts';
import type { RedisModel } from './redis-model.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** All that the simulated Runtimes see of the world; the edges of their program ask it. */
export interface Machine {
  readonly clock: VirtualClock;
  readonly postgres: PostgresModel;
  readonly redis: RedisModel;
  /** Uniform in [0, 1). */
  random(): number;
  wallClockMs(): number;
  processNamed(name: string): Process;
}
