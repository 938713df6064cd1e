import { Batcher, SerialQueue } from '@ceiba/process/tasks';
import type { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';

export interface FirstUseWriters {
  /** Writes the keys whose rows are free. @returns the others */
  writeAtOnce(apiKeyIds: readonly string[]): Promise<readonly string[]>;
  /** Writes one key; waits for a lock on its row. */
  writeOne(apiKeyId: string): Promise<void>;
}

/**
 * Writes the first uses of keys, one statement at a time. Keys that are first used while a statement
 * is under way share the next one, so that a burst of new keys needs few commits. A key whose row is
 * locked or cannot be written is written alone, so that no other key waits for it.
 */
export class FirstUses {
  readonly #writers: FirstUseWriters;
  readonly #batches = new Batcher((apiKeyIds: readonly string[]) => this.#writeBatch(apiKeyIds));
  readonly #alone = new Map<string, Promise<void>>();
  /** One at a time, so that locked rows never hold more than one connection. */
  readonly #aloneQueue = new SerialQueue();

  constructor(writers: FirstUseWriters) {
    this.#writers = writers;
  }

  /** @throws UnavailableError when the deadline passes, or what the writers throw */
  record(apiKeyId: string, deadline: Deadline): Promise<void> {
    const written = this.#batches
      .add(apiKeyId)
      .then((left) => (left.has(apiKeyId) ? this.#writeAlone(apiKeyId) : undefined));
    return deadline.race('database', written);
  }

  /**
   * An error of the statement may be that of a single key (rule poisoned-item).
   *
   * @returns the keys that have to be written alone
   */
  async #writeBatch(apiKeyIds: readonly string[]): Promise<ReadonlySet<string>> {
    const distinct = new Set(apiKeyIds);
    try {
      return new Set(await this.#writers.writeAtOnce([...distinct]));
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
      return distinct;
    }
  }

  #writeAlone(apiKeyId: string): Promise<void> {
    const underWay = this.#alone.get(apiKeyId);
    if (underWay !== undefined) return underWay;
    const written = this.#aloneQueue
      .run(() => this.#writers.writeOne(apiKeyId))
      .finally(() => this.#alone.delete(apiKeyId));
    this.#alone.set(apiKeyId, written);
    return written;
  }
}
