import { named } from '../config.ts';
import { RuntimeTransportError } from '../errors.ts';
import type { HttpAnswer } from './transport.ts';

/**
 * The parsed body of an answer of 200.
 *
 * @param parse returns undefined for JSON of an unexpected shape.
 * @param maxResponseBytes the bound that the exchange had, for the message of the error.
 * @throws {RuntimeTransportError} for any other status, and for a body that `parse` does not accept.
 */
export function resultOf<T>(
  answer: HttpAnswer,
  parse: (body: unknown) => T | undefined,
  maxResponseBytes: number,
): T {
  if (answer.status !== 200) throw errorStatus(answer);
  const isWhole = answer.cutOff === null;
  const result = isWhole && isJson(answer) ? parse(readJson(answer.text)) : undefined;
  if (result === undefined) throw invalidAnswer(answer, maxResponseBytes);
  return result;
}

/** Whether a Runtime has accepted the secret and refused the question. */
export function isRefusedQuestion(answer: HttpAnswer): boolean {
  if (answer.status !== 400 || answer.cutOff !== null || !isJson(answer)) return false;
  const body = readJson(answer.text);
  return typeof body === 'object' && body !== null && 'error' in body
    ? body.error === 'invalid_request'
    : false;
}

/** Whether an error status came from something else than a Runtime, or a proxy in front of one. */
export function isOfAnother({ status, body }: RuntimeTransportError): boolean {
  const isError =
    typeof body === 'object' && body !== null && 'error' in body && 'requestId' in body;
  return status !== null && status < 500 && !isError;
}

/** The same error, whose message names the address and the setting to look at. */
export function withSetting(error: RuntimeTransportError, address: string): RuntimeTransportError {
  const { failure, status, body, cause } = error;
  return new RuntimeTransportError(
    failure,
    problemAt(error, address),
    { status, body },
    cause === undefined ? {} : { cause },
  );
}

function problemAt(error: RuntimeTransportError, address: string): string {
  const { failure, status, message } = error;
  const isElsewhere =
    failure === 'invalid_answer' || (failure === 'error_status' && isOfAnother(error));
  if (isElsewhere) {
    return `What answers at ${address} (status ${status}) is no Ceiba Runtime: ${named('runtimeBaseUrl')} must be the address of the Runtime, not of the console`;
  }
  if (status === 401) {
    return `The Runtime at ${address} refuses the project secret (401): check ${named('projectId')} and ${named('projectSecret')}`;
  }
  const setting = failure === 'error_status' ? '' : `: check ${named('runtimeBaseUrl')}`;
  return `${message} at ${address}${setting}`;
}

function isJson({ contentType }: HttpAnswer): boolean {
  return /^application\/json[ \t]*(?:;|$)/i.test(contentType);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorStatus(answer: HttpAnswer): RuntimeTransportError {
  const body = isJson(answer) ? (readJson(answer.text) ?? answer.text) : answer.text;
  const message = `The Runtime answered ${answer.status}`;
  return new RuntimeTransportError('error_status', message, { status: answer.status, body });
}

/** Leaves out JSON of an unexpected shape: it may contain a new key, and errors end up in logs. */
function invalidAnswer(answer: HttpAnswer, maxResponseBytes: number): RuntimeTransportError {
  const message = {
    too_large: `The answer of the Runtime is too large: more than ${maxResponseBytes / 1024} KiB`,
    broken: 'The answer of the Runtime broke off',
    whole: 'The Runtime answered with something other than the expected JSON',
  }[answer.cutOff ?? 'whole'];
  const body = isJson(answer) ? null : answer.text;
  return new RuntimeTransportError('invalid_answer', message, { status: answer.status, body });
}
