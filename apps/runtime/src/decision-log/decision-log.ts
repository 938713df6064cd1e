import type { Decision } from '@ceiba/contract';
import type { Outcome } from '@ceiba/contract/sets';
import { type Charge, UNSAMPLED_PER_MINUTE } from '@ceiba/domain';
import type { Logger } from '@ceiba/process/log';
import { BackgroundTask } from '@ceiba/process/tasks';
import type { DecisionBatch, NewDecision } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';
import { type MinuteCount, MinuteCounts, type MinuteRow } from './minute-counts.ts';
import { type DecidedCall, recordOf } from './record.ts';

export interface DecisionLogOptions {
  /** Writes a batch within a time in ms; may get the same batch again. */
  write(batch: DecisionBatch, budgetMs: number): Promise<void>;
  /** Gets every record, also above the cap of the table. */
  exporter?: { add(record: NewDecision): void } | undefined;
  /** A random name of this process, for the numbers that it writes. */
  incarnation: string;
  /** From 0 up to but excluding 1. */
  random(): number;
  /** In ms since 1970. */
  wallClockMs(): number;
  /** In ms, the clock of `askedAtMs`. */
  now(): number;
  log: Pick<Logger, 'info' | 'warn'>;
  limits?: Partial<typeof DECISION_LOG_LIMITS>;
  /** From the start of one flush to the start of the next, in ms. */
  intervalMs?: number;
}

export const DECISION_LOG_LIMITS = {
  /** How many decisions of a project, outcome and minute are kept, so that a flood fills no disk. */
  perMinute: 600,
  /** How many decisions wait for Postgres. */
  waiting: 5_000,
  /** How many decisions one statement writes. */
  perStatement: 500,
  /** How many numbers of what was left out wait for Postgres. */
  gaps: 10_000,
};

/** One flush, in ms: what it does not write waits for the next one. */
const FLUSH_BUDGET_MS = 2_000;
/** With less time left, no further statement of a flush starts: one that is late costs the connection. */
const STATEMENT_BUDGET_MIN_MS = 500;

interface TallyName {
  readonly projectId: string;
  readonly outcome: Outcome;
  kept: number;
  /** Allows before the choice, while they are not sampled. */
  asked: number;
}

/** The decisions of one project, outcome and minute; what is counted are those that were left out. */
type Tally = MinuteCount<TallyName>;

interface Entry {
  record: NewDecision;
  tally: Tally;
}

/**
 * Keeps denials and a sample of the allows, or more of a project that is new (ADR 0067), in memory and
 * writes them to Postgres every second (rule log-never-waits). No decision waits for it or fails with
 * it: what is above the cap, finds no room or is refused by Postgres is left out, and counted.
 */
export class DecisionLog {
  readonly #options: DecisionLogOptions;
  readonly #limits: typeof DECISION_LOG_LIMITS;
  readonly #entries: Entry[] = [];
  readonly #tallies: MinuteCounts<TallyName>;
  readonly task: BackgroundTask;
  #leftOut = 0;
  #hasReported = false;

  constructor(options: DecisionLogOptions) {
    this.#options = options;
    this.#limits = { ...DECISION_LOG_LIMITS, ...options.limits };
    this.#tallies = new MinuteCounts({ ...options, waitingMax: this.#limits.gaps });
    const { intervalMs = 1_000, log } = options;
    this.task = new BackgroundTask({
      name: 'writing the decision log',
      run: () => this.#flush(),
      waiting: () => this.#entries.length + this.#tallies.waiting,
      pauseMs: ({ tookMs }) => Math.max(0, intervalMs - tookMs),
      log,
    });
  }

