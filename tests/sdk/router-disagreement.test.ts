import type { AuthorizeClient, AuthorizeInput, CeibaRuntimeClient } from '@ceiba/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { copyProgram } from '../chaos/support/programs.ts';
import { loadBrokenSdk } from './support/break-sdk.ts';
import { sendRaw } from './support/hosts.ts';
import { type RealRuntime, startRealRuntime } from './support/real-runtime.ts';
import { PROBE, ROUTERS } from './support/routers.ts';
import { clientOf, loadSdk, type Sdk } from './support/sdk.ts';
import { PAIRS, type Probe, probes } from './support/targets.ts';

/*
 * If Ceiba judges one reading of a target and the host's router serves another, a caller can bypass
 * the policy. For each policy and each router, no target of the corpus may run a handler whose route
 * the policy does not allow, or reach a resource that it does not cover.
 */

/** Each policy, and the routes that it allows on its own. */
const POLICIES: Readonly<Record<string, readonly string[]>> = {
  '/v1/reports*': ['', '/preview', '/caf%C3%A9', '/:id'].map((leaf) => `/v1/reports${leaf}`),
  '/v1/reports': ['/v1/reports'],
  '/v1/reports/preview': ['/v1/reports/preview'],
  '/v1/reports/caf%C3%A9': ['/v1/reports/caf%C3%A9'],
  '/v1/reports/42': ['/v1/reports/:id'],
  '/v1/mounted/reports*': ['', '/preview', '/:id'].map((leaf) => `/v1/mounted/reports${leaf}`),
  '/v1/mounted/reports/preview': ['/v1/mounted/reports/preview'],
  '/v1/files/public*': ['/v1/files/*'],
  '/v1/any': ['/v1/any'],
};
/** The first two segments: all sibling routes of a policy are below them. */
const treeOf = (path: string) => /^\/v1\/\w+/.exec(path)?.[0];
const corpusFor = (pattern: string) =>
  probes(PAIRS.filter(([resource]) => treeOf(resource) === treeOf(pattern)));
/** Every probe, with spellings of which no router undoes all. */
const EVERY_PROBE = [
  ...probes(),
  ...['/v1/%62illing/PREVIEW', '/v1/BILLING/%70review', '/v1/mounted/%62illing/PREVIEW'].map(
    (target) => ({ target }),
  ),
  { target: '/v1/billing/preview' },
];
const AT_ONCE = 24;

/** What a key for the rest of the host may not call, and the wider policies that open the rest. */
const CLOSED = [
  '/v1/reports/preview',
  '/v1/billing*',
  '/v1/mounted/reports/42',
  '/v1/mounted/billing*',
  '/v1/files/private*',
  '/v1/any/42',
];
/** Below a closed one: a router that reads half of a spelling still gets to the closed one. */
const REOPENED = ['/v1/billing/preview', '/v1/mounted/billing/preview'];
const OPEN = { 'a prefix': 'GET /v1*', 'a bare *': '* *' };
const isClosed = ({ route, resource }: Served) =>
  [route, resource].some(
    (path) =>
      CLOSED.some((pattern) => covers(pattern, path)) && !REOPENED.some((it) => covers(it, path)),
  );

let sdk: Sdk;
let runtime: RealRuntime;
/** By the policy that they are named after. */
const callers = new Map<string, Caller>();
// Hono logs requests that it cannot parse to stderr.
const stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);

beforeAll(async () => {
  sdk = await loadSdk();
  runtime = await startRealRuntime();
  for (const pattern of Object.keys(POLICIES)) callers.set(pattern, await letIn(runtime, pattern));
  for (const open of Object.values(OPEN)) callers.set(open, await restrictTo(runtime, open));
});
afterAll(async () => {
  stderr.mockRestore();
  for (const { client } of callers.values()) client.close();
  await runtime.close();
});

/** A key under one policy, and the client of its host. */
interface Caller {
  readonly client: CeibaRuntimeClient;
  readonly apiKey: string;
}

async function letIn({ url, world }: RealRuntime, pathPattern: string): Promise<Caller> {
  const policies = [{ method: 'GET', pathPattern }];
  const project = await world.createProject({ policies });
  const { plaintext } = await project.createKey();
  return { client: clientOf(sdk, url, project), apiKey: plaintext };
}

