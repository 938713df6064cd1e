import type { CheckState } from '@ceiba/contract';
import { withinMs } from '../deadline.ts';
import type { UnavailableDependency } from '../unavailable.ts';

/** A dependency's check: resolves when it is fine. */
export type Check = () => Promise<void>;

/** An answer must be out within a second, whatever hangs. */
const CHECK_BUDGET_MS = 800;

export interface Readiness {
  ok: boolean;
  checks: { database: CheckState; redis: CheckState };
}

/** Asks both dependencies at once, live. A Runtime that drains is not ready, whatever they say. */
export async function readiness(
  checks: { database: Check; redis: Check },
  isDraining: boolean,
): Promise<Readiness> {
  const [database, redis] = await Promise.all([
    stateOf('database', checks.database),
    stateOf('redis', checks.redis),
  ]);
  return {
    ok: database === 'ok' && redis === 'ok' && !isDraining,
    checks: { database, redis },
  };
}

async function stateOf(dependency: UnavailableDependency, check: Check): Promise<CheckState> {
  try {
    await withinMs(CHECK_BUDGET_MS, dependency, check());
    return 'ok';
  } catch {
    return 'unavailable';
  }
}
