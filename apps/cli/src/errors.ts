/** 1: the request was fine but could not be done. 2: the command line or a file has to change. */
type ExitCode = 1 | 2;

/** An error whose message explains it in full to the user of the command. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const failure = (message: string) => new CliError(message, 1);
export const badInput = (message: string) => new CliError(message, 2);
