/**
 * An error that a user can act on, printed without a stack: what happened, what to do about it, and
 * the last lines of the program that failed.
 */
export class LauncherError extends Error {
  /**
   * @param {string} message What happened, in one sentence.
   * @param {{ hint?: string | undefined, output?: string | undefined }} [details]
   *   `hint` says what to do; `output` is the tail of the program that failed.
   */
  constructor(message, { hint, output } = {}) {
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

/**
 * @param {unknown} error
 * @returns {string} The error's message, whatever was thrown.
 */
export function messageOf(error) {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {unknown} error
 * @returns {string | undefined} The system error code, such as `ENOENT`, where there is one.
 */
export function codeOf(error) {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
