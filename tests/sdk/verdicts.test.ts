import {
  DENIAL_REASONS,
  HOST_ERROR_FOR_DENIAL,
  HTTP_STATUS_FOR_DENIAL,
} from '@ceiba/contract/sets';
import { parseList } from 'structured-headers';
import { afterAll, describe, expect, it } from 'vitest';
import { type Caller, callers } from '../support/callers.ts';
import { ADAPTERS, type Host, sendRaw, type WireReply } from './support/hosts.ts';
import { startRealRuntime } from './support/real-runtime.ts';
import { clientOf, loadSdk } from './support/sdk.ts';

/*
 * All ten verdicts on every adapter, from a real Runtime. The caller of each denial is built once;
 * each adapter then sends its request as a caller would.
 */

const sdk = await loadSdk();
const runtime = await startRealRuntime();
const scenarios = await callers(runtime.world, await runtime.world.createProject());
afterAll(() => runtime.close());

function header(reply: WireReply, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(reply.head)?.[1]?.trim();
}

/** The names and parameters of a structured field (RFC 9651). */
function fieldOf(reply: WireReply, name: string): Record<string, unknown>[] {
  return parseList(header(reply, name) ?? '').map(([value, parameters]) => ({
    name: value,
    ...Object.fromEntries(parameters),
  }));
}

describe.each(Object.keys(ADAPTERS))('%s', (adapter) => {
  async function present(
    { project, question: { apiKey, path } }: Caller,
    headers = apiKey === null ? [] : [`x-api-key: ${apiKey}`],
    options: object = {},
  ): Promise<{ host: Host; reply: WireReply }> {
    const client = clientOf(sdk, runtime.url, project);
    const { projectId } = project;
    const host = await ADAPTERS[adapter]!(sdk, { client, projectId, ...options });
    try {
      return { host, reply: await sendRaw(host.port, `GET ${path} HTTP/1.1`, headers) };
    } finally {
      await host.close();
      client.close();
    }
  }

  it.each([
    ['x-api-key', (key: string) => `x-api-key: ${key}`],
    ['Authorization: Bearer', (key: string) => `Authorization: Bearer ${key}`],
  ])(
    'runs the handler on an allow, with the access context, for a key in %s',
    async (_name, line) => {
      const { project, question, key } = scenarios.allowed;
      const { host, reply } = await present(scenarios.allowed, [line(question.apiKey ?? '')]);
      expect(reply.status).toBe(200);
      expect(host.handled).toEqual(['reports']);
      const { access, ceiba } = JSON.parse(reply.body);
      const { limits, decisionId } = access;
      // A Next handler has no request to attach it to: it gets `access` as its third argument.
      expect(ceiba).toEqual(
        adapter === 'next' ? undefined : { ...access.access, limits, decisionId },
      );
      expect(access).toMatchObject({
        access: {
          projectId: project.projectId,
          apiKey: { apiKeyId: key?.apiKeyId, displayName: key?.displayName },
          policy: { method: 'GET', pathPattern: '/v1/reports*' },
          plan: project.plan,
        },
        limits: { rateLimitPerMinute: 1_000_000, monthlyQuota: 1_000_000 },
      });
      expect(access.decisionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    },
  );

  it('reports the limits of an allow as structured fields', async () => {
    const { reply } = await present(scenarios.allowed);
    const { limits } = JSON.parse(reply.body).access;
    expect(fieldOf(reply, 'RateLimit-Policy')).toEqual([
      { name: 'minute', q: 1_000_000, w: 60 },
      { name: 'month', q: 1_000_000 },
    ]);
    const [minute, month] = fieldOf(reply, 'RateLimit');
    expect(minute).toMatchObject({ name: 'minute', r: limits.remainingThisMinute });
    expect(minute?.t).toBeLessThanOrEqual(60);
    expect(month).toMatchObject({ name: 'month', r: limits.remainingThisMonth });
    expect(month?.t).toBeLessThanOrEqual(31 * 86_400);
  });

  it.each(DENIAL_REASONS)('answers %s as the table says, and runs no handler', async (reason) => {
    const { host, reply } = await present(scenarios[reason]);
    expect(host.handled).toEqual([]);
    expect(reply.status).toBe(HTTP_STATUS_FOR_DENIAL[reason]);
    const body = JSON.parse(reply.body);
    expect(Object.keys(body)).toEqual(['error', 'message']);
    expect(body.error).toBe(HOST_ERROR_FOR_DENIAL[reason]);
    expect(header(reply, 'content-type')).toMatch(/^application\/json/);
    expect(header(reply, 'www-authenticate')).toBe(reply.status === 401 ? 'Bearer' : undefined);
  });

  it('denies two keys in one request as an invalid key, without asking', async () => {
    const key = scenarios.allowed.question.apiKey ?? '';
    const other = scenarios.revoked_api_key.question.apiKey ?? '';
    const expected = (await present(scenarios.invalid_api_key)).reply.body;
    const { host, reply } = await present(scenarios.allowed, [
      `Authorization: Bearer ${key}`,
      `x-api-key: ${other}`,
    ]);
    expect([reply.status, reply.body, host.handled]).toEqual([401, expected, []]);
  });

  it.each([
    ['x-api-key', (key: string) => `x-api-key: ${key}`],
    // Next gives its routes the parsed headers of Node, which drop the second Authorization.
    ...(adapter === 'next'
      ? []
      : [['Authorization', (key: string) => `Authorization: Bearer ${key}`]]),
  ] as [string, (key: string) => string][])('turns a repeated %s away', async (_name, line) => {
    const key = scenarios.allowed.question.apiKey ?? '';
    const { host, reply } = await present(scenarios.allowed, [line(key), line(key)]);
    expect([reply.status, host.handled]).toEqual([401, []]);
  });

  it('asks about the method that the caller sent: HEAD is not GET', async () => {
    const { project, question } = scenarios.allowed;
    const client = clientOf(sdk, runtime.url, project);
    const host = await ADAPTERS[adapter]!(sdk, { client, projectId: project.projectId });
    const reply = await sendRaw(host.port, 'HEAD /v1/reports HTTP/1.1', [
      `x-api-key: ${question.apiKey}`,
    ]);
    expect([reply.status, reply.body, host.handled]).toEqual([403, '', []]);
    await host.close();
    client.close();
  });

  it('denies a revoked key on the next request', async () => {
    const { project } = scenarios.allowed;
    const client = clientOf(sdk, runtime.url, project);
    const { apiKeyId, plaintextKey } = await client.createApiKey('Short-lived');
    const host = await ADAPTERS[adapter]!(sdk, { client, projectId: project.projectId });
    const call = () =>
      sendRaw(host.port, 'GET /v1/reports HTTP/1.1', [`x-api-key: ${plaintextKey}`]);
    expect((await call()).status).toBe(200);
    await client.revokeApiKey(apiKeyId);
    expect((await call()).status).toBe(401);
    await host.close();
    client.close();
  });
});

describe('the client', () => {
  it('answers 503 for a wrong project secret, never 401', async () => {
    const { project } = scenarios.allowed;
    const client = clientOf(sdk, runtime.url, { ...project, secret: 'ceiba_secret_wrong' });
    const host = await ADAPTERS['express 5']!(sdk, { client, projectId: project.projectId });
    const reply = await sendRaw(host.port, 'GET /v1/reports HTTP/1.1', ['x-api-key: x']);
    expect([reply.status, host.handled]).toEqual([503, []]);
    await host.close();
    client.close();
  });
});
