import type { Logger } from 'pino';
import { factKey, type UsageFact } from './facts.ts';
import { TaskHealth } from './health.ts';
import type { UsageLedger } from './ledger.ts';
import { chunksOf, type RecordUsage, recordFacts } from './record.ts';
import { type RepeatedTask, repeat } from './repeat.ts';

export interface FlusherOptions {
  ledger: UsageLedger;
  recordUsage: RecordUsage;
  log: Pick<Logger, 'info' | 'warn'>;
  /** From the start of one flush to the start of the next, in ms. */
  intervalMs?: number;
  /** How long one write may take, in ms. */
  budgetMs?: number;
}

/** What Postgres refused is tried again after this many flushes, not at each. */
const FLUSHES_BETWEEN_RETRIES = 60;

/**
 * Brings what the ledger holds to Postgres, every second and one flush at a time. A failure keeps
 * everything for the next flush (consistency rules 16 and 18).
 */
export class UsageFlusher {
  readonly #options: FlusherOptions;
  readonly #health: TaskHealth;
  /** Facts that Postgres refused on their own, by key, and the flush that tries them again. */
  readonly #refused = new Map<string, number>();
  readonly #repeated: RepeatedTask;
  #flushes = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: FlusherOptions) {
    this.#options = options;
    this.#health = new TaskHealth('writing usage to Postgres', options.log);
    const { intervalMs = 1000 } = options;
    this.#repeated = repeat(async () => {
      const startedAt = performance.now();
      await this.flushNow();
      return Math.max(0, intervalMs - (performance.now() - startedAt));
    });
  }

  /** Flushes what is held when its turn comes. Never rejects; `ledger.size` tells what is left. */
  flushNow(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#flush());
    return this.#flushing;
  }

  /** Ends the repetition and flushes a last time. */
  async stop(): Promise<void> {
    await this.#repeated.stop();
    await this.flushNow();
  }

  async #flush(): Promise<void> {
    this.#flushes += 1;
    const { ledger, recordUsage, budgetMs = 2000 } = this.#options;
    try {
      for (const chunk of chunksOf(this.#due(ledger.pending()))) {
        const { confirmed, refused, refusal } = await recordFacts(chunk, recordUsage, budgetMs);
        ledger.confirm(confirmed);
        this.#setAside(refused, refusal);
      }
      this.#health.worked();
    } catch (fault) {
      this.#health.failed(fault);
    }
  }

  #due(facts: UsageFact[]): UsageFact[] {
    if (this.#refused.size === 0) return facts;
    return facts.filter((fact) => (this.#refused.get(factKey(fact)) ?? 0) <= this.#flushes);
  }

  #setAside(refused: readonly UsageFact[], refusal: unknown): void {
    for (const [key, retryAt] of this.#refused) {
      if (retryAt <= this.#flushes) this.#refused.delete(key);
    }
    if (refused.length === 0) return;
    const { log } = this.#options;
    log.warn({ err: refusal, rows: refused.length }, 'Postgres refused rows of usage; kept');
    for (const fact of refused) {
      this.#refused.set(factKey(fact), this.#flushes + FLUSHES_BETWEEN_RETRIES);
    }
  }
}
