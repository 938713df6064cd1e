import 'server-only';
import { runtimeReadinessSchema, runtimeVersionSchema } from '@ceiba/contract';
import { BUILD_SHA, env } from '../env.ts';
import { isReady } from './database.ts';

const BUDGET_MS = 1_500;

export type CheckState = 'ok' | 'unavailable' | 'unknown';

export interface ServiceStatus {
  name: 'Console' | 'Runtime';
  /** What stops during an outage of the service. */
  purpose: string;
  /** Whether the service answered, whatever the state of its dependencies. */
  answered: boolean;
  checks: readonly { name: string; state: CheckState }[];
  sha: string | null;
  /** Duration of the readiness check in ms. */
  tookMs: number;
}

export const isUp = (service: ServiceStatus): boolean =>
  service.answered && service.checks.every(({ state }) => state === 'ok');

/** Checks every service. Never throws and never exceeds its time budget. */
export async function measureStatus(): Promise<readonly ServiceStatus[]> {
  return Promise.all([measureConsole(), measureRuntime()]);
}

async function measureConsole(): Promise<ServiceStatus> {
  const startedAt = performance.now();
  const ready = await isReady();
  return {
    name: 'Console',
    purpose: 'Sign-in, projects, keys, policies, plans',
    answered: true,
    checks: [{ name: 'database', state: ready ? 'ok' : 'unavailable' }],
    sha: BUILD_SHA,
    tookMs: performance.now() - startedAt,
  };
}

async function measureRuntime(): Promise<ServiceStatus> {
  const startedAt = performance.now();
  const [readiness, version] = await Promise.all([ask('/ready'), ask('/version')]);
  const ready = runtimeReadinessSchema.safeParse(readiness);
  const built = runtimeVersionSchema.safeParse(version);
  const checks = ready.success
    ? Object.entries(ready.data.checks).map(([name, state]) => {
        return { name, state: state ?? ('unknown' as const) };
      })
    : (['database', 'redis'] as const).map((name) => ({ name, state: 'unknown' as const }));
  return {
    name: 'Runtime',
    purpose: 'Decisions and the key routes',
    answered: ready.success,
    checks,
    sha: built.success ? built.data.sha : null,
    tookMs: performance.now() - startedAt,
  };
}

/** The JSON at a path of the Runtime with any status; undefined if there is none. */
async function ask(path: string): Promise<unknown> {
  try {
    const response = await fetch(env().runtimeUrl + path, {
      signal: AbortSignal.timeout(BUDGET_MS),
      cache: 'no-store',
      redirect: 'error',
    });
    return await response.json();
  } catch {
    return undefined;
  }
}
