import type { CheckState } from '@ceiba/contract';
import type { Logger } from '@ceiba/process/log';
import { withinMs } from '../deadline.ts';
import type { UnavailableDependency } from '../unavailable.ts';

/** Resolves when the dependency works. */
export type Check = () => Promise<void>;

/**
 * Logs when a dependency stops passing its check, when the reason is another one, and when it passes
 * again: a database that was away may come back without migrations.
 */
export function logged(
  dependency: UnavailableDependency,
  check: Check,
  log: Pick<Logger, 'info' | 'warn'>,
): Check {
  let reason: string | null = null;
  return async () => {
    try {
      await check();
      if (reason !== null) log.info({ dependency }, 'ready again');
      reason = null;
    } catch (error) {
      const { message } = error as Error;
      if (message !== reason) log.warn({ err: error, dependency }, 'not ready');
      reason = message;
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
