import { withoutCredentials } from '@ceiba/contract/redaction';
import { SettingsError } from '@ceiba/process/settings';
import { InvalidInputError } from '@ceiba/schema';
import { CommanderError } from 'commander';

/** 1: the request was fine but could not be done. 2: the command line or a file has to change. */
type ExitCode = 1 | 2;

/** An error whose message explains it in full to the user of the command. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly exitCode: ExitCode;
  /** What programs distinguish errors by. */
  readonly code: string;
  /** The option, or the field of the file, that has to change. */
  readonly field: string | undefined;

  constructor(message: string, exitCode: ExitCode, code: string, field?: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.field = field;
  }
}

/** What the command asks does not answer now: trying again may help. */
export class OutageError extends CliError {
  override readonly name: string = 'OutageError';

  constructor(message: string) {
    super(message, 1, 'failed');
  }
}

export const MAYBE_CHANGED = 'The change may have been made: check that first.';

/** An outage after a change was sent. The message says that the change may have been made. */
export class UnconfirmedError extends OutageError {
  override readonly name = 'UnconfirmedError';
}

/** Adds what to do if the change was made. @param remedy what is lost then; completes a sentence */
export const withRemedy = <T>(change: Promise<T>, remedy: string): Promise<T> =>
  change.catch((error: unknown) => {
    if (!(error instanceof UnconfirmedError)) throw error;
    throw new UnconfirmedError(`${error.message} If it was made, ${remedy}`);
  });

export const failure = (message: string) => new CliError(message, 1, 'failed');
export const badInput = (message: string, { code = 'invalid_input', field }: Detail = {}) =>
  new CliError(message, 2, code, field);

interface Detail {
  readonly code?: string;
  readonly field?: string | undefined;
}

/** An error as `--json` prints it. */
export interface ErrorForPrograms {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/** What a command that ends with this error exits with. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  const isInput = [CommanderError, SettingsError, InvalidInputError].some(
    (kind) => error instanceof kind,
  );
  return isInput ? 2 : 1;
}

/** The error of a command for a program: a code, the message that a user would see, and the field. */
export function forPrograms(error: unknown): ErrorForPrograms {
  const { code, message, field } = describe(error);
  return { code, message: withoutCredentials(message), ...(field === undefined ? {} : { field }) };
}

function describe(error: unknown): { code: string; message: string; field?: string | undefined } {
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '');
    return { code: 'usage', message, field: /(--[a-z][a-z-]*)/.exec(message)?.[1] };
  }
  if (error instanceof SettingsError) {
    const field = /^[A-Z][A-Z0-9_]*/.exec(error.problems[0] ?? '')?.[0];
    return { code: 'settings', message: error.message, field };
  }
  if (error instanceof CliError) return error;
  if (error instanceof InvalidInputError) {
    return { code: 'invalid_input', message: error.message, field: error.problems[0]?.field };
  }
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}
