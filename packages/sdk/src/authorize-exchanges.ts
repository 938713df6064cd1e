import { type Answer, batchBody, parseBatchAnswers } from './batch.ts';
import { type CircuitBreaker, isRuntimeFailure } from './circuit-breaker.ts';
import { RuntimeTransportError } from './errors.ts';
import { type Decision, parseDecision } from './generated/wire.ts';
import { resultOf } from './http/answer.ts';
import type { Exchange, Transport } from './http/transport.ts';
import { fieldsOf, text } from './json.ts';
import type { TraceHeaders } from './trace-context.ts';

/** One question, as it is sent. */
export interface Question {
  /** The question as JSON text. */
  readonly json: string;
  /** Total deadline in milliseconds, from the moment in which it was asked. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly trace?: TraceHeaders | undefined;
}

/** The two kinds of exchange that ask for decisions. */
export interface AuthorizeExchanges {
  /** @throws {RuntimeTransportError} when there is no decision. */
  one(question: Question): Promise<Decision>;
  /**
   * Never rejects.
   *
   * @param questions of which none has a trace that is sampled.
   * @param signal ends the exchange; the deadlines and signals of the questions are the caller's task.
   * @returns one answer per question, in order; null when the route is not served, so that nothing
   * was asked.
   */
  batch(questions: readonly Question[], signal: AbortSignal): Promise<readonly Answer[] | null>;
}

/** A decision is small. */
const DECISION_BYTES_MAX = 64 * 1024;

/**
 * A Runtime that has the route gives none of these answers to a batch of this client. 404: it is older
 * and does not know the route. 405, 413: a proxy in front of it refuses the method or the size.
 */
const NOT_SERVED: readonly (number | null)[] = [404, 405, 413];

/** @param path the address of `authorize`; that of the batch lies below it. */
export function createAuthorizeExchanges(
  transport: Transport,
  path: string,
  breaker: CircuitBreaker,
): AuthorizeExchanges {
  async function ask<T>(
    target: Pick<Exchange, 'path' | 'body' | 'timeoutMs' | 'signal' | 'headers'>,
    parse: (body: unknown) => T | undefined,
    questions = 1,
  ): Promise<T> {
    const maxResponseBytes = questions * DECISION_BYTES_MAX;
    const answer = await transport.send({ method: 'POST', maxResponseBytes, ...target });
    return resultOf(answer, parse, maxResponseBytes);
  }

  function one({ json: body, timeoutMs, signal, trace }: Question): Promise<Decision> {
    return breaker.run(() => ask({ path, body, timeoutMs, signal, headers: trace }, parseDecision));
  }

  async function batch(questions: readonly Question[], signal: AbortSignal) {
    const count = questions.length;
    const body = batchBody(questions.map(({ json }) => json));
    // Each question has its own deadline, and none of them ends later.
    const timeoutMs = Math.max(...questions.map((question) => question.timeoutMs));
    // None of them is sampled, so with the trace of any of them the Runtime records nothing.
    const trace = questions.find((question) => question.trace)?.trace;
    const target = {
      path: `${path}/batch`,
      body,
      timeoutMs,
      signal,
      headers: trace,
    };
    const parse = (answer: unknown) => parseBatchAnswers(answer, count);
    try {
      return await breaker.run(() => ask(target, parse, count).catch(nullIfNotServed), isLost);
    } catch (error) {
      return questions.map(() => ({
        error: RuntimeTransportError.is(error) ? withoutEcho(error) : error,
      }));
    }
  }
  return { one, batch };
}

/** Not a failure for the circuit breaker: it must let the questions pass that are asked one by one. */
function nullIfNotServed(error: unknown): null {
  if (RuntimeTransportError.is(error) && NOT_SERVED.includes(error.status)) return null;
  throw error;
}

/** Whether nothing was decided, for a reason that shows a failing Runtime. */
function isLost(answers: readonly Answer[] | null): boolean {
  if (answers === null || answers.some((answer) => 'decision' in answer)) return false;
  return answers.some((answer) => 'error' in answer && isRuntimeFailure(answer.error));
}

/**
 * The error of a batch, for one of its questions. Of the body it keeps the fields of a Runtime's
 * error: a proxy may echo the request, which contains the keys of other callers.
 */
function withoutEcho(error: RuntimeTransportError): RuntimeTransportError {
  const { failure, message, status, cause } = error;
  const fields = fieldsOf(error.body);
  const code = text(fields?.error);
  const kept = (field: unknown) => text(field) ?? null;
  const body =
    code === undefined
      ? null
      : { error: code, message: kept(fields?.message), requestId: kept(fields?.requestId) };
  return new RuntimeTransportError(failure, message, { status, body }, { cause });
}
