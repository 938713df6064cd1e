import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CeibaRuntimeClient, type CeibaRuntimeClientOptions } from './client.ts';
import { CeibaConfigError, parseCeibaConfig } from './config.ts';
import { RuntimeTransportError } from './errors.ts';
import { allowDecision } from './testing.ts';

const PROJECT_ID = '0192f0c0-0000-7000-8000-000000000001';
const KEY_ID = '0192f0c0-0000-7000-8000-000000000002';
const SECRET = 'ceiba_secret_never-to-be-shown';
const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
const SUMMARY = {
  apiKeyId: KEY_ID,
  displayName: 'Nightly job',
  keyPrefix: 'ceiba_Ab3dEf6h',
  status: 'active',
  createdAt: '2026-11-20T10:00:00.000Z',
  expiresAt: null,
  revokedAt: null,
  archivedAt: null,
  lastUsedAt: null,
};

const CUSTOMER_ID = '0192f0c0-0000-7000-8000-000000000003';
const CUSTOMER = {
  customerId: CUSTOMER_ID,
  externalId: 'acme',
  name: '',
  metadata: { crm: { id: 7 }, tags: [] },
  suspendedAt: null,
  plan: { planId: '0192f0c0-0000-7000-8000-000000000004', name: 'Gold' },
  subscriptionStatus: 'trialing',
  currentPeriodEnd: '2027-01-01T00:00:00.000Z',
  billingDay: 15,
  rateLimitPerMinute: null,
  dailyQuota: 0,
  monthlyQuota: 1_000_000_000_000,
  createdAt: '2026-11-20T10:00:00.000Z',
};
const STEP = { from: '2026-11-20T00:00:00.000Z', allowed: 3, denied: 1, cost: 75 };
const USAGE = {
  from: '2026-11-20T00:00:00.000Z',
  to: '2026-11-21T00:00:00.000Z',
  step: 'day',
  usage: [STEP],
};
const PERIOD = { from: USAGE.from, to: USAGE.to, cost: 75, dailyCost: 75 };

interface Recorded {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A server that records requests and gives the answers of the test. */
let answer: (res: http.ServerResponse, req: Recorded) => void;
let recorded: Recorded[];
let connections: number;
const server = http.createServer((req, res) => {
  let body = '';
  req.setEncoding('utf8');
  req.on('data', (chunk) => {
    body += chunk;
  });
  req.on('end', () => {
    const { method, url, headers } = req;
    const record = { method, url, headers, body };
    recorded.push(record);
    answer(res, record);
  });
});
server.on('connection', () => {
  connections += 1;
});

function json(status: number, body: unknown, type = 'application/json') {
  return (res: http.ServerResponse) => {
    res.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
  };
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  recorded = [];
  connections = 0;
  answer = json(200, allowDecision());
});

const port = () => (server.address() as AddressInfo).port;
const open: CeibaRuntimeClient[] = [];
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

const TRANSPORTS: [string, CeibaRuntimeClientOptions][] = [
  ['node:http', {}],
  ['a custom fetch', { fetch }],
];

