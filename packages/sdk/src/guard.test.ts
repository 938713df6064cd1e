import { DENIAL_REASONS } from '@ceiba/contract/sets';
import { describe, expect, it, vi } from 'vitest';
import type { AccessEvent, AccessOptions } from './access-options.ts';
import { RuntimeTransportError } from './errors.ts';
import { createGuard, type IncomingQuestion, type Verdict } from './guard.ts';
import { allowDecision, createFakeRuntimeClient } from './testing.ts';
import type { Decision } from './types.ts';

const verdicts = Object.fromEntries(DENIAL_REASONS.map((reason) => [reason, reason]));
const fake = () =>
  createFakeRuntimeClient({ verdicts: { ...verdicts, good: 'allow', down: 'unavailable' } });

function question(
  apiKey: string | null,
  changes: Partial<IncomingQuestion> = {},
): IncomingQuestion {
  const credential =
    apiKey === null ? ({ kind: 'missing' } as const) : ({ kind: 'key', apiKey } as const);
  return { carriers: [{}], method: 'GET', target: '/v1/reports', credential, ...changes };
}

function judge(asked: IncomingQuestion, options: Partial<AccessOptions> = {}): Promise<Verdict> {
  const client = options.client ?? fake();
  return createGuard({ client, projectId: client.projectId, ...options })(asked);
}

async function replyTo(asked: IncomingQuestion, options: Partial<AccessOptions> = {}) {
  const verdict = await judge(asked, options);
  if (verdict.allowed) throw new Error('the request was allowed');
  return { ...verdict.reply, body: JSON.parse(verdict.reply.body) };
}

describe('the question', () => {
  it.each([
    ['/v1/reports', '/v1/reports'],
    ['/v1/reports?secret=1', '/v1/reports'],
    ['/v1/reports/?a=/b?c', '/v1/reports/'],
    ['?', ''],
    ['http://host/v1/reports?x', 'http://host/v1/reports'],
    ['/v1/%2e%2e/a;b//c#d', '/v1/%2e%2e/a;b//c#d'],
  ])('carries the target %j as it was sent, without its query', async (target, path) => {
    const client = fake();
    await judge(question('good', { target }), { client });
    expect(client.questions).toEqual([{ apiKey: 'good', method: 'GET', path }]);
  });

  it('carries null when the caller sent no key', async () => {
    const client = fake();
    const reply = await replyTo(question(null), { client });
    expect(client.questions[0]?.apiKey).toBeNull();
    expect(reply.status).toBe(401);
  });

  it('is not asked when the caller sent two different keys, which is denied as an unknown key', async () => {
    const client = fake();
    const reply = await replyTo(question(null, { credential: { kind: 'conflicting' } }), {
      client,
    });
    expect(client.questions).toEqual([]);
    expect(reply).toEqual(await replyTo(question('unknown')));
  });

  it('is not asked when the router saw another method than the caller sent', async () => {
    const client = fake();
    const asked = question('good', { method: 'POST', routedMethod: 'DELETE' });
    expect(await replyTo(asked, { client })).toEqual(await replyTo(question('policy_no_match')));
    expect(client.questions).toEqual([]);
  });

  it.each([{ id: '' }, { id: null }, { id2: '' }, { org: '7', id: '' }])(
    'is not asked when a route parameter is empty: %j',
    async (parameters) => {
      const client = fake();
      const reply = await replyTo(question('good', { parameters }), { client });
      expect(reply).toEqual(await replyTo(question('policy_no_match')));
      expect(client.questions).toEqual([]);
    },
  );

  it.each([undefined, null, {}, { id: '0' }, { id: undefined }, { '*': '' }, { 0: '' }])(
    'is asked about a target with the parameters %j',
    async (parameters) => {
      expect((await judge(question('good', { parameters }))).allowed).toBe(true);
    },
  );

  it('is about the project of the client: another project throws at start, and none is needed', () => {
    const client = fake();
    const projectId = '0192f0c0-0000-7000-8000-000000000009';
    expect(() => createGuard({ client, projectId })).toThrow(
      `projectId must be the project of the client, ${client.projectId}; leave it out`,
    );
    expect(() => createGuard({ client, projectId: '' })).toThrow('projectId must be the project');
    expect(() => createGuard({ client })).not.toThrow();
    expect(() => createGuard({ client, projectId: undefined })).not.toThrow();
    const letters = { ...client, projectId: '0192f0c0-0000-7000-8000-00000000ABCD' };
    for (const same of [letters.projectId.toLowerCase(), letters.projectId.toUpperCase()]) {
      expect(() => createGuard({ client: letters, projectId: same })).not.toThrow();
    }
  });
});

