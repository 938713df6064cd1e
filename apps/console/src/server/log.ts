import 'server-only';

/** One JSON line for each event. Callers pass what is safe to keep: never a secret, never a body. */
function write(level: 'info' | 'error', event: string, facts: Record<string, unknown>): void {
  process.stderr.write(
    `${JSON.stringify({ time: new Date().toISOString(), level, event, ...facts })}\n`,
  );
}

export const log = {
  info: (event: string, facts: Record<string, unknown> = {}) => write('info', event, facts),
  error: (event: string, facts: Record<string, unknown> = {}) => write('error', event, facts),
};
