import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestProject } from '../support/scenario.ts';
import { type Example, startExample } from './support/examples.ts';
import {
  type Failure,
  failures,
  type HostileRuntime,
  startAllowingRuntime,
  startHostileRuntime,
} from './support/hostile-runtime.ts';
import { sendRaw, type WireReply } from './support/hosts.ts';
import { startRealRuntime } from './support/real-runtime.ts';
import { probes } from './support/targets.ts';

/*
 * How a real Next reads targets and methods before a route handler sees them. The matrices test the
 * wrapper together with the other adapters.
 */

const POLICIES = ['/v1/reports*', '/v1/reports', '/v1/billing'] as const;
const CORPUS = probes([['/v1/reports', '/v1/billing']]);
const AT_ONCE = 16;
const runtime = await startRealRuntime();
afterAll(() => runtime.close());

async function startNext(project: TestProject): Promise<Example> {
  return startExample('next-api', {
    runtimeUrl: runtime.url,
    projectId: project.projectId,
    projectSecret: project.secret,
  });
}

/** The handler that sent this reply; undefined for any other reply. */
function handlerOf({ body }: WireReply): 'reports' | 'report' | 'billing' | undefined {
  if (body.includes('"reports":')) return 'reports';
  if (body.includes('"invoices":')) return 'billing';
  return /"title":|No such report/.test(body) ? 'report' : undefined;
}

const COVERED: Record<(typeof POLICIES)[number], string[]> = {
  '/v1/reports*': ['reports', 'report'],
  '/v1/reports': ['reports'],
  '/v1/billing': ['billing'],
};

describe('a Next host', () => {
  let next: Example;
  let project: TestProject;
  let key: string;
  beforeAll(async () => {
    project = await runtime.world.createProject();
    key = (await project.createKey()).plaintext;
    next = await startNext(project);
  });
  afterAll(() => next.stop());

  const send = (line: string, ...headers: string[]) => sendRaw(next.port, line, headers);

  it('asks about the method that the caller sent, although HEAD runs the handler of GET', async () => {
    const head = await send('HEAD /v1/reports HTTP/1.1', `x-api-key: ${key}`);
    expect([head.status, head.body]).toEqual([403, '']);
    expect((await send('GET /v1/reports HTTP/1.1', `x-api-key: ${key}`)).status).toBe(200);
  });

  it('answers OPTIONS without a key and without the handler', async () => {
    const reply = await send('OPTIONS /v1/reports HTTP/1.1');
    expect(reply.status).toBe(204);
    expect(reply.head).toMatch(/^allow: GET, HEAD, OPTIONS/im);
  });

  it('denies two keys in one request', async () => {
    const lines = [`x-api-key: ${key}`, 'Authorization: Bearer another'];
    expect((await send('GET /v1/reports HTTP/1.1', ...lines)).status).toBe(401);
    const twice = [`x-api-key: ${key}`, `x-api-key: ${key}`];
    expect((await send('GET /v1/reports HTTP/1.1', ...twice)).status).toBe(401);
  });

  it.each(POLICIES)(
    'serves nothing beyond the only policy %s for any target',
    async (pathPattern) => {
      await project.setPolicies([{ method: 'GET', pathPattern }]);
      const strays: string[] = [];
      const served = new Set<string>();
      const waiting = CORPUS.values();
      const worker = async () => {
        for (const { target, headers = [] } of waiting) {
          const reply = await send(`GET ${target} HTTP/1.1`, ...headers, `x-api-key: ${key}`);
          const handler = handlerOf(reply);
          if (handler === undefined) continue;
          served.add(handler);
          if (!COVERED[pathPattern].includes(handler)) {
            strays.push(`${[target, ...headers].join(' ')} reached ${handler}`);
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      expect(strays).toEqual([]);
      expect([...served].sort()).toEqual([...COVERED[pathPattern]].sort());
    },
    60_000,
  );
});

describe('a Next host runs no handler when the Runtime', () => {
  let allowing: HostileRuntime;
  let hostile: HostileRuntime;
  let next: Example;
  let current: Failure;
  beforeAll(async () => {
    allowing = await startAllowingRuntime();
    current = failureNamed('denies for an unknown reason');
    hostile = await startHostileRuntime({ ...current, answer: (socket) => current.answer(socket) });
    next = await startExample('next-api', {
      runtimeUrl: hostile.url,
      projectId: '0192f0c0-0000-7000-8000-000000000001',
      projectSecret: 'any',
    });
    await ask(); // Next loads a route on its first request.
  });
  afterAll(async () => {
    await next.stop();
    await hostile.close();
    await allowing.close();
  });

  const ask = () => sendRaw(next.port, 'GET /v1/reports HTTP/1.1', ['x-api-key: any']);
  const failureNamed = (name: string) =>
    failures(allowing.url).find((candidate) => candidate.name === name)!;

  it.each([
    'resets after the request',
    'never answers',
    'hangs in the body',
    'sends one byte at a time',
    'answers 500',
    'answers 401',
    'answers 400',
    'answers 302',
    'answers an allow as HTML',
    'answers with truncated JSON',
    'answers "allowed":"true"',
    'answers an allow without limits',
    'answers an allow of 50 MB',
    'denies for an unknown reason',
  ])('%s', async (name) => {
    current = failureNamed(name);
    const startedAt = performance.now();
    const reply = await ask();
    expect(performance.now() - startedAt).toBeLessThan(1_000 + 500);
    expect([reply.status, handlerOf(reply)]).toEqual([current.hostStatus, undefined]);
  });
});
