import { RuntimeTransportError } from './errors.ts';
import { type Decision, parseDecision } from './generated/wire.ts';
import { fieldsOf, text } from './json.ts';

/** The answer to one question: its decision, or why it has none. */
export type Answer = { readonly decision: Decision } | { readonly error: unknown };

/** The most questions in one batch. More of them cost no less each (docs/adr/0022). */
export const QUESTIONS_MAX = 64;

/** The most bytes of a question that shares a batch: 64 of this size fit into the Runtime's 1 MiB. */
export const QUESTION_BYTES_MAX = 16_000;

/** The body of a batch. @param questions JSON texts. */
export function batchBody(questions: readonly string[]): string {
  return `{"requests":[${questions.join(',')}]}`;
}

/**
 * Parses the answers to a batch from a JSON body.
 *
 * @returns undefined unless there is one result per question, because results are matched by their order.
 * A result that is not valid fails only its own question.
 */
export function parseBatchAnswers(body: unknown, questions: number): Answer[] | undefined {
  const results = fieldsOf(body)?.results;
  if (!Array.isArray(results) || results.length !== questions) return undefined;
  return results.map(parseResult);
}

function parseResult(result: unknown): Answer {
  const fields = fieldsOf(result);
  if (fields?.status !== 200) return { error: parseError(fields) ?? invalidResult() };
  const decision = parseDecision(fields.decision);
  return decision === undefined ? { error: invalidResult() } : { decision };
}

function parseError(fields: ReturnType<typeof fieldsOf>): RuntimeTransportError | null {
  const status = fields?.status;
  const error = text(fields?.error);
  const message = text(fields?.message);
  if (!isErrorStatus(status) || error === undefined || message === undefined) return null;
  const answer = { status, body: { error, message } };
  return new RuntimeTransportError('error_status', `The Runtime answered ${status}`, answer);
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599;
}

function invalidResult(): RuntimeTransportError {
  const message = 'The Runtime answered with something other than the expected JSON';
  return new RuntimeTransportError('invalid_answer', message, { status: 200, body: null });
}
