/** One item of a batch that failed. */
export class Failed {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

export interface IsolateOptions {
  /** Whether an error may be the fault of a single item; any other one is that of all. */
  isOfOneItem(error: unknown): boolean;
  /** After so many runs, what is left fails with the last error. Default: no limit. */
  runsMax?: number;
}

/**
 * Runs work over a batch. Where it fails for what may be the fault of a single item, the batch is halved
 * until that item fails alone (rule poisoned-item).
 *
 * @param run returns one result per item, in order
 * @returns one result per item, in order, or how it failed
 */
export async function isolated<Item, Result>(
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { isOfOneItem, runsMax = Number.POSITIVE_INFINITY }: IsolateOptions,
): Promise<(Result | Failed)[]> {
  const outcomes: (Result | Failed)[] = [];
  const waiting = [items];
  let runsLeft = runsMax;
  let failed = new Failed(null);
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    try {
      if (runsLeft === 0) throw failed.error;
      runsLeft -= 1;
      outcomes.push(...(await run(part)));
    } catch (error) {
      failed = new Failed(error);
      if (!isOfOneItem(error)) runsLeft = 0;
      const middle = Math.ceil(part.length / 2);
      // The first half comes next, so that the outcomes are in order.
      if (runsLeft > 0 && part.length > 1) waiting.push(part.slice(middle), part.slice(0, middle));
      else outcomes.push(...part.map(() => failed));
    }
  }
  return outcomes;
}
