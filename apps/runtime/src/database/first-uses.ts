import type { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';

export interface FirstUseWriters {
  /** Writes those that it can write at once. @returns the others */
  writeAtOnce(apiKeyIds: readonly string[]): Promise<readonly string[]>;
  /** Writes one, and waits for whoever holds its row. */
  writeOne(apiKeyId: string): Promise<void>;
}

interface Batch {
  readonly apiKeyIds: Set<string>;
  /** Those that have to be written each alone. */
  readonly left: Promise<ReadonlySet<string>>;
}

/**
 * Writes the first uses of keys: one statement at a time, and keys that are first used while it is
 * under way share the next one, so that a burst of new keys costs few commits. A key whose row is
 * locked or cannot be written keeps no other waiting: it is written alone.
 */
export class FirstUses {
  readonly #writers: FirstUseWriters;
  #collecting: Batch | null = null;
  #lastBatch: Promise<unknown> = Promise.resolve();
  readonly #alone = new Map<string, Promise<void>>();
  #lastAlone: Promise<unknown> = Promise.resolve();

  constructor(writers: FirstUseWriters) {
    this.#writers = writers;
  }

  /** @throws UnavailableError when the time is over, or what the writers throw */
  record(apiKeyId: string, deadline: Deadline): Promise<void> {
    this.#collecting ??= this.#openBatch();
    this.#collecting.apiKeyIds.add(apiKeyId);
    const written = this.#collecting.left.then((left) =>
      left.has(apiKeyId) ? this.#writeAlone(apiKeyId) : undefined,
    );
    return deadline.race('database', written);
  }

  #openBatch(): Batch {
    const apiKeyIds = new Set<string>();
    const left = this.#lastBatch.then(() => {
      this.#collecting = null;
      return this.#writeBatch(apiKeyIds);
    });
    this.#lastBatch = left.catch(() => {});
    return { apiKeyIds, left };
  }

  /** A statement that Postgres refuses says nothing of most of its keys (consistency rule 4). */
  async #writeBatch(apiKeyIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    try {
      return new Set(await this.#writers.writeAtOnce([...apiKeyIds]));
    } catch (fault) {
      if (fault instanceof UnavailableError) throw fault;
      return apiKeyIds;
    }
  }

  /** One at a time, so that locked rows never hold more than one connection. */
  #writeAlone(apiKeyId: string): Promise<void> {
    const underWay = this.#alone.get(apiKeyId);
    if (underWay !== undefined) return underWay;
    const written = this.#lastAlone
      .then(() => this.#writers.writeOne(apiKeyId))
      .finally(() => this.#alone.delete(apiKeyId));
    this.#alone.set(apiKeyId, written);
    this.#lastAlone = written.catch(() => {});
    return written;
  }
}
