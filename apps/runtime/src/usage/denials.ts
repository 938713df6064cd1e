import type { DenialReason } from '@ceiba/contract/sets';
import { WINDOWS } from '@ceiba/domain';
import type { UsageLedger } from './ledger.ts';

/** A denial that was decided without a charge. */
export interface DenialRecord {
  projectId: string;
  apiKeyId: string | null;
  policyId: string | null;
  outcome: DenialReason;
}

export interface DenialCounterOptions {
  ledger: UsageLedger;
  /** Returns a random name for an incarnation. */
  newId: () => string;
  /** The current time in ms since 1970; a denial is counted in the hour of this time. */
  wallClockMs: () => number;
  /** The most counts to keep. Default: 10,000. */
  maxCounts?: number;
}

/**
 * Counts in memory the denials that never reach Redis, under an incarnation of this process
 * (rule denial-counts). When there are too many counts, it drops them all and starts again under a
 * new incarnation, because a count must not start again from zero within its incarnation.
 */
export class DenialCounter {
  readonly #options: DenialCounterOptions;
  readonly #maxCounts: number;
  readonly #counts = new Map<string, number>();
  #incarnation: string;

  constructor(options: DenialCounterOptions) {
    this.#options = options;
    this.#maxCounts = options.maxCounts ?? 10_000;
    this.#incarnation = options.newId();
  }

  countDenial({ projectId, apiKeyId, policyId, outcome }: DenialRecord): void {
    const hour = WINDOWS.hour.numberAt(this.#options.wallClockMs());
    const field = `${hour}|${projectId}|${apiKeyId}|${policyId}|${outcome}`;
    if (this.#counts.size >= this.#maxCounts && !this.#counts.has(field)) this.#beginIncarnation();
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
