import {
  ERROR_MESSAGES,
  HTTP_STATUS_FOR_ERROR,
  type RuntimeErrorCode,
  type TransportErrorBody,
  wordsOfIssue,
} from '@ceiba/contract';
import { withoutCredentials } from '@ceiba/contract/redaction';
import type { InvalidInputError } from '@ceiba/schema';
import type { z } from 'zod';

/**
 * A request that the Runtime rejects, with the text that the caller gets. Every other error reaches
 * the caller as `internal` or `unavailable`, without its message.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: RuntimeErrorCode;
  /** What the body has in addition. */
  readonly more: Pick<TransportErrorBody, 'apiKeyId'>;

  constructor(code: RuntimeErrorCode, message: string, more: TransportError['more'] = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
}

/** One answer for a wrong secret and for an unknown project. */
export const unauthorized = () => new TransportError('unauthorized', ERROR_MESSAGES.unauthorized);

export const unknownField = (name: string) =>
  invalidRequest(`"${shortened(name)}" is not a known field.`);

export const invalidRequest = (message: string) => new TransportError('invalid_request', message);

/**
 * Names the first invalid field and what is wrong with it.
 *
 * @param within - Where the body holds what was parsed.
 */
export function invalidField(
  error: z.ZodError,
  within: readonly PropertyKey[] = [],
): TransportError {
  const issue = error.issues[0];
  if (issue === undefined) return invalidRequest('The body is not valid.');
  if (issue.code === 'unrecognized_keys') {
    return unknownField(issue.keys[0] ?? '');
  }
  const field = [...within, ...issue.path].join('.');
  return invalidRequest(`${field === '' ? 'The body' : `"${field}"`} ${wordsOfIssue(issue)}.`);
}

/**
 * Names the first field that breaks a rule of the verb.
 *
 * @param within - Where the body holds the input.
 */
export function invalidInput(
  { problems }: InvalidInputError,
  within: readonly PropertyKey[] = [],
): TransportError {
  const [problem] = problems;
  if (problem === undefined) return invalidRequest('The body is not valid.');
  return invalidRequest(`"${[...within, problem.field].join('.')}" ${problem.rule}.`);
}

const ECHO_LENGTH_MAX = 64;
/** A text of the caller: shortened, made printable and redacted. */
export const shortened = (text: string, longest = ECHO_LENGTH_MAX) =>
  withoutCredentials(text.slice(0, 8 * longest))
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, longest)
    .replaceAll('"', "'");

export function errorBody(
  code: RuntimeErrorCode,
  message: string,
  requestId: string,
  more: TransportError['more'] = {},
): { status: (typeof HTTP_STATUS_FOR_ERROR)[RuntimeErrorCode]; body: TransportErrorBody } {
  return {
    status: HTTP_STATUS_FOR_ERROR[code],
    body: { error: code, message, requestId, ...more },
  };
}
