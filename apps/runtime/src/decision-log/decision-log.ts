import type { Decision } from '@ceiba/contract';
import type { Outcome } from '@ceiba/contract/sets';
import type { Charge } from '@ceiba/domain';
import type { Logger } from '@ceiba/process/log';
import { BackgroundTask } from '@ceiba/process/tasks';
import type { DecisionBatch, NewDecision } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';
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
const MS_PER_MINUTE = 60_000;

/** The decisions of one project, outcome and minute. */
interface Tally {
  readonly projectId: string;
  readonly outcome: Outcome;
  readonly minute: number;
  kept: number;
  leftOut: number;
}

interface Entry {
  record: NewDecision;
  tally: Tally;
}

/**
 * Keeps denials and a sample of the allows in memory and writes them to Postgres every second
 * (consistency rule 40). No decision waits for it or fails with it: what is above the cap, finds no
 * room or is refused by Postgres is left out, and counted.
 */
export class DecisionLog {
  readonly #options: DecisionLogOptions;
  readonly #limits: typeof DECISION_LOG_LIMITS;
  readonly #entries: Entry[] = [];
  /** Those of the current minute, by project and outcome. */
  readonly #tallies = new Map<string, Tally>();
  /** Those whose `leftOut` Postgres does not have yet. */
  readonly #gaps = new Set<Tally>();
  readonly #task: BackgroundTask;
  #minute = 0;
  #leftOut = 0;
  #hasReported = false;

  constructor(options: DecisionLogOptions) {
    this.#options = options;
    this.#limits = { ...DECISION_LOG_LIMITS, ...options.limits };
    const { intervalMs = 1_000, log } = options;
    this.#task = new BackgroundTask({
      name: 'writing the decision log',
      run: () => this.#flush(),
      pauseMs: ({ tookMs }) => Math.max(0, intervalMs - tookMs),
      log,
    });
  }

  /** Never throws: no decision may fail because of its record. A bug is logged once, and counted. */
  add(call: DecidedCall, decision: Decision, charge?: Charge): void {
    let tally: Tally | undefined;
    try {
      if (decision.allowed && !this.#isSampled(call.project.loggedAllowsPercent)) return;
      const outcome = decision.allowed ? 'allowed' : decision.denialReason;
      tally = this.#tallyOf(call.asker.projectId, outcome);
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

  /** Time since the start of the last write that succeeded, in ms. */
  get lagMs(): number {
    return this.#task.lagMs;
  }

  /** How many records wait for Postgres. */
  get waiting(): number {
    return this.#entries.length;
  }

  /** How many decisions were left out since the start. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Writes after a write that is under way. Never rejects. */
  flushNow(): Promise<void> {
    return this.#task.runNow();
  }

  /** Ends the repetition and writes a last time. Never rejects. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.flushNow();
  }

  #isSampled(percent: number): boolean {
    return percent > 0 && this.#options.random() * 100 < percent;
  }

  #tallyOf(projectId: string, outcome: Outcome): Tally {
    const minute = Math.floor(this.#options.wallClockMs() / MS_PER_MINUTE);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#tallies.clear();
    }
    const name = `${projectId}|${outcome}`;
    let tally = this.#tallies.get(name);
    if (tally === undefined) {
      tally = { projectId, outcome, minute, kept: 0, leftOut: 0 };
      this.#tallies.set(name, tally);
    }
    return tally;
  }

  #leaveOut(tally: Tally): void {
    tally.leftOut += 1;
    this.#leftOut += 1;
    if (this.#gaps.size < this.#limits.gaps) this.#gaps.add(tally);
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
    await this.#write({ decisions, gaps: [] }, budgetMs, (isRefused) => {
      this.#entries.splice(0, entries.length);
      if (isRefused) for (const { tally } of entries) this.#leaveOut(tally);
    });
  }

  async #writeGaps(budgetMs: number): Promise<void> {
    if (this.#gaps.size === 0) return;
    const { incarnation } = this.#options;
    const written = [...this.#gaps].map((tally) => ({ tally, leftOut: tally.leftOut }));
    const gaps = written.map(({ tally: { projectId, minute, outcome }, leftOut }) => {
      return { projectId, minute, outcome, incarnation, leftOut };
    });
    await this.#write({ decisions: [], gaps }, budgetMs, () => {
      for (const { tally, leftOut } of written) {
        if (tally.leftOut === leftOut) this.#gaps.delete(tally);
      }
    });
  }

  /** Waiting helps in an outage only: what Postgres refuses would hold up the rest for ever. */
  async #write(
    batch: DecisionBatch,
    budgetMs: number,
    forget: (isRefused: boolean) => void,
  ): Promise<void> {
    try {
      await this.#options.write(batch, budgetMs);
    } catch (error) {
      if (!(error instanceof UnavailableError)) forget(true);
      throw error;
    }
    forget(false);
  }
}

const BUG = 'a decision could not be recorded and is counted as left out; please report this';

const ADVICE =
  'decisions go on without it, and what does not fit is counted; docs/run/decision-log.md says what to check';
