import type { Process } from './network.ts';
import type { PostgresModel } from './postgres-model.ts';
import type { RedisModel } from './redis-model.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The simulated environment of the Runtimes, which the edges of their program use. */
export interface Machine {
  readonly clock: VirtualClock;
  readonly postgres: PostgresModel;
  readonly redis: RedisModel;
  /** Returns numbers uniform in [0, 1). */
  random(): number;
  wallClockMs(): number;
  processNamed(name: string): Process;
}
