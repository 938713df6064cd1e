/**
 * An error that a user can act on, printed without a stack: what happened, what to do about it, and
 * the last lines of the program that failed.
 */
export class LauncherError extends Error {
  /** What to do about it. */
  readonly hint: string | undefined;
  /** The tail of the program that failed. */
  readonly output: string | undefined;

  /** @param message What happened, in one sentence. */
  constructor(
    message: string,
    { hint, output }: { hint?: string | undefined; output?: string | undefined } = {},
  ) {
    super(message);
    this.name = 'LauncherError';
    this.hint = hint;
    this.output = output;
  }
}

/** The error of a task that did not run to its end because the command stops. */
export class StoppedError extends LauncherError {
  constructor() {
    super('Stopped.');
  }
}

/** @returns The error's message, whatever was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}

/** @returns The system error code, such as `ENOENT`, where there is one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
