import { forwardAuthBodySchema } from '@ceiba/contract';
import {
  DENIAL_REASONS,
  HOST_ERROR_FOR_DENIAL,
  HTTP_STATUS_FOR_DENIAL,
  IDENTITY_HEADERS,
} from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../../sdk/support/hosts.ts';
import { callers } from '../../support/callers.ts';
import { misjudged } from '../../support/judged-targets.ts';
import { withinOneMinute } from '../../support/minute.ts';
import { startRuntime } from '../../support/runtime.ts';
import { QUESTION, type Reply, runtimeClient } from '../../support/scenario.ts';
import { startTestRedis } from '../../support/services.ts';
import { startWorld } from './setup.ts';

const { world, runtime, databaseUrl } = await startWorld();

const project = await world.createProject();
const client = runtimeClient(runtime.url, project);
const apiKey = await project.createKey();
const denied = await callers(world, project);

const identityOf = (reply: Reply) =>
  Object.fromEntries(
    Object.entries(IDENTITY_HEADERS).flatMap(([field, header]) => {
      const value = reply.headers.get(header);
      return value === null ? [] : [[field, value]];
    }),
  );

describe('an allow', () => {
  it('is a 200 that says which key, policy and plan matched and what is left', async () => {
    const reply = await client.forwardAuth({ apiKey: apiKey.plaintext });
    expect(reply.status).toBe(200);
    expect(forwardAuthBodySchema.parse(reply.json)).toEqual({ allowed: true });
    const decision = await client.authorize({ apiKey: apiKey.plaintext });
    const { access } = decision.json as { access: { policy: { policyId: string } } };
    expect(identityOf(reply)).toEqual({
      projectId: project.projectId,
      decisionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      apiKeyId: apiKey.apiKeyId,
      policyId: access.policy.policyId,
      planId: project.plan.planId,
    });
    expect(reply.headers.get('ratelimit')).toMatch(/^"minute";r=\d+;t=\d+, "month";r=\d+;t=\d+$/);
    expect(reply.headers.get('ratelimit-policy')).toContain('"minute";q=1000000;w=60');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('names the customer of the key, its own id percent-encoded', async () => {
    const own = await world.createProject();
    const customer = await own.createCustomer();
    const externalId = 'Müller & Söhne / 50 %\u{1f333}';
    await world.db.sql`
      update customers set external_id = ${externalId} where id = ${customer.customerId}`;
    const { plaintext } = await own.createKey({ customerId: customer.customerId });
    const identity = identityOf(
      await runtimeClient(runtime.url, own).forwardAuth({ apiKey: plaintext }),
    );
    expect(identity.customerId).toBe(customer.customerId);
    expect(identity.customerExternalId).toMatch(/^[\x21-\x7e]+$/);
    expect(decodeURIComponent(identity.customerExternalId ?? '')).toBe(externalId);
  });

  it('names the day among the limits where a daily quota applies', async () => {
    const own = await world.createProject({ plan: { dailyQuota: 1 } });
    const gateway = runtimeClient(runtime.url, own);
    const { plaintext } = await own.createKey();
    const allowed = await gateway.forwardAuth({ apiKey: plaintext });
    expect(allowed.headers.get('ratelimit')).toMatch(
      /^"minute";r=\d+;t=\d+, "day";r=0;t=\d+, "month";r=\d+;t=\d+$/,
    );
    expect(allowed.headers.get('ratelimit-policy')).toContain(', "day";q=1;w=86400, ');
    const denied = await gateway.forwardAuth({ apiKey: plaintext });
    expect([denied.status, denied.json]).toEqual([
      429,
      { error: 'service_quota_exceeded', message: 'The quota is used up.' },
    ]);
    expect(denied.headers.get('ratelimit')).toMatch(/^"day";r=0;t=\d+$/);
    expect(denied.headers.get('ratelimit')).toContain(`t=${denied.headers.get('retry-after')}`);
  });

  it('charges exactly one call', async () => {
    await withinOneMinute(async () => {
      const one = await world.createProject({ plan: { rateLimitPerMinute: 1 } });
      const { plaintext } = await one.createKey();
      const gateway = runtimeClient(runtime.url, one);
      expect((await gateway.forwardAuth({ apiKey: plaintext })).status).toBe(200);
      expect((await gateway.forwardAuth({ apiKey: plaintext })).status).toBe(429);
    });
  });
});

describe('a denial', () => {
  it.each(DENIAL_REASONS)('%s has the status and the body of the SDK', async (reason) => {
    const { project: of, question } = denied[reason];
    const reply = await runtimeClient(runtime.url, of).forwardAuth(question);
    expect(reply.status).toBe(HTTP_STATUS_FOR_DENIAL[reason]);
    const body = forwardAuthBodySchema.parse(reply.json);
    expect(body).toMatchObject({ error: HOST_ERROR_FOR_DENIAL[reason] });
    expect(identityOf(reply)).toEqual({
      projectId: expect.any(String),
      decisionId: expect.any(String),
      denialReason: reason,
    });
    expect(reply.headers.get('www-authenticate')).toBe(reply.status === 401 ? 'Bearer' : null);
    const isLimit = reply.status === 429;
    expect(reply.headers.has('retry-after')).toBe(isLimit);
    expect(reply.headers.has('ratelimit')).toBe(isLimit);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('by a limit is a 403 for a gateway that asks for it, and is otherwise the same', async () => {
    const used = await world.createProject({ plan: { rateLimitPerMinute: 0 } });
    const { plaintext } = await used.createKey();
    const gateway = runtimeClient(runtime.url, used);
    const address = `/rt/projects/${used.projectId}/forward-auth`;
    const headers = {
      'x-api-key': plaintext,
      'x-original-method': 'GET',
      'x-original-uri': '/v1/reports?limits=403',
    };
    const of = async (path: string, more = {}) => {
      const reply = await gateway.call('GET', path, { headers: { ...headers, ...more } });
      return [reply.status, identityOf(reply).denialReason, reply.headers.has('retry-after')];
    };
    expect(await of(address)).toEqual([429, 'rate_limited', true]);
    expect(await of(`${address}?limits=403`)).toEqual([403, 'rate_limited', true]);
    // Below the prefix the query is the caller's.
    const own = '/v1/reports?limits=403';
    expect(await of(`${address}${own}`)).toEqual([429, 'rate_limited', true]);
  });

  it('is in the decision log, also of a request that the gateway did not name', async () => {
    const reply = await client.forwardAuth(
      { apiKey: apiKey.plaintext },
      { headers: { 'x-forwarded-method': 'GET' } },
    );
    const { decisionId, denialReason } = identityOf(reply);
    expect(denialReason).toBe('policy_no_match');
    await expect
      .poll(async () => (await client.getDecision(decisionId ?? '')).json, { timeout: 10_000 })
      .toMatchObject({ denialReason, method: 'UNKNOWN', apiKeyId: apiKey.apiKeyId });
  });
});

describe('a cost', () => {
  const own = world.createProject({ plan: { monthlyQuota: 1_000 } });
  const key = own.then((of) => of.createKey());

  /** What a question takes of the quota, or its status. */
  async function taken(query: string, headers: Record<string, string> = {}) {
    const of = await own;
    const left = async (address: string, more = {}) => {
      const reply = await runtimeClient(runtime.url, of).call('GET', address, {
        headers: {
          'x-api-key': (await key).plaintext,
          'x-original-method': 'GET',
          'x-original-uri': '/v1/reports',
          ...more,
        },
      });
      const rest = /"month";r=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1];
      return reply.status === 200 ? Number(rest) : reply.status;
    };
    const address = `/rt/projects/${of.projectId}/forward-auth`;
    const before = await left(`${address}?cost=0`);
    const after = await left(`${address}${query}`, headers);
    return after === 503 || after === 403 ? after : before - after;
  }

  it('in the gateway’s own address takes the place of the policy’s', async () => {
    expect(await taken('')).toBe(1);
    expect(await taken('?cost=25')).toBe(25);
    expect(await taken('?cost=0&limits=403')).toBe(0);
    expect(await taken('?limits=403&cost=7')).toBe(7);
  });

  it.each(['?cost=', '?cost=a', '?cost=1.5', '?cost=-1', '?cost=1000001', '?cost=5&cost=5'])(
    'of %s is a 503 without a verdict',
    async (query) => {
      expect(await taken(query)).toBe(503);
    },
  );

  it('that is not valid is in the log with what to correct', async () => {
    await expect
      .poll(async () => {
        // At most one line per second is written.
        await taken('?cost=many');
        return runtime.stdout();
      })
      .toMatch(/the gateway has ."many.*whole number from 0 to 1000000.*correct its configuration/);
  });

  it('is judged after the project secret, so that a stranger learns nothing of it', async () => {
    const before = runtime.stdout().length;
    const { projectId } = await own;
    const reply = await client.call('GET', `/rt/projects/${projectId}/forward-auth?cost=x`, {
      secret: 'wrong',
    });
    expect(reply.status).toBe(503);
    expect(runtime.stdout().slice(before)).not.toContain('correct its configuration');
  });

  it.each([
    [
      'a header',
      { cost: '0', 'x-cost': '0', 'x-ceiba-cost': '0', 'x-original-cost': '0' },
      '?cost=25',
    ],
    ['the query of the caller', { 'x-original-uri': '/v1/reports?cost=0' }, '?cost=25'],
    [
      'the query of the caller, where the gateway has no cost',
      { 'x-original-uri': '/v1/reports?cost=0' },
      '',
    ],
  ])('is not set by %s', async (_, headers, query) => {
    expect(await taken(query, headers)).toBe(query === '' ? 1 : 25);
  });

  it('is not set below the prefix, where the query is the caller’s', async () => {
    const of = await own;
    const { plaintext } = await key;
    const ask = async (query: string) => {
      const address = `/rt/projects/${of.projectId}/forward-auth/v1/reports${query}`;
      const reply = await runtimeClient(runtime.url, of).call('GET', address, {
        headers: { 'x-api-key': plaintext },
      });
      return Number(/"month";r=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1]);
    };
    const before = await ask('');
    expect(await ask('?cost=0')).toBe(before - 1);
    expect(await ask('?cost=25')).toBe(before - 2);
    expect(await ask('?cost=x')).toBe(before - 3);
  });

  it.each(['?cost=0', '?cost=0&page=2', '?limits=403&cost=0', '?c%6Fst=0'])(
    'that a gateway may have taken over from its caller, as %s, is denied',
    async (query) => {
      const [, sent = ''] = query.split(/\?(?:limits=403&)?/);
      expect(await taken(query, { 'x-original-uri': `/v1/reports?${sent}` })).toBe(403);
    },
  );

  it('of a gateway that appends its caller’s query is a 503 where that has one too', async () => {
    const headers = { 'x-original-uri': '/v1/reports?cost=0' };
    expect(await taken('?cost=25&cost=0', headers)).toBe(503);
  });
});

const ORIGINAL = ['X-Original-Method: GET', 'X-Original-URI: /v1/reports'];

/** Sends header lines as they are, and returns the status. */
async function ask(lines: readonly string[], target = '', method = 'GET'): Promise<number> {
  const address = `/rt/projects/${project.projectId}/forward-auth${target}`;
  const secret = `x-service-project-secret: ${project.secret}`;
  const { status } = await sendRaw(runtime.port, `${method} ${address} HTTP/1.1`, [
    secret,
    ...lines,
  ]);
  return status;
}

describe('the original request', () => {
  const withKey = (...lines: string[]) => [`x-api-key: ${apiKey.plaintext}`, ...lines];
  const FORWARDED = ['X-Forwarded-Method: GET', 'X-Forwarded-Uri: /v1/reports'];

  it('is logged as unclear with what is wrong, at most once a second', async () => {
    await ask(withKey('X-Original-URI: /v1/reports'));
    await expect
      .poll(() => runtime.stdout())
      .toContain('compare the gateway with examples/gateways');
  });

  it('may come in both families, where they agree', async () => {
    expect(await ask(withKey(...ORIGINAL, ...FORWARDED))).toBe(200);
    expect(await ask(withKey(...FORWARDED))).toBe(200);
  });

  it('is the request itself below the prefix, with its own method and target', async () => {
    expect(await ask(withKey(), '/v1/reports?page=2')).toBe(200);
    expect(await ask(withKey(), '/v1/reports', 'DELETE')).toBe(403);
    expect(await ask(withKey(), '/v1/billing')).toBe(403);
    expect(
      await ask(withKey('X-Original-Method: GET', 'X-Original-URI: /v1/reports'), '/v1/billing'),
    ).toBe(403);
  });

  it.each(['HEAD', 'OPTIONS', 'PROPFIND', 'TRACE'])('keeps the method %s', async (method) => {
    const named = withKey(`X-Original-Method: ${method}`, 'X-Original-URI: /v1/reports');
    expect(await ask(named)).toBe(403);
    expect(await ask(withKey(), '/v1/reports', method)).toBe(403);
    const own = await world.createProject({ policies: [{ method, pathPattern: '/v1/reports' }] });
    const { plaintext } = await own.createKey();
    const lines = [`x-service-project-secret: ${own.secret}`, `x-api-key: ${plaintext}`];
    const head = `${method} /rt/projects/${own.projectId}/forward-auth/v1/reports HTTP/1.1`;
    expect((await sendRaw(runtime.port, head, lines)).status).toBe(200);
  });

  it('is judged whatever the question itself carries: a body, an upgrade, a method', async () => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
    expect(await ask(withKey(...ORIGINAL, ...upgrade))).toBe(200);
    expect(await ask(withKey(...ORIGINAL, ...upgrade, 'Content-Length: 0'), '', 'POST')).toBe(200);
    const body = 'x'.repeat(2_000_000);
    const large = await client.forwardAuth({ apiKey: apiKey.plaintext }, { body });
    expect(large.status).toBe(200);
  });

  it('has the verdict of the policies for hostile targets, in headers and below the prefix', async () => {
    // Node refuses some bytes in a request line or a header: such a question has no verdict.
    const isAllowed = (status: number) => (status === 400 ? null : status === 200);
    const inHeaders = (target: string) =>
      ask(withKey('X-Original-Method: GET', `X-Original-URI: ${target}`));
    expect(await misjudged(async (target) => isAllowed(await inHeaders(target)))).toEqual([]);
    const below = async (target: string) =>
      target.startsWith('/') ? isAllowed(await ask(withKey(), target)) : null;
    expect(await misjudged(below)).toEqual([]);
  });
});

describe('a project secret that is missing or wrong', () => {
  it.each([
    ['missing', { secret: null }],
    ['empty', { secret: '' }],
    ['unknown', { secret: 'ceiba_secret_x' }],
    ['for a project that does not exist', { projectId: '0190a0b0-0000-7000-8000-000000000000' }],
    ['for a project ID that is no UUID', { projectId: 'nope' }],
  ])('%s is a 503 without a verdict, whatever key comes with it', async (_, options) => {
    for (const key of [null, apiKey.plaintext]) {
      const reply = await client.forwardAuth({ apiKey: key }, options);
      expect(reply.status).toBe(503);
      expect(reply.json).toMatchObject({ error: 'service_unavailable' });
      expect(identityOf(reply)).toEqual({});
    }
  });

  it('is accepted in no other place, and is in the log without its text', async () => {
    const elsewhere = { secret: null, headers: { authorization: `Bearer ${project.secret}` } };
    expect((await client.forwardAuth({ apiKey: apiKey.plaintext }, elsewhere)).status).toBe(503);
    await expect.poll(() => runtime.stdout()).toContain('refused a project secret');
    expect(runtime.stdout()).not.toContain(project.secret);
  });

  it('is refused when it is sent twice', async () => {
    const twice = `x-service-project-secret: ${project.secret}`;
    expect(await ask([twice, `x-api-key: ${apiKey.plaintext}`, ...ORIGINAL])).toBe(503);
  });
});

describe('an outage', () => {
  it('is a 503 with no verdict and no identity', async () => {
    const redis = await startTestRedis();
    const alone = await startRuntime({ databaseUrl, redisUrl: redis.url });
    try {
      const gateway = runtimeClient(alone.url, project);
      expect((await gateway.forwardAuth({ apiKey: apiKey.plaintext })).status).toBe(200);
      await redis.kill();
      const reply = await gateway.forwardAuth({ apiKey: apiKey.plaintext });
      expect(reply.status).toBe(503);
      expect(reply.json).toMatchObject({ error: 'service_unavailable' });
      expect(identityOf(reply)).toEqual({});
    } finally {
      await alone.stop();
      await redis.dispose();
    }
  });
});

it('leaves other addresses alone', async () => {
  const { projectId } = project;
  for (const path of [`/rt/projects/${projectId}/forward-authorize`, '/rt/forward-auth']) {
    expect((await client.call('GET', path, { headers: { ...QUESTION } })).status).toBe(404);
  }
});
