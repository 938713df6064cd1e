import type { DenialReason } from '@ceiba/contract/sets';
import type { UsageLedger } from './ledger.ts';

/** A denial without a charge. */
export interface DenialRecord {
  projectId: string;
  apiKeyId: string | null;
  policyId: string | null;
  outcome: DenialReason;
}

export interface DenialCounterOptions {
  ledger: UsageLedger;
  /** Names an incarnation; random. */
  newId: () => string;
  /** In ms since 1970; decides the hour in which a denial is counted. */
  wallClockMs: () => number;
  mostFields?: number;
}

const MS_PER_HOUR = 3_600_000;

/**
 * Counts the denials that never reach Redis, in memory, under an incarnation of this process
 * (consistency rule 20). A number may not restart within its incarnation: when there are too many,
 * all are dropped and a new incarnation begins.
 */
export class DenialCounter {
  readonly #options: DenialCounterOptions;
  readonly #mostFields: number;
  readonly #counts = new Map<string, number>();
  #incarnation: string;

  constructor(options: DenialCounterOptions) {
    this.#options = options;
    this.#mostFields = options.mostFields ?? 10_000;
    this.#incarnation = options.newId();
  }

  countDenial({ projectId, apiKeyId, policyId, outcome }: DenialRecord): void {
    const hour = Math.floor(this.#options.wallClockMs() / MS_PER_HOUR);
    const field = `${hour}|${projectId}|${apiKeyId}|${policyId}|${outcome}`;
    if (this.#counts.size >= this.#mostFields && !this.#counts.has(field)) this.#beginIncarnation();
    const count = (this.#counts.get(field) ?? 0) + 1;
    this.#counts.set(field, count);
    const incarnation = this.#incarnation;
    const about = { projectId, apiKeyId, policyId, outcome };
    this.#options.ledger.keep({ kind: 'hour', hour, incarnation, count, ...about });
  }

  #beginIncarnation(): void {
    this.#counts.clear();
    this.#incarnation = this.#options.newId();
  }
}
