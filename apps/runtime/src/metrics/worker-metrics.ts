import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';

/** The part of a worker of `node:cluster` that is asked for its metrics. */
export type MetricsWorker = Pick<Worker, 'id' | 'isConnected' | 'send' | 'on' | 'once'>;

interface Question {
  readonly metricsQuestion: number;
}
interface Answer {
  readonly metricsAnswer: number;
  readonly metrics: Sample[];
}
type Sample = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/** A worker that takes longer, in ms, is counted with its last answer. */
const ANSWER_BUDGET_MS = 1_000;

/**
 * Adds up the metrics of all workers, in their primary. What a worker had counted by its last answer
 * stays counted after it has exited, so that no counter falls.
 */
export class WorkerMetrics {
  readonly #registry = new Registry();
  readonly #workers = new Set<MetricsWorker>();
  readonly #lastAnswers = new Map<MetricsWorker, readonly Sample[]>();
  readonly #waiting = new Map<number, (answer: Answer | null) => void>();
  readonly #exits: Counter;
  readonly #answering: Gauge;
  readonly #budgetMs: number;
  /** What the workers counted that have exited. */
  #ended: readonly object[] = [];
  #asked = 0;

  /** @param count - How many workers there should be. */
  constructor(count: number, budgetMs = ANSWER_BUDGET_MS) {
    this.#budgetMs = budgetMs;
    const registers = [this.#registry];
    new Gauge({
      name: 'ceiba_workers',
      help: 'Workers that there should be: RUNTIME_WORKERS.',
      registers,
    }).set(count);
    this.#answering = new Gauge({
      name: 'ceiba_workers_answering',
      help: 'Workers that answered when the metrics were read.',
      registers,
    });
    this.#exits = new Counter({
      name: 'ceiba_worker_exits_total',
      help: 'Workers that have exited and were replaced, or were stopped.',
      registers,
    });
    new Gauge({
      name: 'process_start_time_seconds',
      help: 'Start time of the process since unix epoch in seconds.',
      registers,
      aggregator: 'first',
    }).set(Date.now() / 1000 - process.uptime());
  }

  add(worker: MetricsWorker): void {
    this.#workers.add(worker);
    worker.on('message', (message: unknown) => {
      if (isAnswer(message)) this.#waiting.get(message.metricsAnswer)?.(message);
    });
    worker.once('exit', () => {
      this.#workers.delete(worker);
      this.#exits.inc();
      const counted = this.#lastAnswers.get(worker)?.filter(isCounted) ?? [];
      this.#lastAnswers.delete(worker);
      this.#ended = AggregatorRegistry.aggregate([this.#ended, counted]).getMetricsAsArray();
    });
  }

  /** @returns the metrics of all workers in the text format of Prometheus */
  async read(): Promise<string> {
    const answered = await Promise.all([...this.#workers].map((worker) => this.#ask(worker)));
    this.#answering.set(answered.filter(Boolean).length);
    const own = await this.#registry.getMetricsAsJSON();
    // The first says how a metric is added up: the start time is that of the primary.
    const all = [own, ...this.#lastAnswers.values(), this.#ended];
    return AggregatorRegistry.aggregate(all).metrics();
  }

  /** @returns whether the worker answered in time */
  async #ask(worker: MetricsWorker): Promise<boolean> {
    if (!worker.isConnected()) return false;
    this.#asked += 1;
    const metricsQuestion = this.#asked;
    const answer = await new Promise<Answer | null>((resolve) => {
      const timer = setTimeout(() => settle(null), this.#budgetMs);
      const settle = (answer: Answer | null) => {
        clearTimeout(timer);
        this.#waiting.delete(metricsQuestion);
        resolve(answer);
      };
      this.#waiting.set(metricsQuestion, settle);
      worker.send({ metricsQuestion } satisfies Question, (error) => error && settle(null));
    });
    // Late answers to two questions may arrive together with the exit: what has exited stays ended.
    if (answer !== null && this.#workers.has(worker)) this.#lastAnswers.set(worker, answer.metrics);
    return answer !== null;
  }
}

/** Answers the primary's questions for the metrics of this worker. */
export function answerForMetrics(registry: Registry): void {
  process.on('message', async (message: unknown) => {
    if (!isQuestion(message)) return;
    const metrics = await registry.getMetricsAsJSON();
    process.send?.({ metricsAnswer: message.metricsQuestion, metrics } satisfies Answer);
  });
}

/** Gauges end with their worker; what has been counted does not. */
const isCounted = ({ type }: Sample) => ['counter', 'histogram'].includes(String(type));

const isQuestion = (message: unknown): message is Question =>
  typeof message === 'object' && message !== null && 'metricsQuestion' in message;
const isAnswer = (message: unknown): message is Answer =>
  typeof message === 'object' && message !== null && 'metricsAnswer' in message;
