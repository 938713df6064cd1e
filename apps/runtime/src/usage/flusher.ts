import type { Logger } from '@ceiba/process/log';
import { BackgroundTask } from '@ceiba/process/tasks';
import { factKey, isLastUse, type UsageFact } from './facts.ts';
import type { UsageLedger } from './ledger.ts';
import { chunksOf, REFUSED, type RecordUsage, recordFacts } from './record.ts';

export interface FlusherOptions {
  ledger: UsageLedger;
  recordUsage: RecordUsage;
  log: Pick<Logger, 'info' | 'warn'>;
  /** From the start of one flush to the start of the next, in ms. */
  intervalMs?: number;
  /** How long one write may take, in ms. */
  budgetMs?: number;
}

/** A fact that Postgres refused is retried after this many flushes, not at each. */
const FLUSHES_BETWEEN_RETRIES = 60;

/** Last uses are written in every third flush: each costs more than a count, and none is decided by. */
const FLUSHES_PER_LAST_USE = 3;

/**
 * Writes the facts of the ledger to Postgres every second, one flush at a time. After an error the
 * next flush retries everything (rules confirmed-flush, adopted-usage and first-use). While Postgres
 * refuses a fact, each flush fails after it has written the others.
 */
export class UsageFlusher {
  readonly #options: FlusherOptions;
  /** The keys of facts that Postgres refused, with the flush that retries them. */
  readonly #refused = new Map<string, number>();
  /** Why, in the last refusal. */
  #refusal: unknown = null;
  readonly task: BackgroundTask;
  #flushes = 0;

  constructor(options: FlusherOptions) {
    this.#options = options;
    const { ledger, intervalMs = 1000, log } = options;
    this.task = new BackgroundTask({
      name: 'writing usage to Postgres',
      run: ({ aborted }) => this.#flush({ isLast: aborted }),
      waiting: () => ledger.size,
      pauseMs: ({ tookMs }) => Math.max(0, intervalMs - tookMs),
      log,
    });
  }

  async #flush({ isLast }: { isLast: boolean }): Promise<void> {
    this.#flushes += 1;
    const { ledger, recordUsage, budgetMs = 2000 } = this.#options;
    for (const chunk of chunksOf(this.#due(ledger.pending(), isLast))) {
      const { confirmed, refused, refusal } = await recordFacts(chunk, recordUsage, budgetMs);
      ledger.confirm(confirmed);
      this.#setAside(refused, refusal);
    }
    if (this.#refused.size > 0) throw new Error(REFUSED, { cause: this.#refusal });
  }

  #due(facts: UsageFact[], isLast: boolean): UsageFact[] {
    const withLastUses = isLast || this.#flushes % FLUSHES_PER_LAST_USE === 0;
    const due = withLastUses ? facts : facts.filter((fact) => !isLastUse(fact));
    if (this.#refused.size === 0) return due;
    return due.filter((fact) => (this.#refused.get(factKey(fact)) ?? 0) <= this.#flushes);
  }

  #setAside(refused: readonly UsageFact[], refusal: unknown): void {
    for (const [key, retryAt] of this.#refused) {
      if (retryAt <= this.#flushes) this.#refused.delete(key);
    }
    if (refused.length === 0) return;
    this.#refusal = refusal;
    this.#options.log.warn({ err: refusal, rows: refused.length }, REFUSED);
    for (const fact of refused) {
      this.#refused.set(factKey(fact), this.#flushes + FLUSHES_BETWEEN_RETRIES);
    }
  }
}
