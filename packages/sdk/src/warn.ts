/** Reports a fault in a hook of the host's own, which must not change a verdict. */
export function warn(message: string, cause: unknown): void {
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  process.emitWarning(message, { type: 'CeibaWarning', detail });
}