describe.each(TRANSPORTS)('the client over %s', (_name, options) => {
  function connect(timeoutMs = 10_000, prefix = ''): CeibaRuntimeClient {
    const runtimeBaseUrl = `http://127.0.0.1:${port()}${prefix}`;
    const config = parseCeibaConfig({
      runtimeBaseUrl,
      projectId: PROJECT_ID,
      projectSecret: SECRET,
      timeoutMs,
    });
    const client = new CeibaRuntimeClient(config, options);
    open.push(client);
    return client;
  }

  async function failureOf(run: Promise<unknown>): Promise<RuntimeTransportError> {
    try {
      await run;
    } catch (error) {
      if (error instanceof RuntimeTransportError) return error;
      throw error;
    }
    throw new Error('the call succeeded');
  }

  const question = { apiKey: 'ceiba_key', method: 'GET', path: '/v1/reports' };
  const keys = `/rt/projects/${PROJECT_ID}/api-keys`;
  const customers = `/rt/projects/${PROJECT_ID}/customers`;

  it('sends the trace context of a question, and of nothing else', async () => {
    answer = json(200, allowDecision());
    const traceContext = { traceparent: TRACEPARENT, tracestate: 'a=b' };
    await connect().authorize(question, { traceContext });
    await connect().authorize(question);
    await connect().authorize(question, { traceContext: { traceparent: 'nonsense' } });
    const sent = recorded.map(({ headers }) => [headers.traceparent, headers.tracestate]);
    expect(sent).toEqual([
      [TRACEPARENT, 'a=b'],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('verifies the address and the secret without asking for a decision', async () => {
    answer = json(400, { error: 'invalid_request', message: 'no', requestId: 'r' });
    await connect().verify();
    expect(recorded).toMatchObject([
      { method: 'POST', url: `/rt/projects/${PROJECT_ID}/authorize`, body: '{}' },
    ]);
    for (const [status, body] of [
      [401, { error: 'unauthorized' }],
      [404, { error: 'not_found' }],
      [400, { error: 'another service' }],
      [503, { error: 'unavailable' }],
    ] as const) {
      answer = json(status, body);
      const error = await failureOf(connect().verify());
      expect(error).toMatchObject({ failure: 'error_status', status });
    }
    answer = json(200, allowDecision());
    expect(await failureOf(connect().verify())).toMatchObject({ failure: 'invalid_answer' });
  });

  it.each([
    [
      401,
      { error: 'unauthorized', requestId: 'r' },
      'projectId (CEIBA_PROJECT_ID) and projectSecret',
    ],
    [
      403,
      { error: 'forbidden' },
      'runtimeBaseUrl (CEIBA_RUNTIME_URL) must be the address of the Runtime',
    ],
    [200, {}, 'is no Ceiba Runtime'],
    [503, { error: 'unavailable', requestId: 'r' }, 'The Runtime answered 503'],
  ])(
    'names the address and the setting where it cannot verify: %s, %j',
    async (status, body, words) => {
      answer = json(status, body);
      const error = await failureOf(connect().verify());
      expect(error).toMatchObject({ status, message: expect.stringContaining(words) });
      expect(error).toMatchObject({ message: expect.stringContaining(' at http://') });
    },
  );

  it.each([
    ['listApiKeys', [], 'GET', keys, undefined, { apiKeys: [SUMMARY] }],
    ['getApiKey', [KEY_ID], 'GET', `${keys}/${KEY_ID}`, undefined, SUMMARY],
    [
      'createApiKey',
      ['Nightly job'],
      'POST',
      keys,
      { displayName: 'Nightly job' },
      { apiKeyId: KEY_ID, displayName: 'Nightly job', keyPrefix: 'p', plaintextKey: 'ceiba_x' },
    ],
    [
      'setApiKeyExpiry',
      [KEY_ID, '2027-01-01T00:00:00Z'],
      'PATCH',
      `${keys}/${KEY_ID}`,
      { expiresAt: '2027-01-01T00:00:00Z' },
      SUMMARY,
    ],
    ['setApiKeyExpiry', [KEY_ID, null], 'PATCH', `${keys}/${KEY_ID}`, { expiresAt: null }, SUMMARY],
    [
      'revokeApiKey',
      [KEY_ID],
      'POST',
      `${keys}/${KEY_ID}/revoke`,
      {},
      { apiKeyId: KEY_ID, status: 'revoked' },
    ],
    [
      'archiveApiKey',
      [KEY_ID],
      'POST',
      `${keys}/${KEY_ID}/archive`,
      {},
      { apiKeyId: KEY_ID, status: 'archived' },
    ],
    [
      'createApiKey',
      [{ displayName: 'Nightly job', externalCustomerId: 'acme', scopes: [], dailyQuota: 5 }],
      'POST',
      keys,
      { displayName: 'Nightly job', externalCustomerId: 'acme', scopes: [], dailyQuota: 5 },
      { apiKeyId: KEY_ID, displayName: 'Nightly job', keyPrefix: 'p', plaintextKey: 'ceiba_x' },
    ],
    [
      'updateApiKey',
      [KEY_ID, { customerId: CUSTOMER_ID, scopes: null }],
      'PATCH',
      `${keys}/${KEY_ID}`,
      { customerId: CUSTOMER_ID, scopes: null },
      {
        ...SUMMARY,
        customer: { customerId: CUSTOMER_ID, externalId: 'acme' },
        scopes: ['read'],
        rateLimitPerMinute: 1,
        dailyQuota: 2,
        monthlyQuota: 3,
      },
    ],
    [
      'findApiKeys',
      [{ status: 'active', metadata: { team: 'a&b' } }],
      'GET',
      `${keys}?status=active&limit=50&metadata.team=a%26b`,
      undefined,
      { apiKeys: [SUMMARY], nextCursor: null },
    ],
    [
      'createApiKeys',
      [[{ displayName: 'One' }]],
      'POST',
      `${keys}/batch`,
      { apiKeys: [{ displayName: 'One' }] },
      { results: [{ status: 409, error: 'conflict', message: 'no' }] },
    ],
    [
      'importApiKeys',
      [[{ displayName: 'One', secretSha256: 'ab' }]],
      'POST',
      `${keys}/import`,
      { apiKeys: [{ displayName: 'One', secretSha256: 'ab' }] },
      { results: [{ status: 409, error: 'conflict', message: 'no' }] },
    ],
    [
      'rotateApiKey',
      [KEY_ID, { keyPrefix: 'ceiba_Ab3dEf6h', overlapSeconds: 60 }],
      'POST',
      `${keys}/${KEY_ID}/rotate`,
      { keyPrefix: 'ceiba_Ab3dEf6h', overlapSeconds: 60 },
      { apiKeyId: KEY_ID, keyPrefix: 'p', plaintextKey: 'ceiba_x', previous: null },
    ],
    ['endPreviousSecret', [KEY_ID], 'POST', `${keys}/${KEY_ID}/end-previous-secret`, {}, SUMMARY],
    [
      'endPreviousSecret',
      [KEY_ID, { keyPrefix: 'ceiba_Ab3dEf6h' }],
      'POST',
      `${keys}/${KEY_ID}/end-previous-secret`,
      { keyPrefix: 'ceiba_Ab3dEf6h' },
      SUMMARY,
    ],
    [
      'getApiKeyUsage',
      [KEY_ID, { from: USAGE.from, step: 'day', to: undefined }],
      'GET',
      `${keys}/${KEY_ID}/usage?from=2026-11-20T00%3A00%3A00.000Z&step=day`,
      undefined,
      USAGE,
    ],
    ['getUsage', [], 'GET', `/rt/projects/${PROJECT_ID}/usage`, undefined, USAGE],
    [
      'customers.create',
      [{ externalId: 'acme', plan: 'Gold' }],
      'POST',
      customers,
      { externalId: 'acme', plan: 'Gold' },
      CUSTOMER,
    ],
    ['customers.get', [CUSTOMER_ID], 'GET', `${customers}/${CUSTOMER_ID}`, undefined, CUSTOMER],
    [
      'customers.list',
      [{ status: 'suspended', search: 'a&b=ü', limit: 2, cursor: undefined }],
      'GET',
      `${customers}?status=suspended&search=a%26b%3D%C3%BC&limit=2`,
      undefined,
      { customers: [CUSTOMER], nextCursor: 'after.x' },
    ],
    ['customers.list', [], 'GET', customers, undefined, { customers: [], nextCursor: null }],
    [
      'customers.update',
      [CUSTOMER_ID, { plan: null }],
      'PATCH',
      `${customers}/${CUSTOMER_ID}`,
      { plan: null },
      { ...CUSTOMER, plan: null, subscriptionStatus: null, currentPeriodEnd: null },
    ],
    [
      'customers.suspend',
      [CUSTOMER_ID],
      'POST',
      `${customers}/${CUSTOMER_ID}/suspend`,
      {},
      { ...CUSTOMER, suspendedAt: CUSTOMER.createdAt },
    ],
    ['customers.resume', [CUSTOMER_ID], 'POST', `${customers}/${CUSTOMER_ID}/resume`, {}, CUSTOMER],
    [
      'customers.usage',
      [CUSTOMER_ID, { step: 'month' }],
      'GET',
      `${customers}/${CUSTOMER_ID}/usage?step=month`,
      undefined,
      { ...USAGE, step: 'month', period: PERIOD },
    ],
    [
      'authorize',
      [{ ...question, cost: 25 }],
      'POST',
      `/rt/projects/${PROJECT_ID}/authorize`,
      { ...question, cost: 25 },
      allowDecision(),
    ],
    [
      'authorize',
      [question],
      'POST',
      `/rt/projects/${PROJECT_ID}/authorize`,
      question,
      allowDecision(),
    ],
  ] as const)('%s(%j) is %s %s', async (name, args, method, url, body, result) => {
    answer = json(200, result);
    type Methods = Record<string, (...a: unknown[]) => Promise<unknown>>;
    const [called = '', of] = name.split('.').reverse();
    const client = connect();
    const methods = (of === undefined ? client : client.customers) as unknown as Methods;
    expect(await methods[called]?.(...args)).toEqual(result);
    expect(recorded).toHaveLength(1);
    const [request] = recorded;
    expect([request?.method, request?.url]).toEqual([method, url]);
    expect(request?.headers['x-service-project-secret']).toBe(SECRET);
    expect(request?.headers['content-type']).toBe(body && 'application/json');
    expect(request?.body).toBe(body === undefined ? '' : JSON.stringify(body));
  });

  it('sends the key of a call that may be repeated, and only where it is given', async () => {
    answer = json(200, {
      apiKeyId: KEY_ID,
      displayName: 'One',
      keyPrefix: 'p',
      plaintextKey: 'ceiba_x',
    });
    await connect().createApiKey('One', { idempotencyKey: 'order-7' });
    await connect().createApiKey('One');
    const sent = recorded.map(({ headers }) => headers['idempotency-key']);
    expect(sent).toEqual(['order-7', undefined]);
  });

  it('reads the keys page by page, to the one without a next', async () => {
    const pages = [{ nextCursor: 'b' }, { nextCursor: 'c' }, {}];
    answer = (res) => {
      const at = recorded.length - 1;
      json(200, { apiKeys: [{ ...SUMMARY, displayName: `Key ${at}` }], ...pages[at] })(res);
    };
    const names: string[] = [];
    for await (const key of connect().eachApiKey({ status: 'active', limit: 1 })) {
      names.push(key.displayName);
    }
    expect(names).toEqual(['Key 0', 'Key 1', 'Key 2']);
    expect(recorded.map(({ url }) => new URL(`http://runtime${url}`).search)).toEqual([
      '?status=active&limit=1',
      '?status=active&cursor=b&limit=1',
      '?status=active&cursor=c&limit=1',
    ]);
  });

  it('finds a customer by exactly its external id, and none for another or an empty one', async () => {
    const client = connect();
    answer = json(200, { customers: [CUSTOMER], nextCursor: null });
    expect(await client.customers.getByExternalId('acme')).toEqual(CUSTOMER);
    expect(recorded[0]?.url).toBe(`${customers}?externalId=acme`);
    expect(await client.customers.getByExternalId('ACME')).toBeNull();
    answer = json(200, { customers: [], nextCursor: null });
    expect(await client.customers.getByExternalId('other')).toBeNull();
    recorded = [];
    expect(await client.customers.getByExternalId('')).toBeNull();
    expect(recorded).toEqual([]);
  });

  it('keeps the path prefix of the base URL', async () => {
    await connect(10_000, '/ceiba').authorize(question);
    expect(recorded[0]?.url).toBe(`/ceiba/rt/projects/${PROJECT_ID}/authorize`);
  });

  it.each(['', '.', '..'])('sends no id that would address another route: %j', async (apiKeyId) => {
    const client = connect();
    for (const run of [
      () => client.getApiKey(apiKeyId),
      () => client.setApiKeyExpiry(apiKeyId, null),
      () => client.revokeApiKey(apiKeyId),
      () => client.archiveApiKey(apiKeyId),
      () => client.updateApiKey(apiKeyId, { scopes: [] }),
      () => client.getApiKeyUsage(apiKeyId),
      () => client.customers.get(apiKeyId),
      () => client.customers.update(apiKeyId, { name: 'x' }),
      () => client.customers.suspend(apiKeyId),
      () => client.customers.resume(apiKeyId),
      () => client.customers.usage(apiKeyId),
    ]) {
      await expect(run()).rejects.toThrow(TypeError);
    }
    expect(recorded).toEqual([]);
  });

  it('escapes a key id and leaves its validation to the Runtime', async () => {
    answer = json(400, { error: 'invalid_request', message: 'm', requestId: 'r' });
    await failureOf(connect().getApiKey('../../x?y#z'));
    expect(recorded[0]?.url).toBe(`${keys}/..%2F..%2Fx%3Fy%23z`);
  });

  it.each([400, 401, 403, 404, 409, 413, 415, 429, 500, 503])(
    'throws a transport error with status and body for %i',
    async (status) => {
      const body = { error: 'code', message: 'text', requestId: 'r' };
      answer = json(status, body);
      const error = await failureOf(connect().listApiKeys());
      expect(error).toMatchObject({ failure: 'error_status', status, body });
      expect(inspect(error)).not.toContain(SECRET);
    },
  );

  it.each([301, 302, 303, 307, 308])(
    'never follows a %i, and sends the secret to no other server',
    async (status) => {
      answer = (res, { url }) => {
        if (url?.startsWith('/rt/')) res.writeHead(status, { location: '/elsewhere' }).end();
        else json(200, allowDecision())(res);
      };
      const error = await failureOf(connect().authorize(question));
      expect(error).toMatchObject({ failure: 'error_status', status });
      expect(recorded).toHaveLength(1);
    },
  );

  it('treats an answer of another shape or content type as a failure', async () => {
    const client = connect();
    for (const send of [
      json(200, { allowed: 'true' }),
      json(200, allowDecision(), 'text/html'),
      json(200, allowDecision(), 'application/jsonp'),
      json(201, allowDecision()),
      (res: http.ServerResponse) => void res.writeHead(204).end(),
    ]) {
      answer = send;
      expect((await failureOf(client.authorize(question))).status).toBeLessThan(300);
    }
    answer = json(200, { apiKeys: [SUMMARY, { ...SUMMARY, status: 'lost' }] });
    expect((await failureOf(client.listApiKeys())).failure).toBe('invalid_answer');
  });

  it('leaves a key out of the error when it cannot parse the answer', async () => {
    answer = json(200, { plaintextKey: 'ceiba_plaintext' });
    const error = await failureOf(connect().createApiKey('x'));
    expect(inspect(error, { depth: 9 })).not.toContain('ceiba_plaintext');
  });

  it('accepts a list of the size of 250,000 keys', async () => {
    const key = JSON.stringify({ ...SUMMARY, displayName: 'x'.repeat(100) });
    const body = `{"apiKeys":[${key}${' '.repeat(249_999 * key.length)}]}`;
    answer = (res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(body);
    expect(await connect(30_000).listApiKeys()).toMatchObject({ apiKeys: [{ apiKeyId: KEY_ID }] });
  }, 60_000);

  it('reports an answer that is too large, with the bound', async () => {
    answer = json(200, { ...allowDecision(), padding: 'x'.repeat(64 * 1024) });
    expect(await failureOf(connect().authorize(question))).toMatchObject({
      failure: 'invalid_answer',
      status: 200,
      body: null,
      message: 'The answer of the Runtime is too large: more than 64 KiB',
    });
    const mebibyte = Buffer.alloc(1024 * 1024, ' ');
    answer = (res) => {
      const body = Readable.from(Array.from({ length: 97 }, () => mebibyte));
      body.pipe(res.writeHead(200, { 'content-type': 'application/json' }));
    };
    expect(await failureOf(connect(30_000).listApiKeys())).toMatchObject({
      failure: 'invalid_answer',
      message: 'The answer of the Runtime is too large: more than 98304 KiB',
    });
  }, 60_000);

  it.each([0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 60_001, '1000', null])(
    'sends nothing with a deadline of %j ms, and names timeoutMs',
    async (timeoutMs) => {
      const call = { timeoutMs: timeoutMs as number };
      const client = connect();
      for (const run of [client.authorize(question, call), client.listApiKeys(call)]) {
        await expect(run).rejects.toThrow(CeibaConfigError);
        await expect(run).rejects.toThrow(/^timeoutMs must be a whole number/);
      }
      expect(recorded).toEqual([]);
    },
  );

  it('sends nothing twice after any answer', async () => {
    const client = connect(200);
    for (const send of [
      json(503, {}),
      (res: http.ServerResponse) => void res.destroy(),
      () => undefined,
    ]) {
      recorded = [];
      answer = send;
      await failureOf(client.authorize(question));
      expect(recorded).toHaveLength(1);
    }
  });

  it('reuses its connections', async () => {
    const client = connect();
    for (let call = 0; call < 20; call += 1) await client.authorize(question);
    expect(connections).toBeLessThanOrEqual(2);
  });

  it('gives up at the deadline of the config, or of the call', async () => {
    answer = () => undefined;
    const startedAt = performance.now();
    const error = await failureOf(connect(100).authorize(question));
    expect(error).toMatchObject({ failure: 'timeout', status: null, body: null });
    const patient = connect(5_000);
    expect((await failureOf(patient.authorize(question, { timeoutMs: 100 }))).failure).toBe(
      'timeout',
    );
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('stops when its signal fires before or during the call', async () => {
    const client = connect(5_000);
    const already = { signal: AbortSignal.abort() };
    expect((await failureOf(client.authorize(question, already))).failure).toBe('aborted');
    expect(recorded).toEqual([]);
    const controller = new AbortController();
    answer = () => controller.abort();
    const { signal } = controller;
    expect((await failureOf(client.authorize(question, { signal }))).failure).toBe('aborted');
  });

  it('is cancelled by its signal also when that carries the error of another call', async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new RuntimeTransportError('timeout', 'another call'));
    const { signal } = controller;
    const error = await failureOf(connect().authorize(question, { signal }));
    expect(error).toMatchObject({ failure: 'aborted', message: 'The call was cancelled' });
  });

  it('reports an unreachable Runtime', async () => {
    const config = parseCeibaConfig({
      runtimeBaseUrl: 'http://127.0.0.1:1',
      projectId: PROJECT_ID,
      projectSecret: SECRET,
    });
    const error = await failureOf(new CeibaRuntimeClient(config, options).authorize(question));
    expect(error).toMatchObject({ failure: 'unreachable', status: null });
  });

  it('keeps its secret out of logs', () => {
    const client = connect();
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(SECRET);
    expect(JSON.stringify(client)).not.toContain(SECRET);
  });
});

describe('the client', () => {
  it('accepts only the result of parseCeibaConfig', () => {
    const config = parseCeibaConfig({
      runtimeBaseUrl: 'http://127.0.0.1:1',
      projectId: PROJECT_ID,
      projectSecret: SECRET,
    });
    expect(() => new CeibaRuntimeClient({ ...config })).toThrow('parseCeibaConfig');
  });

  it.each([
    ['failureThreshold', 0],
    ['failureThreshold', Number.NaN],
    ['failureThreshold', 'x'],
    ['failureThreshold', Number.POSITIVE_INFINITY],
    ['openMs', -1],
    ['openMs', 1.5],
    ['openMs', null],
  ])('refuses a circuit breaker whose %s is %j', (option, value) => {
    const config = parseCeibaConfig({
      runtimeBaseUrl: 'http://127.0.0.1:1',
      projectId: PROJECT_ID,
      projectSecret: SECRET,
    });
    const make = () => new CeibaRuntimeClient(config, { circuitBreaker: { [option]: value } });
    expect(make).toThrow(CeibaConfigError);
    expect(make).toThrow(`circuitBreaker.${option} must be a whole number from 1 up`);
  });

  it('fails questions without sending them while its circuit breaker is open', async () => {
    const config = parseCeibaConfig({
      runtimeBaseUrl: `http://127.0.0.1:${port()}`,
      projectId: PROJECT_ID,
      projectSecret: SECRET,
    });
    const circuitBreaker = { failureThreshold: 2, openMs: 60_000 };
    const client = new CeibaRuntimeClient(config, { circuitBreaker });
    open.push(client);
    answer = json(503, {});
    const question = { apiKey: 'k', method: 'GET', path: '/' };
    const failures = [];
    for (let call = 0; call < 4; call += 1) {
      failures.push(await client.authorize(question).catch((error) => error.failure));
    }
    expect(failures).toEqual(['error_status', 'error_status', 'circuit_open', 'circuit_open']);
    expect(recorded).toHaveLength(2);
  });
});
