import type { AuthorizeExchanges, Question } from './authorize-exchanges.ts';
import { type Answer, QUESTION_BYTES_MAX, QUESTIONS_MAX } from './batch.ts';
import { RuntimeTransportError } from './errors.ts';
import { cancelled, StopReason, watchForStop } from './http/transport.ts';
import { isSampled } from './trace-context.ts';
import type { Decision } from './types.ts';

/** While fewer exchanges are in flight, a question leaves at once and alone. */
export const IN_FLIGHT_MAX = 4;
/** The longest wait for an exchange to end, in ms: a Runtime that hangs delays the others no longer. */
export const WAIT_MS_MAX = 20;
/** How long questions leave one by one after a batch was not served, in ms. */
export const ONE_BY_ONE_MS = 5 * 60_000;

type KeepContext = () => (work: () => void) => void;

/**
 * Lets questions share exchanges under load. When an exchange ends, the questions that wait leave as
 * one batch, in their order. Each has its own deadline, its own signal and its own answer; an exchange
 * is ended early only when all of its questions are gone. No question is sent twice.
 */
export class Coalescer {
  readonly #exchanges: AuthorizeExchanges;
  readonly #keepContext: KeepContext;
  readonly #now: () => number;
  #inFlight = 0;
  readonly #waiting = new Set<Waiter>();
  #waitTimer: NodeJS.Timeout | undefined;
  #batchesFrom = Number.NEGATIVE_INFINITY;

  /**
   * @param keepContext returns a function that runs work in the asynchronous context of that call.
   * @param now a monotonic clock in milliseconds.
   */
  constructor(
    exchanges: AuthorizeExchanges,
    keepContext: KeepContext,
    now: () => number = () => performance.now(),
  ) {
    this.#exchanges = exchanges;
    this.#keepContext = keepContext;
    this.#now = now;
  }

  /** @throws {RuntimeTransportError} when there is no decision. */
  ask(question: Question): Promise<Decision> {
    const leavesAlone = this.#inFlight < IN_FLIGHT_MAX || !this.#mayShare(question);
    return leavesAlone ? this.#count(this.#exchanges.one(question)) : this.#wait(question);
  }

  /** Fails the questions that wait. */
  close(): void {
    for (const waiter of this.#waiting) {
      waiter.stop(new RuntimeTransportError('unreachable', 'The client was closed'));
    }
  }

  /** A decision that shared a request would be missing from its trace. */
  #mayShare({ json, trace }: Question): boolean {
    if (trace && isSampled(trace)) return false;
    return this.#mayBatch() && Buffer.byteLength(json) <= QUESTION_BYTES_MAX;
  }

  #mayBatch(): boolean {
    return this.#now() >= this.#batchesFrom;
  }

  #wait(question: Question): Promise<Decision> {
    if (question.signal?.aborted) return Promise.reject(cancelled());
    const waiter = new Waiter(question, this.#keepContext());
    waiter.onStop = () => this.#waiting.delete(waiter);
    this.#waiting.add(waiter);
    this.#waitTimer ??= setTimeout(() => {
      while (this.#waiting.size > 0) this.#sendNext();
      this.#waitTimer = undefined;
    }, WAIT_MS_MAX);
    return waiter.decision;
  }

  /** Counts an exchange until its end, at which the questions that wait can leave. */
  async #count<T>(exchange: Promise<T>): Promise<T> {
    this.#inFlight += 1;
    try {
      return await exchange;
    } finally {
      this.#inFlight -= 1;
      while (this.#waiting.size > 0 && (this.#inFlight < IN_FLIGHT_MAX || !this.#mayBatch())) {
        this.#sendNext();
      }
    }
  }

  #sendNext(): void {
    const most = this.#mayBatch() ? QUESTIONS_MAX : 1;
    const next: Waiter[] = [];
    for (const waiter of this.#waiting) {
      this.#waiting.delete(waiter);
      if (next.push(waiter) === most) break;
    }
    if (this.#waiting.size === 0) {
      clearTimeout(this.#waitTimer);
      this.#waitTimer = undefined;
    }
    // An exchange belongs to the trace of a question in it, not to that of the one that just ended.
    next[0]?.inContext(() => void this.#send(next));
  }

  async #send(waiters: readonly Waiter[]): Promise<void> {
    const present = new Set(waiters);
    const abort = new AbortController();
    for (const waiter of waiters) {
      waiter.onStop = (error) => {
        present.delete(waiter);
        if (present.size === 0) abort.abort(new StopReason(error));
      };
    }
    const questions = waiters.map(({ question }) => question);
    const answers = await this.#count(this.#answersTo(questions, abort.signal));
    if (answers === null) {
      for (const waiter of present) waiter.inContext(() => void this.#send([waiter]));
    } else {
      for (const [index, answer] of answers.entries()) waiters[index]?.settle(answer);
    }
  }

  /** Never rejects; null as for a batch. */
  async #answersTo(
    questions: readonly Question[],
    signal: AbortSignal,
  ): Promise<readonly Answer[] | null> {
    const [question] = questions;
    if (question && questions.length === 1) {
      const decision = this.#exchanges.one({ ...question, signal });
      return [
        await decision.then(
          (decision) => ({ decision }),
          (error) => ({ error }),
        ),
      ];
    }
    const answers = await this.#exchanges.batch(questions, signal);
    if (answers === null) this.#batchesFrom = this.#now() + ONE_BY_ONE_MS;
    return answers;
  }
}

/** A question that waits, for an exchange and then for its answer, until its own deadline or signal. */
class Waiter {
  readonly question: Question;
  /** Runs work in the asynchronous context in which the question was asked. */
  readonly inContext: ReturnType<KeepContext>;
  readonly decision: Promise<Decision>;
  /** Called when the deadline or the signal ends the wait. */
  onStop: (error: RuntimeTransportError) => void = () => undefined;
  readonly #unwatch: () => void;
  #settle: (answer: Answer) => void = () => undefined;

  constructor(question: Question, inContext: ReturnType<KeepContext>) {
    this.question = question;
    this.inContext = inContext;
    this.decision = new Promise((resolve, reject) => {
      this.#settle = (answer) =>
        'decision' in answer ? resolve(answer.decision) : reject(answer.error);
    });
    this.#unwatch = watchForStop(question, (error) => this.stop(error));
  }

  stop(error: RuntimeTransportError): void {
    this.settle({ error });
    this.onStop(error);
  }

  /** The first answer counts. */
  settle(answer: Answer): void {
    this.#unwatch();
    this.#settle(answer);
  }
}
