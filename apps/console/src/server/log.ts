import 'server-only';
import { tellFault, withoutParameters } from '@ceiba/schema';

/**
 * One JSON line for each event. Callers pass what is safe to keep: never a secret, never a body. A
 * fault is passed as it is, and told without the values that a statement was given.
 */
function write(level: 'info' | 'error', event: string, facts: Record<string, unknown>): void {
  process.stderr.write(
    `${JSON.stringify({ time: new Date().toISOString(), level, event, ...safe(facts) })}\n`,
  );
}

const safe = (facts: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => {
      if (fact instanceof Error) return [name, tellFault(fact)];
      return [name, typeof fact === 'string' ? withoutParameters(fact) : fact];
    }),
  );

export const log = {
  info: (event: string, facts: Record<string, unknown> = {}) => write('info', event, facts),
  error: (event: string, facts: Record<string, unknown> = {}) => write('error', event, facts),
};
