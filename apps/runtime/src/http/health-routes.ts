import type { CheckState } from '@ceiba/contract';
import type { Logger } from '@ceiba/process/log';
import { withinMs } from '../deadline.ts';
import type { UnavailableDependency } from '../unavailable.ts';

/** Resolves when the dependency works. */
export type Check = () => Promise<void>;

/** How many causes of one outage are logged, each once: a message may hold a number. */
const CAUSES_MAX = 10;

/** Logs when a dependency stops passing its check, with each cause, and when it passes again. */
export function logged(
  dependency: UnavailableDependency,
  check: Check,
  log: Pick<Logger, 'info' | 'warn'>,
): Check {
  const causes = new Set<string>();
  return async () => {
    try {
      await check();
      if (causes.size > 0) log.info({ dependency }, 'ready again');
      causes.clear();
    } catch (error) {
      const cause = String(error);
      const isNew = !causes.has(cause) && causes.size < CAUSES_MAX;
      if (isNew) log.warn({ err: error, dependency }, 'not ready');
      if (isNew) causes.add(cause);
      throw error;
    }
  };
}

/** A response has to be sent within a second, even if a dependency hangs. */
const CHECK_BUDGET_MS = 800;

export interface Checks {
  database: Check;
  redis: Check;
  /** Whether the database has the migrations that this build expects. */
  schema: Check;
}

export interface Readiness {
  ok: boolean;
  /** `schema` only where migrations are missing. */
  checks: { database: CheckState; redis: CheckState; schema?: 'unavailable' };
}

/** Checks everything at the same time. A Runtime that drains is not ready. */
export async function readiness(checks: Checks, isDraining: boolean): Promise<Readiness> {
  const [database, redis, schema] = await Promise.all([
    stateOf('database', checks.database),
    stateOf('redis', checks.redis),
    stateOf('database', checks.schema),
  ]);
  return {
    ok: database === 'ok' && redis === 'ok' && schema === 'ok' && !isDraining,
    checks: { database, redis, ...(database === 'ok' && schema !== 'ok' && { schema }) },
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
