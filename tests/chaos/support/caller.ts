import { Agent, type ClientRequest, request } from 'node:http';
import { type Decision, decisionSchema, type Limits } from '@ceiba/contract';
import { type DenialReason, PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';

/** The credentials of a question. */
export interface Credentials {
  projectId: string;
  secret: string;
  apiKey: string | null;
}

export interface Question {
  method?: string;
  path?: string;
}

/**
 * The result of a question. `not_accepted`: there was no connection, so nothing was sent. Any other
 * failure of a connection is `no_answer`.
 */
export type Verdict =
  | 'allowed'
  | DenialReason
  | 'unauthorized'
  | 'unavailable'
  | 'not_accepted'
  | 'no_answer'
  | 'something_else';

export interface Answer {
  verdict: Verdict;
  /** When the question was sent and when the answer was complete, by `performance.now()`. */
  sentAtMs: number;
  answeredAtMs: number;
  /** Null without an answer. */
  status: number | null;
  /** Only for an allow. */
  limits: Limits | null;
  /** A description of the answer for messages, with more detail than the verdict. */
  words: string;
}

export const tookMs = (answer: Answer) => answer.answeredAtMs - answer.sentAtMs;

/** A client for one Runtime with little overhead, so that times measure the Runtime. */
export interface Caller {
  readonly url: string;
  ask(who: Credentials, question?: Question): Promise<Answer>;
  /** @returns the status, or null without an answer */
  call(method: string, path: string, secret?: string, body?: unknown): Promise<number | null>;
  close(): void;
}

/**
 * The server exited before it accepted the connection, which the system then refuses, or before it
 * read from it, which the system then resets.
 */
const isUntaken = (call: ClientRequest, { code, syscall }: NodeJS.ErrnoException) =>
  !call.reusedSocket &&
  (code === 'ECONNREFUSED' || (code === 'ECONNRESET' && syscall !== undefined));

class Untaken extends Error {
  override message = 'the connection was not accepted';
}

/** Longer than any deadline of the Runtime. */
const REPLY_TIMEOUT_MS = 20_000;

export function createCaller(url: string): Caller {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(url);
  const exchange = (method: string, path: string, secret?: string, body?: unknown) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const call = request({
        agent,
        hostname,
        port,
        method,
        path,
        timeout: REPLY_TIMEOUT_MS,
        headers: {
          ...(secret === undefined ? {} : { [PROJECT_SECRET_HEADER]: secret }),
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        },
      });
      call.once('error', (error) => reject(isUntaken(call, error) ? new Untaken() : error));
      call.once('timeout', () => call.destroy(new Error('no answer in time')));
      call.once('response', (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.once('error', reject);
        reply.once('end', () =>
          resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      call.end(payload);
    });

  return {
    url,
    async ask({ projectId, secret, apiKey }, { method = 'GET', path = '/v1/reports' } = {}) {
      const body = { apiKey, method, path };
      const sentAtMs = performance.now();
      try {
        const reply = await exchange('POST', `/rt/projects/${projectId}/authorize`, secret, body);
        return { sentAtMs, answeredAtMs: performance.now(), ...judged(reply.status, reply.text) };
      } catch (error) {
        const words = error instanceof Error ? error.message : 'unknown error';
        const answeredAtMs = performance.now();
        const verdict = error instanceof Untaken ? 'not_accepted' : 'no_answer';
        return { verdict, status: null, limits: null, words, sentAtMs, answeredAtMs };
      }
    },
    async call(method, path, secret, body) {
      try {
        return (await exchange(method, path, secret, body)).status;
      } catch {
        return null;
      }
    },
    close: () => agent.destroy(),
  };
}

/** Parses the reply to a question. */
export function judged(status: number, text: string): Omit<Answer, 'sentAtMs' | 'answeredAtMs'> {
  const words = `${status} ${text}`;
  if (status === 401) return { verdict: 'unauthorized', status, limits: null, words };
  if (status === 503) return { verdict: 'unavailable', status, limits: null, words };
  const decision = status === 200 ? decisionOf(text) : null;
  if (decision === null) return { verdict: 'something_else', status, limits: null, words };
  return decision.allowed
    ? { verdict: 'allowed', status, limits: decision.limits, words }
    : { verdict: decision.denialReason, status, limits: null, words };
}

function decisionOf(text: string): Decision | null {
  try {
    return decisionSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export const countOf = (answers: readonly Answer[], verdict: Verdict) =>
  answers.filter((answer) => answer.verdict === verdict).length;

/** The number of each verdict, for messages. */
export function tally(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const { verdict } of answers) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ') || 'no answer';
}