describe('the cost', () => {
  const asked = async (
    options: Partial<AccessOptions>,
    changes: Partial<IncomingQuestion> = {},
  ) => {
    const client = fake();
    const verdict = await judge(question('good', changes), { client, ...options });
    return [verdict.allowed, client.questions.map(({ cost }) => cost)];
  };

  it('is what the option says, a number or a function of the request', async () => {
    expect(await asked({})).toEqual([true, [undefined]]);
    expect(await asked({ cost: 25 })).toEqual([true, [25]]);
    expect(await asked({ cost: 0 })).toEqual([true, [0]]);
    const request = { rows: 7 };
    const cost = (of: typeof request) => of.rows;
    expect(await asked({ cost }, { request })).toEqual([true, [7]]);
    expect(await asked({ cost: () => 1_000_000 })).toEqual([true, [1_000_000]]);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_001, '5', null])(
    'of %j throws at start, and where a function returns it the request is not asked about',
    async (wrong) => {
      const cost = wrong as number;
      await expect(async () => judge(question('good'), { cost })).rejects.toThrow('whole number');
      const client = fake();
      const reply = await replyTo(question('good'), { client, cost: () => cost });
      expect([reply.status, client.questions]).toEqual([503, []]);
    },
  );

  it('that cannot be found out rejects the request, and reports it once', async () => {
    const error = new Error('no such field');
    const onDecision = vi.fn();
    const client = fake();
    const cost = () => {
      throw error;
    };
    const reply = await replyTo(question('good'), { client, cost, onDecision });
    expect([reply.status, client.questions]).toEqual([503, []]);
    expect(onDecision.mock.calls).toEqual([
      [expect.objectContaining({ outcome: 'failed', error, httpStatus: 503 })],
    ]);
  });

  it('of the first guard is that of the request, and a different one is warned about', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const client = fake();
    const carriers = [{}];
    for (const cost of [5, 5, undefined, 25]) {
      expect((await judge(question('good', { carriers }), { client, cost })).allowed).toBe(true);
    }
    expect(client.questions.map(({ cost }) => cost)).toEqual([5]);
    expect(warned).toHaveBeenCalledOnce();
    warned.mockRestore();
  });
});

describe('the reply', () => {
  it('is the same bytes for every 401 reason', async () => {
    const reasons = DENIAL_REASONS.slice(0, 5);
    const replies = await Promise.all(reasons.map((reason) => replyTo(question(reason))));
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(replies[0]).toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
      body: { error: 'service_unauthorized' },
    });
  });

  it.each(DENIAL_REASONS)('has exactly error and message for %s', async (reason) => {
    const { body, headers } = await replyTo(question(reason));
    expect(Object.keys(body as object)).toEqual(['error', 'message']);
    expect(headers['Content-Type']).toBe('application/json; charset=utf-8');
    expect(headers['Cache-Control']).toBe('no-store');
  });

  it.each(DENIAL_REASONS)('has the reason %s when the host enables that', async (reason) => {
    const { body } = await replyTo(question(reason), { exposeDenialReason: true });
    expect(body).toMatchObject({ denialReason: reason });
  });

  it('does not disclose the error when the Runtime failed', async () => {
    const { status, body } = await replyTo(question('down'), { exposeDenialReason: true });
    expect(status).toBe(503);
    expect(body).toEqual({
      error: 'service_unavailable',
      message: 'Access cannot be checked at the moment.',
    });
  });

  it.each([
    [
      'a transport error',
      new RuntimeTransportError('error_status', 'x', { status: 400, body: {} }),
      502,
    ],
    [
      'a status that is not valid HTTP',
      new RuntimeTransportError('error_status', 'x', { status: 600, body: {} }),
      502,
    ],
    ['an error of another kind', new Error('boom'), 503],
    ['nothing at all', undefined, 503],
  ])('rejects the request when the client rejects with %s', async (_name, error, status) => {
    const client = { ...fake(), authorize: () => Promise.reject(error) };
    expect((await replyTo(question('good'), { client })).status).toBe(status);
  });

  it('rejects the request when the client throws or returns no decision', async () => {
    const answers = [
      null,
      undefined,
      {},
      { allowed: 'true' },
      { ...allowDecision(), limits: null },
    ];
    for (const answer of answers) {
      const client = { ...fake(), authorize: async () => answer as unknown as Decision };
      expect((await judge(question('good'), { client })).allowed).toBe(false);
    }
    const throws = {
      ...fake(),
      authorize: () => {
        throw new Error('boom');
      },
    };
    expect((await replyTo(question('good'), { client: throws })).status).toBe(503);
  });
});

