/** What a statement that failed is thrown as: its values stand in the message and beside it. */
export class FailedQuery extends Error {
  readonly params: readonly unknown[];

  constructor(query: string, params: readonly unknown[], cause: Error) {
    super(`Failed query: ${query}\nparams: ${params}`, { cause });
    this.params = params;
  }
}
