/** What failed or was too slow; for the log and the metrics, never for the caller. */
export const UNAVAILABLE_DEPENDENCIES = ['database', 'redis', 'overload', 'caller'] as const;
export type UnavailableDependency = (typeof UNAVAILABLE_DEPENDENCIES)[number];

/**
 * No answer is possible because a dependency failed or was too slow. The caller gets a 503 without
 * details (promise: fail closed); the message and the cause are for the log.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
  readonly dependency: UnavailableDependency;

  constructor(dependency: UnavailableDependency, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.dependency = dependency;
  }
}

/** One object for all refusals: capturing a stack costs more than the rest of a refusal. */
export const OVERLOAD = new UnavailableError('overload', 'too many decisions in flight');
