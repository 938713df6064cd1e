/** Reports an error in a hook of the host as a warning, because it must not change a verdict. */
export function warn(message: string, cause: unknown): void {
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  process.emitWarning(message, { type: 'CeibaWarning', detail });
}
