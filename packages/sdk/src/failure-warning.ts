import { named } from './config.ts';
import { isExpected, RuntimeTransportError } from './errors.ts';
import { isOfAnother } from './http/answer.ts';
import { warn } from './warn.ts';

/** How often one kind of failure is reported, in ms. */
const EVERY_MS = 60_000;

/**
 * Reports why the Runtime gave no verdict as a warning, each kind of failure at most once a minute:
 * the caller's 503 does not say it, and a host may have no `onDecision`.
 *
 * @param now a monotonic clock, in ms
 */
export function createFailureWarning(
  now: () => number = performance.now.bind(performance),
): (error: unknown) => void {
  const warnedAt = new Map<string, number>();
  return (error) => {
    const problem = problemOf(error);
    if (problem === null) return;
    const before = warnedAt.get(problem);
    if (before !== undefined && now() - before < EVERY_MS) return;
    warnedAt.set(problem, now());
    warn(`requests are refused: ${problem}`, causeOf(error));
  };
}

/** One text per kind of failure; null for what the host itself caused or asked for, or what was reported before. */
function problemOf(error: unknown): string | null {
  if (!RuntimeTransportError.is(error)) return 'asking the Runtime failed';
  if (isExpected(error)) return null;
  const { failure, status } = error;
  switch (failure) {
    case 'aborted':
    case 'circuit_open':
      return null;
    case 'timeout':
      return 'the Runtime did not answer in time';
    case 'unreachable':
      return `the Runtime cannot be reached; check ${named('runtimeBaseUrl')}`;
    case 'invalid_answer':
      return `what answers at ${named('runtimeBaseUrl')} gives no decision: it is no Runtime, or its answers break off`;
    case 'error_status':
      if (status === 401) {
        return `the Runtime refuses the project secret for this projectId (401); check ${named('projectId')} and ${named('projectSecret')}`;
      }
      if (status === 404) return 'there is no Runtime at runtimeBaseUrl (404)';
      if (isOfAnother(error)) {
        return `what answers at runtimeBaseUrl is no Runtime (${status}); it may be the console`;
      }
      return `the Runtime answers ${status}`;
  }
}

/** The cause of a failure says more, such as ECONNREFUSED; neither has a secret. */
const causeOf = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error;