/** A key whose scope opens one policy and none of those below it. */
async function restrictTo({ url, world }: RealRuntime, open: string): Promise<Caller> {
  const [method = '', pathPattern = ''] = open.split(' ');
  const closed = CLOSED.map((each) => ({ method: 'GET', pathPattern: each, scopes: ['closed'] }));
  const reopened = REOPENED.map((each) => ({ method: 'GET', pathPattern: each, scopes: ['open'] }));
  const policies = [{ method, pathPattern, scopes: ['open'] }, ...closed, ...reopened];
  const project = await world.createProject({ policies });
  const { plaintext } = await project.createKey({ scopes: ['open'] });
  return { client: clientOf(sdk, url, project), apiKey: plaintext };
}

/** Whether the policy covers a resource, written as simply as the contract does. */
function covers(pattern: string, resource: string): boolean {
  const text = decodeURI(pattern);
  if (!text.endsWith('*')) return resource === text;
  const base = text.slice(0, -1);
  return resource === base || resource.startsWith(`${base}/`);
}

interface Served {
  /** The place of the probe in its corpus. */
  readonly number: string;
  /** The target and the header of the probe. */
  readonly sent: string;
  readonly route: string;
  readonly resource: string;
}

const sentBy = ({ target, headers = [] }: Probe) => [target, ...headers].join(' ');

/**
 * Sends every probe of a corpus to a host behind one router, and returns the served requests.
 *
 * @param apiKey absent sends the number of each probe as its key
 */
