import type { AuthorizeClient, CeibaRuntimeClient } from '@ceiba/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Host, sendRaw } from './support/hosts.ts';
import { type RealRuntime, startRealRuntime } from './support/real-runtime.ts';
import { PROBE, ROUTERS } from './support/routers.ts';
import { loadSdk, type Sdk } from './support/sdk.ts';
import { probes } from './support/targets.ts';

/*
 * Ceiba judges one reading of a target and the host's router serves another: that is how access
 * controls in front of routers are walked around. For each policy and each router, no target of
 * the corpus may reach a handler for a resource that the policy does not cover.
 */

const POLICIES = [
  '/v1/reports*',
  '/v1/reports',
  '/v1/mounted/reports*',
  '/v1/files/public*',
] as const;
const CORPUS = probes();
const AT_ONCE = 24;

let sdk: Sdk;
let runtime: RealRuntime;
const clients = new Map<string, { client: CeibaRuntimeClient; apiKey: string }>();
// Hono reports on stderr the requests that it cannot read.
const stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);

beforeAll(async () => {
  sdk = await loadSdk();
  runtime = await startRealRuntime();
  for (const pathPattern of POLICIES) {
    const policies = [{ method: 'GET', pathPattern }];
    const { projectId, secret, ...project } = await runtime.world.createProject({ policies });
    const config = sdk.root.parseCeibaConfig({
      runtimeBaseUrl: runtime.url,
      projectId,
      projectSecret: secret,
      timeoutMs: 10_000,
    });
    const { plaintext } = await project.createKey();
    clients.set(pathPattern, {
      client: new sdk.root.CeibaRuntimeClient(config),
      apiKey: plaintext,
    });
  }
});
afterAll(async () => {
  stderr.mockRestore();
  for (const { client } of clients.values()) client.close();
  await runtime.close();
});

/** What the policy covers, put as plainly as the contract does. */
function covers(pattern: string, resource: string): boolean {
  if (!pattern.endsWith('*')) return resource === pattern;
  const base = pattern.slice(0, -1);
  return resource === base || resource.startsWith(`${base}/`);
}

/** Sends the whole corpus and returns what was served: the probe's target and the resource. */
async function serve(host: Host, apiKey: string): Promise<{ sent: string; resource: string }[]> {
  const waiting = CORPUS.entries();
  const worker = async () => {
    for (const [number, { target, headers = [] }] of waiting) {
      const lines = [...headers, `${PROBE}: ${number}`, `x-api-key: ${apiKey}`];
      await sendRaw(host.port, `GET ${target} HTTP/1.1`, lines);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return host.handled.map((entry) => {
    const [number = '', resource = ''] = entry.split(/ (.*)/s);
    const { target = '', headers = [] } = CORPUS[Number(number)] ?? {};
    return { sent: [target, ...headers].join(' '), resource };
  });
}

describe.each(Object.keys(ROUTERS))('%s', (name) => {
  it.each(POLICIES)(
    'serves nothing beyond %s to a caller who is let in for it',
    async (pattern) => {
      const { client, apiKey } = clients.get(pattern)!;
      const host = await ROUTERS[name]!(sdk, { client, projectId: client.projectId });
      const served = await serve(host, apiKey);
      await host.close();
      expect(served.filter(({ resource }) => !covers(pattern, resource))).toEqual([]);
      // The plain spelling works, also behind a mounted router: the corpus is not refused wholesale.
      expect(served.map(({ resource }) => resource)).toContain(pattern.replace('*', ''));
    },
    120_000,
  );

  it('would serve more to a judge that compares prefixes: the corpus has teeth', async () => {
    const { allowDecision, denyDecision, FAKE_PROJECT_ID: projectId } = sdk.testing;
    const client: AuthorizeClient = {
      projectId,
      authorize: async ({ path }) =>
        path.startsWith('/v1/files/public') ? allowDecision() : denyDecision('policy_no_match'),
    };
    const host = await ROUTERS[name]!(sdk, { client, projectId });
    const served = await serve(host, 'any');
    await host.close();
    const strays = served.filter(({ resource }) => !covers('/v1/files/public*', resource));
    expect(strays).not.toEqual([]);
  });
});
