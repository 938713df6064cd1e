/**
 * Reports an error in a hook of the host as a warning, because it must not change a verdict. Edge
 * runtimes have no warnings, so there it is a line on the console.
 */
export function warn(message: string, cause: unknown): void {
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  try {
    // Next refuses to build an edge bundle that calls it by its global name.
    const { process } = globalThis;
    process.emitWarning(message, { type: 'CeibaWarning', detail });
  } catch {
    // Some edge runtimes have no `process`; Next's throws at each name that it lacks.
    console.warn(`CeibaWarning: ${message}`, detail);
  }
}
