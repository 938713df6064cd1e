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

/** An allowed call. */
export interface CostRecord {
  projectId: string;
  apiKeyId: string;
  cost: number;
}

export interface ProcessCounterOptions {
  ledger: UsageLedger;
  /** Returns a random name for an incarnation. */
  newId: () => string;
  /** The current time in ms since 1970; a denial is counted in the hour of this time. */
  wallClockMs: () => number;
  /** The most counts to keep. Default: 10,000. */
  maxCounts?: number;
}

/**
 * Counts in memory the denials that never reach Redis, and what calls cost, under an incarnation of this process
 * (rule denial-counts). When there are too many counts, it drops them all and starts again under a
 * new incarnation, because a count must not start again from zero within its incarnation.
 */
export class ProcessCounter {
  readonly #options: ProcessCounterOptions;
  readonly #maxCounts: number;
  readonly #counts = new Map<string, number>();
  #incarnation: string;

  constructor(options: ProcessCounterOptions) {
    this.#options = options;
    this.#maxCounts = options.maxCounts ?? 10_000;
    this.#incarnation = options.newId();
  }

  countDenial({ projectId, apiKeyId, policyId, outcome }: DenialRecord): void {
    const { hour, count, incarnation } = this.#raise(
      `${projectId}|${apiKeyId}|${policyId}|${outcome}`,
    );
    const about = { projectId, apiKeyId, policyId, outcome };
    this.#options.ledger.keep({ kind: 'hour', hour, incarnation, count, ...about });
  }

  /** Counts how the cost of an allowed call differs from 1. */
  countCost({ projectId, apiKeyId, cost }: CostRecord): void {
    if (cost === 1) return;
    const of = cost === 0 ? 'free' : 'surplus';
    const { hour, count, incarnation } = this.#raise(
      `${projectId}|${apiKeyId}|${of}`,
      Math.abs(cost - 1),
    );
    this.#options.ledger.keep({ kind: 'cost', hour, incarnation, count, projectId, apiKeyId, of });
  }

  #raise(name: string, by = 1) {
    const hour = WINDOWS.hour.numberAt(this.#options.wallClockMs());
    const field = `${hour}|${name}`;
    if (this.#counts.size >= this.#maxCounts && !this.#counts.has(field)) this.#beginIncarnation();
    const count = (this.#counts.get(field) ?? 0) + by;
    this.#counts.set(field, count);
    return { hour, count, incarnation: this.#incarnation };
  }

  #beginIncarnation(): void {
    this.#counts.clear();
    this.#incarnation = this.#options.newId();
  }
}
