import type { Logger } from '@ceiba/process/log';
import { type NewDecision, within } from '@ceiba/schema';
import type { Logger as OtelLogger } from '@opentelemetry/api-logs';
import type { LoggerProvider, LogRecordExporter } from '@opentelemetry/sdk-logs';
import { otelResource } from '../otel-resource.ts';
import { logRecordOf } from './log-record.ts';

/** Decisions that wait for the receiver, those that one request sends, and the pause in ms. */
export const EXPORT_LIMITS = { waiting: 5_000, perRequest: 500, pauseMs: 1_000 };

/** How often the log says how many decisions were lost, in ms. */
const REPORT_EVERY_MS = 60_000;
/** How long a Runtime that stops waits for the receiver, in ms. */
const STOP_BUDGET_MS = 2_000;
/** `ExportResultCode.SUCCESS`. */
const SUCCESS = 0;

export interface DecisionExporterOptions {
  /** In ms, monotonic. */
  now(): number;
  log: Pick<Logger, 'info' | 'warn'>;
  limits?: typeof EXPORT_LIMITS;
  /** The exporter of OTLP (HTTP, protobuf) where none is given; it reads the standard variables. */
  receiver?: LogRecordExporter;
  stopBudgetMs?: number;
}

/**
 * Sends decisions to another engine for logs, as they are made and without the cap of the table, with
 * the batch processor of the OpenTelemetry SDK. That counts no losses, so they are counted here: no
 * decision waits for it, and what finds no room, or is refused after the retries of the SDK, is lost.
 */
export class DecisionExporter {
  readonly #options: DecisionExporterOptions;
  readonly #limits: typeof EXPORT_LIMITS;
  #provider: LoggerProvider | undefined;
  #logger: OtelLogger | undefined;
  /** Those that are not yet in the queue of the SDK. */
  #added: NewDecision[] = [];
  #isStopped = false;
  #waiting = 0;
  #lost = 0;
  /** Of the lost ones, how many the log has named. */
  #reported = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;

  private constructor(options: DecisionExporterOptions) {
    this.#options = options;
    this.#limits = options.limits ?? EXPORT_LIMITS;
  }

  /** Loads the SDK, so that a Runtime without it pays nothing. */
  static async open(options: DecisionExporterOptions): Promise<DecisionExporter> {
    const { BatchLogRecordProcessor, LoggerProvider } = await import('@opentelemetry/sdk-logs');
    const { OTLPLogExporter } = await import('@opentelemetry/exporter-logs-otlp-proto');
    const made = new DecisionExporter(options);
    const processor = new BatchLogRecordProcessor({
      exporter: made.#counting(options.receiver ?? new OTLPLogExporter()),
      maxQueueSize: made.#limits.waiting,
      maxExportBatchSize: made.#limits.perRequest,
      scheduledDelayMillis: made.#limits.pauseMs,
    });
    const resource = await otelResource();
    made.#provider = new LoggerProvider({ resource, processors: [processor] });
    made.#logger = made.#provider.getLogger('ceiba');
    return made;
  }

  add(decision: NewDecision): void {
    if (this.#waiting >= this.#limits.waiting) {
      this.#lose(1);
      return;
    }
    this.#waiting += 1;
    // No decision waits for a record to be made: its answer is written first.
    if (this.#added.push(decision) === 1) setImmediate(() => this.#emit());
  }

  #emit(): void {
    const decisions = this.#added;
    this.#added = [];
    for (const decision of decisions) {
      try {
        this.#logger?.emit(logRecordOf(decision));
      } catch (error) {
        this.#waiting -= 1;
        this.#fail(1, error);
      }
    }
  }

  /** How many decisions wait for the receiver, also those that are being sent. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many decisions were lost since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** Sends what waits, for at most two seconds, and reports what was lost. Never rejects. */
  async stop(): Promise<void> {
    const { stopBudgetMs = STOP_BUDGET_MS } = this.#options;
    this.#emit();
    const sent = this.#provider?.shutdown() ?? Promise.resolve();
    await within(stopBudgetMs, sent, () => new Error('the receiver is too slow')).catch(() => {});
    this.#isStopped = true;
    this.#lost += this.#waiting;
    this.#waiting = 0;
    this.#report();
  }

  /** The receiver, with its losses counted. */
  #counting(receiver: LogRecordExporter): LogRecordExporter {
    return {
      export: (records, done) =>
        receiver.export(records, ({ code, error }) => {
          // What comes later was counted as lost.
          if (this.#isStopped) return done({ code: SUCCESS });
          this.#waiting -= records.length;
          if (code === SUCCESS) this.#succeed();
          else this.#fail(records.length, error);
          // The processor would only log it, as an error of the traces.
          done({ code: SUCCESS });
        }),
      forceFlush: () => receiver.forceFlush(),
      shutdown: () => receiver.shutdown(),
    };
  }

  #succeed(): void {
    if (this.#isFailing) this.#options.log.info('exporting the decision log works again');
    this.#isFailing = false;
  }

  #fail(decisions: number, error: unknown): void {
    const err = new Error(ADVICE, { cause: error });
    if (!this.#isFailing) this.#options.log.warn({ err }, 'exporting the decision log is failing');
    this.#isFailing = true;
    this.#lose(decisions);
  }

  #lose(decisions: number): void {
    this.#lost += decisions;
    if (this.#options.now() - this.#reportedAt >= REPORT_EVERY_MS) this.#report();
  }

  #report(): void {
    const lost = this.#lost - this.#reported;
    if (lost === 0) return;
    this.#options.log.warn({ lost }, 'decisions were not exported');
    this.#reported = this.#lost;
    this.#reportedAt = this.#options.now();
  }
}

const ADVICE =
  'decisions go on without it, and what is lost is counted; docs/run/decision-log.md says what to check';
