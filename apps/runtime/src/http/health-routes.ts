import type { CheckState } from '@ceiba/contract';
import type { Logger } from '@ceiba/process/log';
import { withinMs } from '../deadline.ts';
import type { UnavailableDependency } from '../unavailable.ts';

/** Resolves when the dependency works. */
export type Check = () => Promise<void>;

/** Logs when a dependency stops passing its check, and when it passes again. */
export function logged(
  dependency: UnavailableDependency,
  check: Check,
  log: Pick<Logger, 'info' | 'warn'>,
): Check {
  let isFailing = false;
  return async () => {
    try {
      await check();
      if (isFailing) log.info({ dependency }, 'ready again');
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error, dependency }, 'not ready');
      isFailing = true;
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
