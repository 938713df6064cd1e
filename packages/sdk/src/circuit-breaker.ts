import { CeibaConfigError, type CeibaSetting } from './config.ts';
import { RuntimeTransportError } from './errors.ts';

/** Settings of the circuit breaker. */
export interface CircuitBreakerOptions {
  /** Failed exchanges in a row that open the circuit; a batch is one exchange. Default 5. */
  readonly failureThreshold?: number;
  /** Milliseconds that the circuit stays open before one exchange probes the Runtime. Default 1000. */
  readonly openMs?: number;
}

/**
 * Saves load on a failing Runtime, and waiting for callers: after some failures in a row, questions
 * fail without being sent. Such a question is a failure (503), never an allow.
 */
export interface CircuitBreaker {
  /**
   * Runs the call, or rejects at once while the circuit is open.
   *
   * @param isFailure whether a result shows a failing Runtime, as some errors do; never by default.
   */
  run<T>(call: () => Promise<T>, isFailure?: (result: T) => boolean): Promise<T>;
}

/** For a client without a circuit breaker. */
export const ALWAYS_CLOSED: CircuitBreaker = { run: (call) => call() };

/**
 * @param now a monotonic clock in milliseconds.
 * @throws {CeibaConfigError} naming the invalid option.
 */
export function createCircuitBreaker(
  { failureThreshold = 5, openMs = 1_000 }: CircuitBreakerOptions,
  now: () => number = () => performance.now(),
): CircuitBreaker {
  requirePositive('circuitBreaker.failureThreshold', failureThreshold);
  requirePositive('circuitBreaker.openMs', openMs);
  let failuresInARow = 0;
  let openUntil = Number.NEGATIVE_INFINITY;

  function fail(): void {
    failuresInARow += 1;
    openUntil = now() + openMs;
  }

  async function run<T>(
    call: () => Promise<T>,
    isFailure: (result: T) => boolean = () => false,
  ): Promise<T> {
    if (failuresInARow >= failureThreshold) {
      if (now() < openUntil) {
        throw new RuntimeTransportError('circuit_open', 'The circuit breaker is open');
      }
      // This call is the probe; all others fail until it has an answer.
      openUntil = now() + openMs;
    }
    try {
      const result = await call();
      if (isFailure(result)) fail();
      else failuresInARow = 0;
      return result;
    } catch (error) {
      if (isRuntimeFailure(error)) fail();
      throw error;
    }
  }
  return { run };
}

function requirePositive(setting: CeibaSetting, value: number): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw new CeibaConfigError(setting, 'must be a whole number from 1 up');
}

/**
 * Whether an error shows a failing Runtime. A client error (400, 401, …) comes from a healthy one, and
 * a question that was malformed or cancelled says nothing about it.
 */
export function isRuntimeFailure(error: unknown): boolean {
  if (!RuntimeTransportError.is(error) || error.failure === 'aborted') return false;
  return error.failure !== 'error_status' || error.status === null || error.status >= 500;
}
