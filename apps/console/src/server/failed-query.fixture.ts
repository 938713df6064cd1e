/** The error of a failed statement as drizzle throws it, with the values in the message and in `params`. */
export class FailedQuery extends Error {
  readonly params: readonly unknown[];

  constructor(query: string, params: readonly unknown[], cause: Error) {
    super(`Failed query: ${query}\nparams: ${params}`, { cause });
    this.params = params;
  }
}
