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

/** An allowed call with the secret that a rotation has replaced. */
export interface PreviousUse {
  projectId: string;
  apiKeyId: string;
  keyPrefix: string;
}

/** A call with the project secret that a rotation has replaced, whatever it was answered. */
export interface PreviousSecretUse {
  projectId: string;
  secretDigest: Buffer;
}

export interface ProcessCounterOptions {
  ledger: UsageLedger;
  /** Returns a random name for an incarnation. */
  newId: () => string;
  /** The current time in ms since 1970; a call is counted in the hour of this time. */
  wallClockMs: () => number;
  /** The most counts to keep in an hour, of denials and of costs each. Default: 250,000. */
  maxCounts?: number;
}

/** About 200 bytes each. Above it almost every call is a row of its own (docs/adr/0004). */
const COUNTS_MAX = 250_000;

/** Counts in memory the denials that never reach Redis, and what calls cost (rule denial-counts). */
export class ProcessCounter {
  readonly #options: ProcessCounterOptions;
  readonly #denials: HourCounts;
  readonly #costs: HourCounts;

  constructor(options: ProcessCounterOptions) {
    this.#options = options;
    this.#denials = new HourCounts(options);
    this.#costs = new HourCounts(options);
  }

  countDenial({ projectId, apiKeyId, policyId, outcome }: DenialRecord): void {
    const counted = this.#denials.raise(`${projectId}|${apiKeyId}|${policyId}|${outcome}`, 1);
    const about = { projectId, apiKeyId, policyId, outcome };
    this.#options.ledger.keep({ kind: 'hour', ...counted, ...about });
  }

  /** Counts how the cost of an allowed call differs from 1. */
  countCost({ projectId, apiKeyId, cost }: CostRecord): void {
    if (cost === 1) return;
    const of = cost === 0 ? 'free' : 'surplus';
    const counted = this.#costs.raise(`${projectId}|${apiKeyId}|${of}`, Math.abs(cost - 1));
    this.#options.ledger.keep({ kind: 'cost', ...counted, projectId, apiKeyId, of });
  }

  notePreviousUse({ projectId, apiKeyId, keyPrefix: previousPrefix }: PreviousUse): void {
    const { ledger, wallClockMs } = this.#options;
    ledger.keep({ kind: 'lastUse', projectId, apiKeyId, previousPrefix, count: wallClockMs() });
  }

  notePreviousSecret({ projectId, secretDigest }: PreviousSecretUse): void {
    const { ledger, wallClockMs } = this.#options;
    ledger.keep({ kind: 'secretUse', projectId, secretDigest, count: wallClockMs() });
  }
}

/**
 * The counts of one hour, under an incarnation of this process. Where another hour begins, or there are
 * too many, it drops them all and starts again under a new incarnation, because a count must not start
 * again from zero within its incarnation.
 */
class HourCounts {
  readonly #options: ProcessCounterOptions;
  readonly #counts = new Map<string, number>();
  #hour = Number.NaN;
  #incarnation = '';

  constructor(options: ProcessCounterOptions) {
    this.#options = options;
  }

  raise(name: string, by: number): { hour: number; incarnation: string; count: number } {
    const { newId, wallClockMs, maxCounts = COUNTS_MAX } = this.#options;
    const hour = WINDOWS.hour.numberAt(wallClockMs());
    const isFull = this.#counts.size >= maxCounts && !this.#counts.has(name);
    if (hour !== this.#hour || isFull) {
      this.#counts.clear();
      this.#hour = hour;
      this.#incarnation = newId();
    }
    const count = (this.#counts.get(name) ?? 0) + by;
    this.#counts.set(name, count);
    return { hour, incarnation: this.#incarnation, count };
  }
}
