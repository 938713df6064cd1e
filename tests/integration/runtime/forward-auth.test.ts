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