describe('customizeReply', () => {
  it('replaces the body and adds headers, and cannot change the status', async () => {
    const reply = await replyTo(question('rate_limited'), {
      customizeReply: ({ status, body }) => ({
        body: { type: 'about:blank', status, title: body.message },
        headers: { 'content-type': 'application/problem+json', 'X-Docs': '/limits' },
      }),
    });
    expect(reply.status).toBe(429);
    expect(reply.body).toMatchObject({ type: 'about:blank', status: 429 });
    expect(reply.headers).toMatchObject({ 'X-Docs': '/limits', 'Retry-After': '30' });
    expect(Object.keys(reply.headers).filter((name) => /^content-type$/i.test(name))).toEqual([
      'content-type',
    ]);
  });

  it('leaves out a header without a value', async () => {
    const headers = { 'X-Docs': '/limits', 'X-Request-Id': undefined } as unknown as Record<
      string,
      string
    >;
    const reply = await replyTo(question('unknown'), { customizeReply: () => ({ headers }) });
    expect(reply.headers).toMatchObject({ 'X-Docs': '/limits' });
    expect(Object.values(reply.headers)).not.toContain(undefined);
  });

  it('receives the reason, which the caller does not see', async () => {
    const customizeReply = vi.fn(() => undefined);
    const reply = await replyTo(question('revoked_api_key'), { customizeReply });
    expect(customizeReply).toHaveBeenCalledWith(
      expect.objectContaining({ status: 401 }),
      expect.objectContaining({ outcome: 'denied', denialReason: 'revoked_api_key' }),
    );
    expect(reply).toEqual(await replyTo(question('unknown')));
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['returns a header that cannot be sent', () => ({ headers: { 'x-a': 'a\r\nb' } })],
    ['returns a body that cannot be written as JSON', () => ({ body: 1n })],
  ])('is ignored with a warning, and the default reply sent, when it %s', async (_name, hook) => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const reply = await replyTo(question('unknown'), { customizeReply: hook });
    expect(reply).toEqual(await replyTo(question('unknown')));
    expect(warning).toHaveBeenCalledOnce();
    warning.mockRestore();
  });
});

describe('a request that gets no verdict', () => {
  it('is a warning with the cause, once for many', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const down = new RuntimeTransportError('unreachable', 'The Runtime cannot be reached');
    const guard = createGuard({ client: { ...fake(), authorize: () => Promise.reject(down) } });
    for (let n = 0; n < 3; n += 1) await guard(question('good'));
    expect(warning).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('the Runtime cannot be reached'),
      expect.objectContaining({ type: 'CeibaWarning' }),
    );
    warning.mockRestore();
  });
});

