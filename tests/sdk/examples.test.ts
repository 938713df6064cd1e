import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLES, type Example, startExample } from './support/examples.ts';
import { startAllowingRuntime } from './support/hostile-runtime.ts';
import { startRealRuntime } from './support/real-runtime.ts';

const runtime = await startRealRuntime();
const project = await runtime.world.createProject();
const apiKey = (await project.createKey({ displayName: 'Example caller' })).plaintext;
afterAll(() => runtime.close());

function settings() {
  const { projectId, secret: projectSecret } = project;
  return { runtimeUrl: runtime.url, projectId, projectSecret };
}

describe.each(EXAMPLES)('examples/%s', (name) => {
  let example: Example;
  beforeAll(async () => {
    example = await startExample(name, settings());
  });
  afterAll(() => example.stop());

  async function call(path: string, key: string | null = apiKey) {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    const reply = await fetch(`${example.url}${path}`, { headers, redirect: 'manual' });
    const body = Object(await reply.json());
    return { status: reply.status, headers: reply.headers, body };
  }

  it('serves its reports to a caller with a key', async () => {
    const { status, headers, body } = await call('/v1/reports');
    expect(status).toBe(200);
    expect(body).toMatchObject({ reports: [{ id: '1' }, { id: '2' }], calledBy: 'Example caller' });
    expect(headers.get('ratelimit')).toMatch(/^"minute";r=\d+;t=\d+, "month";r=\d+;t=\d+$/);
    expect((await call('/v1/reports/1')).body).toMatchObject({ id: '1' });
    expect((await call('/v1/reports/3')).status).toBe(404);
  });

  it('denies a path without a policy', async () => {
    expect(await call('/v1/billing')).toMatchObject({
      status: 403,
      body: { error: 'service_forbidden' },
    });
  });

  it('denies a caller without a key or with a wrong key', async () => {
    for (const key of [null, 'wrong']) {
      const { status, headers, body } = await call('/v1/reports', key);
      expect([status, body.error]).toEqual([401, 'service_unauthorized']);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('exits on SIGTERM', async () => {
    const other = await startExample(name, settings());
    // Next exits with 128 + SIGTERM once it listens for signals, which it does after it starts to serve.
    const ends =
      name === 'next-api'
        ? ['exited with code 143', 'was killed by SIGTERM']
        : ['exited with code 0'];
    expect(ends).toContain(await other.stop());
  });
});

describe.each(['express-api', 'fastify-api'] as const)('examples/%s', (name) => {
  it('says at / whose keys and policies it uses, and no secret', async () => {
    const example = await startExample(name, settings());
    const text = await (await fetch(example.url)).text();
    expect(JSON.parse(text)).toMatchObject({ projectId: project.projectId });
    expect(text).not.toContain(project.secret);
    await example.stop();
  });

  it.each([
    ['runtimeBaseUrl', 'CEIBA_RUNTIME_URL', { runtimeUrl: undefined }],
    ['projectId', 'CEIBA_PROJECT_ID', { projectId: undefined }],
    ['projectSecret', 'CEIBA_PROJECT_SECRET', { projectSecret: undefined }],
  ])('does not start without its settings, and names %s', async (setting, variable, change) => {
    const example = await startExample(name, { ...settings(), ...change });
    expect(await example.exited).toBe('exited with code 1');
    expect(example.log()).toContain(`${setting} (${variable}) is missing`);
    expect(example.log()).not.toContain(project.secret);
    await example.stop();
  });
});

describe('examples/next-api', () => {
  it('fails closed without its settings, and logs the missing one', async () => {
    const { projectSecret: _, ...incomplete } = settings();
    const example = await startExample('next-api', incomplete);
    const reply = await fetch(`${example.url}/v1/reports`, { headers: { 'x-api-key': apiKey } });
    expect(reply.status).toBe(500);
    expect(await reply.text()).not.toContain('reports');
    await expect
      .poll(() => example.log())
      .toContain('projectSecret (CEIBA_PROJECT_SECRET) is missing');
    await example.stop();
  });
});

describe.each(EXAMPLES)('examples/%s, when its Runtime goes down', (name) => {
  it('answers 503 at once, and serves again when it is back', async () => {
    const projectId = project.projectId;
    const first = await startAllowingRuntime();
    const { port } = new URL(first.url);
    const example = await startExample(name, {
      runtimeUrl: first.url,
      projectId,
      projectSecret: 'any',
    });
    const call = async () =>
      (await fetch(`${example.url}/v1/reports`, { headers: { 'x-api-key': 'any' } })).status;
    expect(await call()).toBe(200);
    await first.close();
    expect(await call()).toBe(503);
    const second = await startAllowingRuntime(Number(port));
    expect(await call()).toBe(200);
    await example.stop();
    await second.close();
  });
});
