import { Agent, type ClientRequest, request } from 'node:http';
import {
  type AuthorizeBatchResult,
  authorizeBatchResultSchema,
  type Decision,
  decisionSchema,
  type Limits,
} from '@ceiba/contract';
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
  /** The key that an allow names. */
  apiKeyId?: string;
  /** Only for a question of a batch. */
  batch?: BatchPlace;
  /** A description of the answer for messages, with more detail than the verdict. */
  words: string;
}

export interface BatchPlace {
  /** Different for each batch. */
  id: number;
  place: number;
}

export const tookMs = (answer: Answer) => answer.answeredAtMs - answer.sentAtMs;

/** A question and the credentials that it is asked with. */
export interface Asking {
  who: Credentials;
  question?: Question | undefined;
}

/** A client for one Runtime with little overhead, so that times measure the Runtime. */
export interface Caller {
  readonly url: string;
  ask(who: Credentials, question?: Question): Promise<Answer>;
  /** Sends questions to one project as one batch. @returns their answers, in order */
  askBatch(askings: readonly Asking[]): Promise<Answer[]>;
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

/** How many batches all callers have sent. */
let batches = 0;

export function createCaller(url: string): Caller {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(url);
  const exchange = (method: string, path: string, secret?: string, body?: unknown) =>
    new Promise<Reply>((resolve, reject) => {
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

  const send = async ({ projectId, secret }: Credentials, route: string, body: unknown) => {
    const sentAtMs = performance.now();
    const address = `/rt/projects/${projectId}/${route}`;
    const reply = await exchange('POST', address, secret, body).catch((error: Error) => error);
    return { reply, times: { sentAtMs, answeredAtMs: performance.now() } };
  };

  return {
    url,
    async ask(who, question) {
      const { reply, times } = await send(who, 'authorize', bodyOf({ who, question }));
      return { ...judgementOf(reply), ...times };
    },
    async askBatch(askings) {
      const [first] = askings;
      if (first === undefined) return [];
      const body = { requests: askings.map(bodyOf) };
      const { reply, times } = await send(first.who, 'authorize/batch', body);
      batches += 1;
      const id = batches;
      const results = resultsOf(reply);
      const isWhole = results?.length === askings.length;
      return askings.map((_, place) => {
        const judgement = isWhole ? judgedResult(results[place]) : judgementOf(reply);
        return { ...judgement, ...times, batch: { id, place } };
      });
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

const bodyOf = ({ who, question = {} }: Asking) => {
  const { method = 'GET', path = '/v1/reports' } = question;
  return { apiKey: who.apiKey, method, path };
};

interface Reply {
  status: number;
  text: string;
}

type Judgement = Omit<Answer, 'sentAtMs' | 'answeredAtMs'>;

function judgementOf(reply: Reply | Error): Judgement {
  if (!(reply instanceof Error)) return judged(reply.status, reply.text);
  const verdict = reply instanceof Untaken ? 'not_accepted' : 'no_answer';
  return { verdict, status: null, limits: null, words: reply.message };
}

/** The results of a batch; null if it has none. */
function resultsOf(reply: Reply | Error): AuthorizeBatchResult['results'] | null {
  if (reply instanceof Error || reply.status !== 200) return null;
  return authorizeBatchResultSchema.safeParse(jsonOf(reply.text)).data?.results ?? null;
}

const judgedResult = (result: AuthorizeBatchResult['results'][number] | undefined): Judgement =>
  result?.status === 200
    ? judged(200, JSON.stringify(result.decision))
    : judged(result?.status ?? 0, JSON.stringify(result));

/** Parses the reply to a question. */
export function judged(status: number, text: string): Judgement {
  const words = `${status} ${text}`;
  if (status === 401) return { verdict: 'unauthorized', status, limits: null, words };
  if (status === 503) return { verdict: 'unavailable', status, limits: null, words };
  const decision = status === 200 ? decisionOf(text) : null;
  if (decision === null) return { verdict: 'something_else', status, limits: null, words };
  if (!decision.allowed) return { verdict: decision.denialReason, status, limits: null, words };
  const { limits, access } = decision;
  return { verdict: 'allowed', status, limits, apiKeyId: access.apiKey.apiKeyId, words };
}

const decisionOf = (text: string): Decision | null =>
  decisionSchema.safeParse(jsonOf(text)).data ?? null;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
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