describe('onDecision', () => {
  it('receives an allow, a denial and a failure, without the query', async () => {
    const events: AccessEvent[] = [];
    const onDecision = (event: AccessEvent) => {
      events.push(event);
    };
    for (const key of ['good', 'revoked_api_key', 'down']) {
      await judge(question(key, { target: '/v1/reports?token=secret' }), { onDecision });
    }
    expect(events).toMatchObject([
      { outcome: 'allowed', method: 'GET', path: '/v1/reports', access: { limits: {} } },
      { outcome: 'denied', denialReason: 'revoked_api_key', httpStatus: 401 },
      { outcome: 'failed', error: { failure: 'unreachable' }, httpStatus: 503 },
    ]);
    for (const event of events) expect(event.durationMs).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it('cannot change a verdict by throwing or rejecting', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const hooks = [
      () => {
        throw new Error('boom');
      },
      () => Promise.reject(new Error('boom')),
    ];
    for (const onDecision of hooks) {
      expect((await judge(question('good'), { onDecision })).allowed).toBe(true);
      expect((await judge(question('unknown'), { onDecision })).allowed).toBe(false);
    }
    await vi.waitFor(() => expect(warning).toHaveBeenCalledTimes(4));
    warning.mockRestore();
  });

  it('may return anything, as in JavaScript `(event) => events.push(event)` does', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const events: AccessEvent[] = [];
    for (const result of [1, null, {}]) {
      const onDecision = (event: AccessEvent) => {
        events.push(event);
        return result as unknown as undefined;
      };
      expect((await judge(question('good'), { onDecision })).allowed).toBe(true);
    }
    expect(events).toHaveLength(3);
    expect(warning).not.toHaveBeenCalled();
    warning.mockRestore();
  });
});

describe('a request that passes several guards', () => {
  const counting = () => {
    const client = fake();
    return {
      client,
      guards: [1, 2].map(() => createGuard({ client, projectId: client.projectId })),
    };
  };

  it.each(['good', 'rate_limited', 'down'])(
    'has one verdict on the key %s, whether the guards judge it in turn or at once',
    async (apiKey) => {
      for (const atOnce of [false, true]) {
        const { client, guards } = counting();
        const asked = question(apiKey);
        const pending: Promise<Verdict>[] = [];
        for (const guard of guards) {
          pending.push(guard(asked));
          if (!atOnce) await pending.at(-1);
        }
        const [first, second] = await Promise.all(pending);
        expect(second).toEqual(first);
        expect(client.questions).toHaveLength(1);
      }
    },
  );

  it.each([
    ['another key', question('other')],
    ['another method', question('good', { method: 'POST' })],
    ['another path', question('good', { target: '/v1/billing' })],
  ])('is asked about again with %s', async (_name, asked) => {
    const { client, guards } = counting();
    const { carriers } = question('good');
    await guards[0]?.({ ...question('good'), carriers });
    await guards[1]?.({ ...asked, carriers });
    expect(client.questions).toHaveLength(2);
  });

  it('is asked about once per client, so that no project is judged by the keys of another', async () => {
    const [one, two] = [counting(), counting()];
    const asked = question('good');
    await one.guards[0]?.(asked);
    await two.guards[0]?.(asked);
    expect([one.client.questions.length, two.client.questions.length]).toEqual([1, 1]);
  });

  it('is recognised by any of the objects that stand for it, and no other request by its values', async () => {
    const { client, guards } = counting();
    const [raw, context, copy] = [{}, {}, {}];
    await guards[0]?.(question('good', { carriers: [raw, context] }));
    await guards[1]?.(question('good', { carriers: [copy, context] }));
    await guards[0]?.(question('good', { carriers: [copy] }));
    expect(client.questions).toHaveLength(1);
    await guards[0]?.(question('good'));
    expect(client.questions).toHaveLength(2);
  });

  it('is still denied by the guard that sees an empty parameter', async () => {
    const { guards } = counting();
    const asked = question('good');
    expect((await guards[0]?.(asked))?.allowed).toBe(true);
    expect((await guards[1]?.({ ...asked, parameters: { id: '' } }))?.allowed).toBe(false);
  });

  it('is reported to each onDecision once', async () => {
    const [shared, own] = [vi.fn(), vi.fn()];
    const client = fake();
    const asked = question('good');
    for (const onDecision of [undefined, shared, shared, own]) {
      await judge(asked, { client, onDecision });
    }
    expect([shared.mock.calls.length, own.mock.calls.length]).toEqual([1, 1]);
  });
});
