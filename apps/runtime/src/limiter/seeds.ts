import { Batcher } from '@ceiba/process/tasks';
import type { PeriodTotalItem } from '@ceiba/schema';
import type { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';

/** How many calls Postgres knows as allowed: one total per item, in order. */
export type ReadPeriodTotals = (items: readonly PeriodTotalItem[]) => Promise<number[]>;

interface SeedRequest {
  items: readonly PeriodTotalItem[];
  deadline: Deadline;
}

/**
 * Reads the seeds of counters that Redis lost, one read at a time. Requests that arrive during a
 * read share the next one, so that a wiped Redis does not overload Postgres (rule counter-epoch).
 */
export class SeedReader {
  readonly #readPeriodTotals: ReadPeriodTotals;
  readonly #batches = new Batcher((requests: readonly SeedRequest[]) => this.#readBatch(requests));

  constructor(readPeriodTotals: ReadPeriodTotals) {
    this.#readPeriodTotals = readPeriodTotals;
  }

  /**
   * @returns one total per item, in order
   * @throws UnavailableError when Postgres fails or the deadline passes
   */
  read(items: readonly PeriodTotalItem[], deadline: Deadline): Promise<number[]> {
    const totals = this.#batches
      .add({ items, deadline })
      .then((known) => items.map((item) => known.get(idOf(item)) ?? 0));
    return deadline.race('database', totals);
  }

  /** Each item once, within the latest deadline of the requests. */
  async #readBatch(requests: readonly SeedRequest[]): Promise<ReadonlyMap<string, number>> {
    const deadline = requests
      .map((request) => request.deadline)
      .reduce((one, other) => (other.remainingMs() > one.remainingMs() ? other : one));
    const items = new Map(requests.flatMap((it) => it.items).map((item) => [idOf(item), item]));
    try {
      const reading = this.#readPeriodTotals([...items.values()]);
      const totals = await deadline.race('database', reading);
      if (totals.length !== items.size || !totals.every(isCount)) {
        throw new Error('the totals are not one count for each item');
      }
      return new Map([...items.keys()].map((id, index) => [id, totals[index] ?? 0]));
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
      throw new UnavailableError('database', 'the totals of usage could not be read', {
        cause: error,
      });
    }
  }
}

const idOf = ({ projectId, number, scope }: PeriodTotalItem) => `${projectId}:${number}:${scope}`;
const isCount = (total: number) => Number.isSafeInteger(total) && total >= 0;