async function serve(
  router: string,
  { client, apiKey }: { client: AuthorizeClient; apiKey?: string },
  corpus: readonly Probe[],
  { from = sdk, method = 'GET' }: { from?: Sdk; method?: string } = {},
): Promise<Served[]> {
  const host = await ROUTERS[router]!(from, { client, projectId: client.projectId });
  const waiting = corpus.entries();
  const worker = async () => {
    for (const [number, { target, headers = [] }] of waiting) {
      const lines = [...headers, `${PROBE}: ${number}`, `x-api-key: ${apiKey ?? number}`];
      await sendRaw(host.port, `${method} ${target} HTTP/1.1`, lines);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await host.close();
  return host.handled.map((entry) => {
    const [, number = '', route = '', resource = ''] = /^(\d+) (\S+) (.*)$/s.exec(entry) ?? [];
    return { number, sent: sentBy(corpus[Number(number)] ?? { target: '' }), route, resource };
  });
}

/** The callers that the Runtime allows, by method and path: each is asked about once. */
const allowed = new Map<string, Promise<ReadonlySet<string>>>();

function callersAllowed({ method, path }: AuthorizeInput): Promise<ReadonlySet<string>> {
  const question = `${method} ${path}`;
  const known = allowed.get(question);
  if (known !== undefined) return known;
  const asked = Promise.all(
    [...callers].map(async ([name, { client, apiKey }]) =>
      (await client.authorize({ apiKey, method, path })).allowed ? [name] : [],
    ),
  ).then((names) => new Set(names.flat()));
  allowed.set(question, asked);
  return asked;
}

/**
 * Sends every probe once, and lets it pass if the Runtime allows it to any caller. What a router makes
 * of a target does not depend on the caller, so this shows what it would serve to each of them.
 *
 * @returns the requests that would be served to one caller
 */
async function serveToAll(router: string): Promise<(caller: string) => Served[]> {
  const { allowDecision, denyDecision, FAKE_PROJECT_ID: projectId } = sdk.testing;
  /** By the number of the probe: who was allowed, in each question that the host asked. */
  const verdicts = new Map<string | null, ReadonlySet<string>[]>();
  const client: AuthorizeClient = {
    projectId,
    async authorize(question) {
      const names = await callersAllowed(question);
      verdicts.set(question.apiKey, [...(verdicts.get(question.apiKey) ?? []), names]);
      return names.size > 0 ? allowDecision() : denyDecision('policy_no_match');
    },
  };
  const served = await serve(router, { client }, EVERY_PROBE);
  // A request that was served without a question was served to everyone.
  return (caller) =>
    served.filter(({ number }) => (verdicts.get(number) ?? []).every((names) => names.has(caller)));
}

/** The served requests that `pattern` does not cover. */
function strays(pattern: string, served: readonly Served[]): Served[] {
  return served.filter(
    ({ route, resource }) => !POLICIES[pattern]?.includes(route) || !covers(pattern, resource),
  );
}

const bySent = (a: { sent: string }, b: { sent: string }) => (a.sent < b.sent ? -1 : 1);
const routesOf = (served: readonly Served[]) =>
  [...new Set(served.map(({ route }) => route))].sort();

describe.each(Object.keys(ROUTERS))('%s', (router) => {
  let servedTo: (caller: string) => Served[];
  beforeAll(async () => {
    servedTo = await serveToAll(router);
  }, 120_000);

  it.each(Object.keys(POLICIES))(
    'runs no handler beyond %s for a caller with only that policy',
    (pattern) => {
      const served = servedTo(pattern);
      expect(strays(pattern, served)).toEqual([]);
      // The plain spelling works, also behind a mounted router, so not every target is denied.
      expect(routesOf(served)).toEqual([...POLICIES[pattern]!].sort());
    },
  );

  it.each(Object.entries(OPEN))(
    'runs no handler of a policy that is closed to the key, under the policy of %s for the rest',
    (_, open) => {
      const served = servedTo(open);
      expect(served.filter(isClosed)).toEqual([]);
      expect(routesOf(served)).toEqual(
        expect.arrayContaining(['/v1/reports', '/v1/billing/preview']),
      );
    },
  );

  it('runs no handler for HEAD of a policy that is closed to the key', async () => {
    // Routers answer HEAD with the handler of GET.
    const heads = [...CLOSED, '/v1/reports'].map((path) => ({ target: path.replace('*', '') }));
    const caller = callers.get(OPEN['a bare *'])!;
    const answered = await serve(router, caller, heads, { method: 'HEAD' });
    expect(routesOf(answered)).toEqual(['/v1/reports']);
  });

  it('serves the same to a caller that sends its own key to a host with its own client', async () => {
    const pattern = '/v1/reports';
    const corpus = corpusFor(pattern);
    const sent = new Set(corpus.map(sentBy));
    const alone = await serve(router, callers.get(pattern)!, corpus);
    const among = servedTo(pattern).filter((request) => sent.has(request.sent));
    const entries = (served: Served[]) => served.map(({ number: _, ...rest }) => rest).sort(bySent);
    expect(entries(alone)).toEqual(entries(among));
  }, 60_000);

  it('serves more under a judge that compares prefixes, so the corpus can find violations', async () => {
    const { allowDecision, denyDecision, FAKE_PROJECT_ID: projectId } = sdk.testing;
    const client: AuthorizeClient = {
      projectId,
      authorize: async ({ path }) =>
        path.startsWith('/v1/files/public') ? allowDecision() : denyDecision('policy_no_match'),
    };
    const served = await serve(router, { client, apiKey: 'any' }, corpusFor('/v1/files'));
    expect(strays('/v1/files/public*', served)).not.toEqual([]);
  });
});

describe('the corpus', () => {
  it('catches a Runtime that decodes before it matches', async () => {
    const find = ' ? null : withoutTrailingSlash(path);';
    const replace = find.replace('(path)', '(decodeURI(path))');
    const copy = copyProgram([{ file: 'main.js', find, replace }]);
    const decoding = await startRealRuntime(copy.program);
    const caller = await letIn(decoding, '/v1/reports/preview');
    const served = await serve('express 5', caller, corpusFor('/v1/reports'));
    caller.client.close();
    await decoding.close();
    copy.remove();
    expect(routesOf(strays('/v1/reports/preview', served))).toEqual(['/v1/reports/:id']);
  });

  it('catches a Runtime that asks for the labels of one reading alone', async () => {
    const find = 'const meant = [policy, ...otherPolicies];';
    const copy = copyProgram([{ file: 'main.js', find, replace: 'const meant = [policy];' }]);
    const lenient = await startRealRuntime(copy.program);
    for (const [router, open] of [
      ['express 5', OPEN['a prefix']],
      ['fastify, lax', OPEN['a bare *']],
    ]) {
      const caller = await restrictTo(lenient, open!);
      const served = await serve(router!, caller, EVERY_PROBE);
      caller.client.close();
      expect(served.filter(isClosed)).not.toEqual([]);
    }
    await lenient.close();
    copy.remove();
  });

  it.each([
    ['fastify', '/v1/reports'],
    ['fastify', '/v1/any'],
    ['hono', '/v1/any'],
    ['express 5, case sensitive and strict', '/v1/any'],
  ])(
    'catches in %s an adapter that allows an empty parameter below %s',
    async (router, pattern) => {
      const broken = await loadBrokenSdk({
        file: 'guard.js',
        from: '(parameters ?? {})',
        to: '({})',
      });
      const served = await serve(router, callers.get(pattern)!, corpusFor(pattern), {
        from: broken,
      });
      expect(routesOf(strays(pattern, served))).toEqual([`${pattern}/:id`]);
    },
  );
});
