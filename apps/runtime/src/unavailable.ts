/** What failed or was too slow; shown in the log, never to the caller. */
export type UnavailableDependency = 'database' | 'redis' | 'overload' | 'caller';

/**
 * No decision can be made: a dependency failed or was too slow. The caller gets 503 without details
 * (promise 3); the message and the cause are for the log.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
  readonly dependency: UnavailableDependency;

  constructor(dependency: UnavailableDependency, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.dependency = dependency;
  }
}
