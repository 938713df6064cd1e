import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthorizeExchanges } from './authorize-exchanges.ts';
import { QUESTION_BYTES_MAX, QUESTIONS_MAX } from './batch.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { CeibaRuntimeClient, type CeibaRuntimeClientOptions } from './client.ts';
import { IN_FLIGHT_MAX } from './coalescer.ts';
import { parseCeibaConfig } from './config.ts';
import { RuntimeTransportError } from './errors.ts';
import { allowDecision, denyDecision } from './testing.ts';
import type { AuthorizeInput, AuthorizeOptions, Decision } from './types.ts';

/*
 * Batches over HTTP. The server holds the plain questions that keep the client busy. When it answers
 * one of them, everything that waits leaves as one batch.
 */

const PROJECT_ID = '0192f0c0-0000-7000-8000-000000000001';
const SECRET = 'ceiba_secret_never-to-be-shown';
const ONE = `/rt/projects/${PROJECT_ID}/authorize`;
const BATCH = `${ONE}/batch`;

interface Received {
  readonly url: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

let received: Received[];
let held: http.ServerResponse[];
let answerBatch: (res: http.ServerResponse, questions: AuthorizeInput[]) => void;
const server = http.createServer(async (req, res) => {
  let body = '';
  for await (const chunk of req.setEncoding('utf8')) body += chunk;
  received.push({ url: req.url, headers: req.headers, body });
  if (req.url === BATCH) answerBatch(res, JSON.parse(body).requests);
  else if (JSON.parse(body).apiKey === 'busy') held.push(res);
  else sendJson(res, 200, allowDecision({ decisionId: JSON.parse(body).apiKey }));
  if (held.length === IN_FLIGHT_MAX) server.emit('busy');
});

function sendJson(res: http.ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** An answer of 200 with the given results. */
const results = (make: (question: AuthorizeInput, index: number) => unknown) => {
  return (res: http.ServerResponse, questions: AuthorizeInput[]) =>
    sendJson(res, 200, { results: questions.map(make) });
};
const allowed = ({ apiKey }: AuthorizeInput) => ({
  status: 200,
  decision: allowDecision({ decisionId: apiKey ?? '' }),
});
const status = (code: number, body: unknown = {}) => {
  return (res: http.ServerResponse) => sendJson(res, code, body);
};

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received = [];
  held = [];
  answerBatch = results(allowed);
});

const open: CeibaRuntimeClient[] = [];
afterEach(() => {
  release();
  for (const client of open.splice(0)) client.close();
});

function connect(options: CeibaRuntimeClientOptions = {}, batching = true): CeibaRuntimeClient {
  const { port } = server.address() as AddressInfo;
  const config = parseCeibaConfig({
    runtimeBaseUrl: `http://127.0.0.1:${port}`,
    projectId: PROJECT_ID,
    projectSecret: SECRET,
    timeoutMs: 5_000,
    batching,
  });
  const client = new CeibaRuntimeClient(config, options);
  open.push(client);
  return client;
}

type Outcome = Decision | RuntimeTransportError;

async function outcomeOf(
  client: CeibaRuntimeClient,
  apiKey: string,
  options?: AuthorizeOptions,
  path = '/v1/reports',
): Promise<Outcome> {
  try {
    return await client.authorize({ apiKey, method: 'GET', path }, options);
  } catch (error) {
    if (error instanceof RuntimeTransportError) return error;
    throw error;
  }
}

/** Asks while the client is busy, so that the questions leave as one batch. */
async function outcomesOf(
  client: CeibaRuntimeClient,
  keys: readonly string[],
  ask: (key: string) => Promise<Outcome> = (key) => outcomeOf(client, key),
): Promise<Outcome[]> {
  const isBusy = once(server, 'busy');
  const busy = Array.from({ length: IN_FLIGHT_MAX }, () => outcomeOf(client, 'busy'));
  await isBusy;
  const outcomes = keys.map(ask);
  release(1);
  const answers = await Promise.all(outcomes);
  release();
  await Promise.all(busy);
  return answers;
}

/** Answers held questions with an error that neither opens nor closes a circuit. */
function release(count = held.length): void {
  for (const res of held.splice(0, count)) sendJson(res, 400, {});
}

const batches = () => received.filter(({ url }) => url === BATCH);
const plainKeys = () =>
  received
    .filter(({ url }) => url === ONE)
    .map(({ body }) => JSON.parse(body).apiKey)
    .filter((key) => key !== 'busy');
