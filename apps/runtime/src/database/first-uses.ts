import type { Deadline } from '../deadline.ts';

interface Batch {
  readonly apiKeyIds: Set<string>;
  readonly written: Promise<void>;
}

/**
 * Writes the first uses of keys: one statement at a time, and keys that are first used while it is
 * under way share the next one, so that a burst of new keys costs few commits.
 */
export class FirstUses {
  readonly #write: (apiKeyIds: readonly string[]) => Promise<void>;
  #collecting: Batch | null = null;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(write: (apiKeyIds: readonly string[]) => Promise<void>) {
    this.#write = write;
  }

  /** @throws UnavailableError when the time is over, or what the write throws */
  record(apiKeyId: string, deadline: Deadline): Promise<void> {
    this.#collecting ??= this.#openBatch();
    this.#collecting.apiKeyIds.add(apiKeyId);
    return deadline.race('database', this.#collecting.written);
  }

  #openBatch(): Batch {
    const apiKeyIds = new Set<string>();
    const written = this.#lastWrite.then(() => {
      this.#collecting = null;
      return this.#write([...apiKeyIds]);
    });
    this.#lastWrite = written.catch(() => {});
    return { apiKeyIds, written };
  }
}
