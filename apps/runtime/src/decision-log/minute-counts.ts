import { WINDOWS } from '@ceiba/domain';

export interface MinuteCountsOptions {
  /** Letters and digits only; unique among all processes. */
  incarnation: string;
  /** The current time in ms since 1970. */
  wallClockMs(): number;
  /** So many numbers wait for Postgres; what is beyond them is not counted. */
  waitingMax: number;
}

/** What happened in one minute; `count` only grows. */
export type MinuteCount<Name> = Name & { readonly minute: number; count: number };

/** A row of Postgres: the number is absolute, under an incarnation of this process. */
export type MinuteRow<Name> = Name & { minute: number; incarnation: string; count: number };

/**
 * Counts per minute until Postgres has each number (rule confirmed-flush). A number that Postgres
 * has and that grows afterwards is written again.
 */
export class MinuteCounts<Name extends object> {
  readonly #options: MinuteCountsOptions;
  /** Those of the current minute, by name. */
  readonly #current = new Map<string, MinuteCount<Name>>();
  /** Those that Postgres lacks. */
  readonly #waiting = new Set<MinuteCount<Name>>();
  #minute = 0;

  constructor(options: MinuteCountsOptions) {
    this.#options = options;
  }

  /** How many numbers Postgres lacks. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The count of the current minute. It begins at 0. */
  of(key: string, make: () => Name): MinuteCount<Name> {
    const minute = WINDOWS.minute.numberAt(this.#options.wallClockMs());
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#current.clear();
    }
    let count = this.#current.get(key);
    if (count === undefined) {
      count = { ...make(), minute, count: 0 };
      this.#current.set(key, count);
    }
    return count;
  }

  raise(count: MinuteCount<Name>): void {
    count.count += 1;
    if (this.#waiting.size < this.#options.waitingMax) this.#waiting.add(count);
  }

  /**
   * Writes what Postgres lacks.
   *
   * @param givesUp whether numbers are given up that could not be written
   * @throws what `send` throws
   */
  async write(
    send: (rows: readonly MinuteRow<Name>[]) => Promise<void>,
    givesUp: (error: unknown) => boolean = () => false,
  ): Promise<void> {
    if (this.#waiting.size === 0) return;
    const { incarnation } = this.#options;
    const sent = [...this.#waiting].map((of) => ({ of, row: { ...of, incarnation } }));
    const forget = () => {
      for (const { of, row } of sent) if (of.count === row.count) this.#waiting.delete(of);
    };
    try {
      await send(sent.map(({ row }) => row));
    } catch (error) {
      if (givesUp(error)) forget();
      throw error;
    }
    forget();
  }
}