const KEYS = ['ceiba_one', 'ceiba_two', 'ceiba_three'] as const;

describe.each([
  ['node:http', {}],
  ['a custom fetch', { fetch }],
] as [string, CeibaRuntimeClientOptions][])('a batch over %s', (_name, options) => {
  it('is one request with the questions in order and the headers of any other', async () => {
    const outcomes = await outcomesOf(connect(options), KEYS);
    expect(outcomes).toEqual(KEYS.map((decisionId) => allowDecision({ decisionId })));
    const [batch] = batches();
    expect(batches()).toHaveLength(1);
    expect(JSON.parse(batch?.body ?? '')).toEqual({
      requests: KEYS.map((apiKey) => ({ apiKey, method: 'GET', path: '/v1/reports' })),
    });
    expect(batch?.headers).toMatchObject({
      'x-service-project-secret': SECRET,
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(batch?.headers).not.toHaveProperty('traceparent');
  });

  it('says that it is not sampled, as its questions say', async () => {
    const client = connect(options);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    await outcomesOf(client, KEYS, (key) =>
      outcomeOf(client, key, key === KEYS[1] ? { traceContext: { traceparent } } : {}),
    );
    expect(batches().map(({ headers }) => headers.traceparent)).toEqual([traceparent]);
  });

  it('gives each question its own answer: an outage or an error of one costs the others nothing', async () => {
    const given = [
      { status: 503, error: 'unavailable', message: 'Try again.' },
      { status: 200, decision: denyDecision('revoked_api_key') },
      { status: 400, error: 'invalid_request', message: '"requests.2.path" is required.' },
      { status: 200, decision: allowDecision() },
    ];
    answerBatch = results((_question, index) => given[index]);
    expect(await outcomesOf(connect(options), [...KEYS, 'ceiba_four'])).toMatchObject([
      { failure: 'error_status', status: 503, body: { error: 'unavailable' } },
      { allowed: false, denialReason: 'revoked_api_key' },
      { failure: 'error_status', status: 400, message: 'The Runtime answered 400' },
      { allowed: true },
    ]);
  });

  it.each([
    ['no status', { decision: allowDecision() }],
    ['a status as text', { status: '200', decision: allowDecision() }],
    ['another success', { status: 201, decision: allowDecision() }],
    ['no decision', { status: 200 }],
    ['an allow without access', { status: 200, decision: { allowed: true } }],
    ['an allow beside the status', { status: 200, ...allowDecision() }],
    ['an error of no valid status', { status: 600, error: 'unavailable', message: 'm' }],
    ['an outage without a code', { status: 503, decision: allowDecision() }],
    ['a bare allow', allowDecision()],
    ['null', null],
    ['an array', [allowDecision()]],
  ])('a result with %s fails its own question and no other', async (_shape, result) => {
    answerBatch = results((question, index) => (index === 1 ? result : allowed(question)));
    expect(await outcomesOf(connect(options), KEYS)).toMatchObject([
      { allowed: true, decisionId: KEYS[0] },
      { failure: 'invalid_answer', status: 200, body: null },
      { allowed: true, decisionId: KEYS[2] },
    ]);
  });

  const three = KEYS.map((apiKey) => allowed({ apiKey, method: 'GET', path: '/' }));
  it.each([
    ['fewer results than questions', { results: three.slice(1) }],
    ['more results than questions', { results: [...three, three[0]] }],
    ['no results', {}],
    ['results that are no list', { results: { ...three, length: 3 } }],
    ['a bare list', three],
    ['one allow', allowDecision()],
    ['null', null],
  ])('with %s fails all of its questions', async (_shape, body) => {
    answerBatch = (res) => sendJson(res, 200, body);
    const outcomes = await outcomesOf(connect(options), KEYS);
    expect(outcomes).toMatchObject(KEYS.map(() => ({ failure: 'invalid_answer', status: 200 })));
    expect(batches()).toHaveLength(1);
  });

  it.each([401, 403, 415, 429, 500, 503, 302])(
    'that is answered with %i fails all of its questions, each with its own error, and sends none twice',
    async (code) => {
      const error = { error: 'code', message: 'text', requestId: 'r' };
      answerBatch = status(code, error);
      const outcomes = await outcomesOf(connect(options), KEYS);
      const expected = { failure: 'error_status', status: code, body: error };
      expect(outcomes).toMatchObject(KEYS.map(() => expected));
      expect(new Set(outcomes).size).toBe(KEYS.length);
      expect(batches()).toHaveLength(1);
      expect(plainKeys()).toEqual([]);
    },
  );

  it('that is lost fails all of its questions, and sends none twice', async () => {
    answerBatch = (res) => void res.destroy();
    const outcomes = await outcomesOf(connect(options), KEYS);
    const expected = { failure: 'unreachable', status: null, cause: expect.any(Error) };
    expect(outcomes).toMatchObject(KEYS.map(() => expected));
    expect(batches()).toHaveLength(1);
    expect(plainKeys()).toEqual([]);
  });

  it('that is never answered fails each question at its own deadline', async () => {
    const closed = new Promise((resolve) => {
      answerBatch = (res) => void res.once('close', resolve);
    });
    const client = connect(options);
    const timeouts: Record<string, number> = { [KEYS[0]]: 100, [KEYS[1]]: 110, [KEYS[2]]: 120 };
    const hasty = (key: string) => outcomeOf(client, key, { timeoutMs: timeouts[key] });
    const messages = [100, 110, 120].map((ms) => `The Runtime gave no answer within ${ms} ms`);
    expect(await outcomesOf(client, KEYS, hasty)).toMatchObject(
      messages.map((message) => ({ failure: 'timeout', message })),
    );
    // No question of it is left, so its connection closes.
    await closed;
    expect(batches()).toHaveLength(1);
  });

  it('is not ended by one caller that cancels', async () => {
    const controller = new AbortController();
    answerBatch = (res, questions) => {
      controller.abort();
      results(allowed)(res, questions);
    };
    const client = connect(options);
    const cancel = (key: string) =>
      outcomeOf(client, key, key === KEYS[1] ? { signal: controller.signal } : {});
    expect(await outcomesOf(client, KEYS, cancel)).toMatchObject([
      { allowed: true, decisionId: KEYS[0] },
      { failure: 'aborted' },
      { allowed: true, decisionId: KEYS[2] },
    ]);
  });

  it.each([404, 405, 413])(
    'that is refused with %i is asked one by one, each question once, and so are later ones',
    async (code) => {
      const client = connect(options);
      answerBatch = status(code, { error: 'not_found', message: 'm', requestId: 'r' });
      const outcomes = await outcomesOf(client, KEYS);
      expect(outcomes).toMatchObject(KEYS.map((decisionId) => ({ allowed: true, decisionId })));
      expect(plainKeys().sort()).toEqual([...KEYS].sort());
      expect(await outcomesOf(client, KEYS)).toMatchObject(KEYS.map(() => ({ allowed: true })));
      expect(plainKeys()).toHaveLength(2 * KEYS.length);
      expect(batches()).toHaveLength(1);
    },
  );

  it.each([
    ['as text', 'text/plain', 502],
    ['as JSON', 'application/json', 500],
    ['as an HTML page', 'text/html', 200],
  ])('whose body a proxy echoes %s shows no key in an error', async (_name, type, code) => {
    answerBatch = (res, questions) => {
      const body = JSON.stringify({ error: 'bad_gateway', received: questions });
      res.writeHead(code, { 'content-type': type }).end(body);
    };
    const outcomes = await outcomesOf(connect(options), KEYS);
    for (const outcome of outcomes) {
      expect(outcome).toBeInstanceOf(RuntimeTransportError);
      expect(inspect(outcome, { depth: 9, showHidden: true })).not.toMatch(/ceiba_(?:one|two)/);
    }
  });

  it('may have an answer of 64 KiB per question', async () => {
    const padding = 'x'.repeat(60_000);
    answerBatch = results((question) => ({ ...allowed(question), padding }));
    const outcomes = await outcomesOf(connect(options), KEYS);
    expect(outcomes).toMatchObject(KEYS.map(() => ({ allowed: true })));
    const most = 64 * 1024 * KEYS.length;
    answerBatch = (res) => sendJson(res, 200, { results: [], padding: 'x'.repeat(most) });
    expect(await outcomesOf(connect(options), KEYS)).toMatchObject(
      KEYS.map(() => ({ failure: 'invalid_answer', message: expect.stringContaining('192 KiB') })),
    );
  });

  it('is not sent when the client closes before', async () => {
    const client = connect(options);
    const waiting = await outcomesOf(client, KEYS, (key) => {
      const outcome = outcomeOf(client, key);
      if (key === KEYS[2]) client.close();
      return outcome;
    });
    const expected = { failure: 'unreachable', message: 'The client was closed' };
    expect(waiting).toMatchObject(KEYS.map(() => expected));
    expect(batches()).toEqual([]);
  });

  it('is not sent when batching is off', async () => {
    const client = connect(options, false);
    const outcomes = await outcomesOf(client, KEYS);
    expect(outcomes).toMatchObject(KEYS.map(() => ({ allowed: true })));
    expect(batches()).toEqual([]);
  });
});

describe('a batch', () => {
  it('of the largest questions that may share one is within the 1 MiB of the Runtime', async () => {
    const client = connect();
    const frame = JSON.stringify({ apiKey: 'k', method: 'GET', path: '' }).length;
    const path = 'é'.repeat((QUESTION_BYTES_MAX - frame) / 2);
    const keys = Array.from({ length: QUESTIONS_MAX }, () => 'k');
    await outcomesOf(client, keys, (key) => outcomeOf(client, key, {}, path));
    expect(batches().map(({ body }) => JSON.parse(body).requests.length)).toEqual([64]);
    expect(Buffer.byteLength(batches()[0]?.body ?? '')).toBeGreaterThan(1_000_000);
    expect(Buffer.byteLength(batches()[0]?.body ?? '')).toBeLessThanOrEqual(1024 * 1024);
  });
});

describe('the circuit breaker', () => {
  const breaking = () => connect({ circuitBreaker: { failureThreshold: 2, openMs: 60_000 } });
  const unavailable = { status: 503, error: 'unavailable', message: 'm' };
  const isOpen = async (client: CeibaRuntimeClient) => {
    const outcome = await outcomeOf(client, 'probe');
    return outcome instanceof RuntimeTransportError && outcome.failure === 'circuit_open';
  };

  it.each([
    ['whose connection breaks', (res: http.ServerResponse) => void res.destroy()],
    ['whose questions all time out', () => undefined],
    ['in which every question meets an outage', results(() => unavailable)],
    [
      'that decided nothing because of an outage',
      results((_question, index) => (index ? unavailable : { ...unavailable, status: 400 })),
    ],
    ['without a valid answer', results(() => null)],
  ])('counts a batch %s as one failure', async (_name, answer) => {
    answerBatch = answer;
    const client = breaking();
    const hasty = (key: string) => outcomeOf(client, key, { timeoutMs: 200 });
    await outcomesOf(client, KEYS, hasty);
    // The second failure in a row opens the circuit: the first batch counted, and only once.
    const outcomes = await outcomesOf(client, KEYS, hasty);
    expect(outcomes).toMatchObject(
      KEYS.map(() => ({ failure: expect.not.stringMatching('open') })),
    );
    expect(await isOpen(client)).toBe(true);
  });

  it.each([
    ['with one decision', results((q, index) => (index === 1 ? allowed(q) : unavailable))],
    ['that was all refused', results(() => ({ ...unavailable, status: 400 }))],
  ])('counts a batch %s as a success', async (_name, answer) => {
    const client = breaking();
    for (const each of [results(() => unavailable), answer, results(() => unavailable)]) {
      answerBatch = each;
      await outcomesOf(client, KEYS);
    }
    expect(await isOpen(client)).toBe(false);
  });

  it('sends the questions of a probe whose route is not served one by one', async () => {
    let now = 0;
    const breaker = createCircuitBreaker({ failureThreshold: 1, openMs: 100 }, () => now);
    let status = 503;
    const transport = {
      send: async () => ({ status, contentType: 'text/plain', text: '', cutOff: null }),
      close: () => undefined,
    };
    const { one, batch } = createAuthorizeExchanges(transport, ONE, breaker);
    const question = { json: '{}', timeoutMs: 1_000, signal: undefined };
    const probe = () => batch([question, question], new AbortController().signal);
    await probe();
    now = 100;
    status = 404;
    expect(await probe()).toBeNull();
    await expect(one(question)).rejects.toMatchObject({ failure: 'error_status', status: 404 });
  });

  it('does not count a batch that all callers cancelled', async () => {
    const client = breaking();
    for (let batch = 0; batch < 2; batch += 1) {
      const controller = new AbortController();
      answerBatch = () => controller.abort();
      const { signal } = controller;
      const outcomes = await outcomesOf(client, KEYS, (key) => outcomeOf(client, key, { signal }));
      expect(outcomes).toMatchObject(KEYS.map(() => ({ failure: 'aborted' })));
    }
    expect(await isOpen(client)).toBe(false);
  });
});
