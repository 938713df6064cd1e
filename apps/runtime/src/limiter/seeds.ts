import type { MonthTotalItem } from '@ceiba/schema';
import type { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';

/** How many calls Postgres knows as allowed: one total per item, in order. */
export type ReadMonthTotals = (
  items: readonly MonthTotalItem[],
  deadline: Deadline,
) => Promise<number[]>;

/** A read that collects items until the one before it is over. */
interface Batch {
  readonly items: Map<string, MonthTotalItem>;
  /** The latest deadline among its callers. */
  deadline: Deadline;
  readonly totals: Promise<ReadonlyMap<string, number>>;
}

/**
 * Reads the seeds of counters that lost their past. One read is in flight at a time; what arrives
 * meanwhile shares the next one, so that a wiped Redis does not turn into a storm on Postgres
 * (consistency rule 11).
 */
export class SeedReader {
  readonly #readMonthTotals: ReadMonthTotals;
  #collecting: Batch | null = null;
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(readMonthTotals: ReadMonthTotals) {
    this.#readMonthTotals = readMonthTotals;
  }

  /**
   * @returns one total per item, in order
   * @throws UnavailableError when Postgres fails or the deadline passes
   */
  read(items: readonly MonthTotalItem[], deadline: Deadline): Promise<number[]> {
    this.#collecting ??= this.#openBatch(deadline);
    const batch = this.#collecting;
    for (const item of items) batch.items.set(idOf(item), item);
    if (deadline.remainingMs() > batch.deadline.remainingMs()) batch.deadline = deadline;
    const totals = batch.totals.then((known) => items.map((item) => known.get(idOf(item)) ?? 0));
    return deadline.race('database', totals);
  }

  #openBatch(deadline: Deadline): Batch {
    const items = new Map<string, MonthTotalItem>();
    const totals = this.#lastRead.then(() => {
      this.#collecting = null;
      return this.#readBatch(batch);
    });
    const batch: Batch = { items, deadline, totals };
    this.#lastRead = totals.catch(() => {});
    return batch;
  }

  async #readBatch({ items, deadline }: Batch): Promise<ReadonlyMap<string, number>> {
    try {
      const reading = this.#readMonthTotals([...items.values()], deadline);
      const totals = await deadline.race('database', reading);
      if (totals.length !== items.size || !totals.every(isCount)) {
        throw new Error('the month totals are not one count for each item');
      }
      return new Map([...items.keys()].map((id, index) => [id, totals[index] ?? 0]));
    } catch (fault) {
      if (fault instanceof UnavailableError) throw fault;
      throw new UnavailableError('database', 'the month totals could not be read', {
        cause: fault,
      });
    }
  }
}

const idOf = ({ projectId, month, scope }: MonthTotalItem) => `${projectId}:${month}:${scope}`;
const isCount = (total: number) => Number.isSafeInteger(total) && total >= 0;
