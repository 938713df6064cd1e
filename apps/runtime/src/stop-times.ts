import type { Settings } from './env.ts';

/** For requests that arrive just after a stop, and for answers on their way, in ms. */
const BEYOND_DEADLINE_MS = 1_000;
/** For a write of usage or logs that is under way, the last one, and a step of the sweep, in ms. */
const FLUSH_MS_MAX = 6_000;

export interface StopTimes {
  /** How long it serves on, so that load balancers notice. */
  delayMs: number;
  /** How long requests under way may then take: longer than every deadline. */
  drainMs: number;
  /** How long all of it may take. */
  maxMs: number;
}

/** How long the Runtime may take to stop, in ms: what one setting allows, no other cuts short. */
export function stopTimes({
  SHUTDOWN_DELAY_MS: delayMs,
  DECISION_DEADLINE_MS,
  KEY_ROUTE_DEADLINE_MS,
}: Settings): StopTimes {
  const drainMs = Math.max(DECISION_DEADLINE_MS, KEY_ROUTE_DEADLINE_MS) + BEYOND_DEADLINE_MS;
  return { delayMs, drainMs, maxMs: delayMs + drainMs + FLUSH_MS_MAX };
}