  /** Never throws: no decision may fail because of its record. A bug is logged once, and counted. */
  add(call: DecidedCall, decision: Decision, charge?: Charge): void {
    let tally: Tally | undefined;
    try {
      const { loggedAllowsPercent: percent, isUnsampled } = call.project;
      const isFirst = decision.allowed && isUnsampled && percent > 0;
      if (decision.allowed && !isFirst && !this.#isSampled(percent)) return;
      const outcome = decision.allowed ? 'allowed' : decision.denialReason;
      tally = this.#tallyOf(call.asker.projectId, outcome);
      if (isFirst && !isChosen(tally, percent)) return;
      const { perMinute, waiting } = this.#limits;
      const isFull = tally.kept >= perMinute || this.#entries.length >= waiting;
      const { exporter } = this.#options;
      if (isFull) this.#leaveOut(tally);
      if (isFull && exporter === undefined) return;
      const record = recordOf(call, decision, charge, this.#options.now());
      exporter?.add(record);
      if (isFull) return;
      this.#entries.push({ record, tally });
      tally.kept += 1;
    } catch (error) {
      if (tally !== undefined) this.#leaveOut(tally);
      if (!this.#hasReported) this.#options.log.warn({ err: error }, BUG);
      this.#hasReported = true;
    }
  }

  /** How many records wait for Postgres. */
  get waiting(): number {
    return this.#entries.length;
  }

  /** How many decisions were left out since the start. */
  get leftOut(): number {
    return this.#leftOut;
  }

  #isSampled(percent: number): boolean {
    return percent > 0 && this.#options.random() * 100 < percent;
  }

  #tallyOf(projectId: string, outcome: Outcome): Tally {
    return this.#tallies.of(`${projectId}|${outcome}`, () => ({
      projectId,
      outcome,
      kept: 0,
      asked: 0,
    }));
  }

  #leaveOut(tally: Tally): void {
    this.#tallies.raise(tally);
    this.#leftOut += 1;
  }

  /** @throws Error that says what to do, with the error of Postgres as its cause */
  async #flush(): Promise<void> {
    const endsAt = this.#options.now() + FLUSH_BUDGET_MS;
    const remainingMs = () => endsAt - this.#options.now();
    try {
      try {
        await this.#writeGaps(remainingMs());
      } finally {
        while (this.#entries.length > 0 && remainingMs() >= STATEMENT_BUDGET_MIN_MS) {
          await this.#writeSome(remainingMs());
        }
      }
    } catch (error) {
      throw new Error(ADVICE, { cause: error });
    }
  }

  async #writeSome(budgetMs: number): Promise<void> {
    const entries = this.#entries.slice(0, this.#limits.perStatement);
    const decisions = entries.map(({ record }) => record);
    const forget = () => this.#entries.splice(0, entries.length);
    try {
      await this.#options.write({ decisions, gaps: [] }, budgetMs);
    } catch (error) {
      if (isRefusal(error)) {
        forget();
        for (const { tally } of entries) this.#leaveOut(tally);
      }
      throw error;
    }
    forget();
  }

  #writeGaps(budgetMs: number): Promise<void> {
    const send = (rows: readonly MinuteRow<TallyName>[]) => {
      const gaps = rows.map(({ count: leftOut, kept: _, asked: __, ...gap }) => ({
        ...gap,
        leftOut,
      }));
      return this.#options.write({ decisions: [], gaps }, budgetMs);
    };
    return this.#tallies.write(send, isRefusal);
  }
}

/**
 * Of the allows of a minute that are not sampled: the first hundred, or the share of the project where
 * that is more.
 */
function isChosen(tally: Tally, percent: number): boolean {
  tally.asked += 1;
  const chosen = tally.kept + tally.count;
  return chosen < Math.max(UNSAMPLED_PER_MINUTE, (tally.asked * percent) / 100);
}

/** Waiting helps in an outage only: what Postgres refuses would hold up the rest for ever. */
const isRefusal = (error: unknown) => !(error instanceof UnavailableError);

const BUG = 'a decision could not be recorded and is counted as left out; please report this';

const ADVICE =
  'decisions go on without it, and what does not fit is counted; docs/run/decision-log.md says what to check';
