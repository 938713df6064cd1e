import {
  type Decision,
  decisionListResultSchema,
  decisionSchema,
  type LoggedDecision,
  loggedDecisionSchema,
} from '@ceiba/contract';
import { DENIAL_REASONS, type DenialReason } from '@ceiba/contract/sets';
import { beforeAll, describe, expect, it } from 'vitest';
import { callers } from '../../support/callers.ts';
import { startRuntime } from '../../support/runtime.ts';
import {
  type RuntimeClient,
  runtimeClient,
  type TestApiKey,
  type TestProject,
} from '../../support/scenario.ts';
import { until } from '../../support/until.ts';
import { expectError, expectFields, expectOk, FIELDS } from './assertions.ts';
import { PATIENT, startWorld } from './setup.ts';

const { world, runtime, databaseUrl, redisUrl } = await startWorld();
/** How soon a denial has to be in the log. */
const SOON_MS = 5_000;
const denied = await callers(world, await world.createProject());

interface Scene {
  project: TestProject;
  client: RuntimeClient;
  apiKey: TestApiKey;
}

async function setUp(): Promise<Scene> {
  const project = await world.createProject({ policies: [{ method: 'GET', pathPattern: '/v1*' }] });
  return {
    project,
    client: runtimeClient(runtime.url, project),
    apiKey: await project.createKey(),
  };
}

/** Those of the schema: the first test below has them by hand. */
const LOGGED_FIELDS = Object.keys(loggedDecisionSchema.shape);

const listed = async (client: RuntimeClient, query = '') => {
  const page = expectOk(
    await client.listDecisions(query),
    decisionListResultSchema,
    FIELDS.decisionList,
  );
  for (const decision of page.decisions) expectFields(decision, LOGGED_FIELDS);
  return page;
};

/** The decision of the log, as soon as it is there. */
async function logged(client: RuntimeClient, decisionId: string): Promise<LoggedDecision> {
  const isLogged = async () => (await client.getDecision(decisionId)).status === 200;
  await until('the decision is in the log', isLogged, SOON_MS);
  return expectOk(await client.getDecision(decisionId), loggedDecisionSchema, LOGGED_FIELDS);
}

const decisionOf = (json: unknown): Decision => decisionSchema.parse(json);

/** The limits of {@link callers}, which are those of the key. */
const EXCEEDED: Partial<Record<DenialReason, LoggedDecision['exceededLimit']>> = {
  quota_exceeded: { owner: 'api_key', window: 'month', value: 0 },
  rate_limited: { owner: 'api_key', window: 'minute', value: 0 },
};

/** The states of {@link callers}. */
const DETAIL: Partial<Record<DenialReason, LoggedDecision['denialDetail']>> = {
  expired_api_key: 'expired',
  inactive_subscription: 'canceled',
};

describe.each(DENIAL_REASONS)('a denial for %s', (reason) => {
  it('is in the log within five seconds, with its key, path, policy and limits', async () => {
    const { project, key, question } = denied[reason];
    const client = runtimeClient(runtime.url, project);
    const headers = { 'x-request-id': `host-${reason}` };
    const decision = decisionOf((await client.authorize(question, { headers })).json);
    if (decision.allowed) throw new Error('it was allowed');
    const found = await logged(client, decision.decisionId);
    expect(found).toEqual({
      decisionId: decision.decisionId,
      at: expect.any(String),
      requestId: `host-${reason}`,
      method: 'GET',
      path: question.path,
      allowed: false,
      denialReason: reason,
      denialDetail: DETAIL[reason] ?? null,
      apiKeyId: key?.apiKeyId ?? null,
      customerId: null,
      // An unknown key has the prefix that was presented.
      keyPrefix: question.apiKey?.slice(0, 'ceiba_'.length + 8) ?? null,
      byPreviousSecret: false,
      policyId: key !== null && reason !== 'policy_no_match' ? expect.any(String) : null,
      limits: decision.limits ?? null,
      exceededLimit: EXCEEDED[reason] ?? null,
      latencyMs: expect.any(Number),
    });
    expect(Math.abs(Date.now() - Date.parse(found.at))).toBeLessThan(60_000);
    expect((await listed(client, `reason=${reason}&outcome=denied`)).decisions).toEqual([found]);
  });

  it('is in the log as well when it was asked in a batch', async () => {
    const { project, question } = denied[reason];
    const client = runtimeClient(runtime.url, project);
    const reply = await client.authorizeBatch([question, { path: 7 }, question]);
    const { results } = reply.json as { results: { status: number; decision?: unknown }[] };
    expect(results.map(({ status }) => status)).toEqual([200, 400, 200]);
    for (const { decision } of results) {
      if (decision === undefined) continue;
      const { decisionId } = decisionOf(decision);
      expect(await logged(client, decisionId)).toMatchObject({
        denialReason: reason,
        requestId: reply.headers.get('x-request-id'),
      });
    }
  });
});

describe('a state that denied', () => {
  const STATES: [LoggedDecision['denialDetail'], (scene: Scene) => Promise<unknown>][] = [
    ['disabled', ({ project, apiKey }) => project.disableKey(apiKey.apiKeyId)],
    ['past_due', ({ project }) => project.setSubscription({ status: 'past_due' })],
    [
      'period_ended',
      ({ project }) => project.setSubscription({ currentPeriodEnd: new Date('2020-01-01') }),
    ],
  ];

  it.each(STATES)('is named: %s', async (denialDetail, change) => {
    const scene = await setUp();
    await change(scene);
    const { client, apiKey } = scene;
    const { decisionId } = decisionOf((await client.authorize({ apiKey: apiKey.plaintext })).json);
    expect(await logged(client, decisionId)).toMatchObject({ denialDetail });
  });
});

describe('the allows of a project', () => {
  it('are all in the log at 100 %, none at 0 %, and with no path where it logs none', async () => {
    const { project, client, apiKey } = await setUp();
    const ask = async () =>
      decisionOf((await client.authorize({ apiKey: apiKey.plaintext })).json).decisionId;
    await project.setLogging({ loggedAllowsPercent: 0 });
    await ask();
    await project.setLogging({ loggedAllowsPercent: 100 });
    const withPath = await logged(client, await ask());
    expect(withPath).toMatchObject({
      allowed: true,
      denialReason: null,
      apiKeyId: apiKey.apiKeyId,
      path: '/v1/reports',
      limits: { remainingThisMonth: expect.any(Number) },
    });
    await project.setLogging({ logsPaths: false });
    const withoutPath = await logged(client, await ask());
    expect(withoutPath).toMatchObject({ method: 'GET', path: null });
    expect((await listed(client)).decisions).toEqual([withoutPath, withPath]);
  });
});

describe('the list', () => {
  let scene: Scene;
  let all: LoggedDecision[];

  beforeAll(async () => {
    scene = await setUp();
    const { client, apiKey } = scene;
    for (const path of ['/v2/a', '/v2/b', '/v3']) {
      await client.authorize({ apiKey: apiKey.plaintext, path, method: 'POST' });
    }
    await client.authorize({ apiKey: null });
    await until('all four are in the log', async () => {
      all = (await listed(client)).decisions;
      return all.length === 4;
    });
  });

  it('is newest first, in pages that a cursor links', async () => {
    const { client } = scene;
    const times = all.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
    const first = await listed(client, 'limit=3');
    expect(first.decisions).toEqual(all.slice(0, 3));
    const second = await listed(client, `limit=3&cursor=${first.nextCursor}`);
    expect(second).toEqual({ decisions: all.slice(3), nextCursor: null });
  });

  it('is narrowed by every parameter, and an empty one counts as absent', async () => {
    const { client, apiKey } = scene;
    const countOf = async (query: string) => (await listed(client, query)).decisions.length;
    const second = all[1]!;
    expect(await countOf('outcome=&reason=&apiKeyId=&pathPrefix=&from=&to=&limit=&cursor=')).toBe(
      4,
    );
    expect(await countOf('outcome=denied')).toBe(4);
    expect(await countOf('outcome=allowed')).toBe(0);
    expect(await countOf('reason=missing_api_key')).toBe(1);
    expect(await countOf(`apiKeyId=${apiKey.apiKeyId.toUpperCase()}`)).toBe(3);
    expect(await countOf('pathPrefix=/v2/')).toBe(2);
    expect(await countOf('pathPrefix=%2Fv3')).toBe(1);
    expect(await countOf('method=POST')).toBe(3);
    expect(await countOf(`requestId=${second.requestId}`)).toBe(1);
    const later = encodeURIComponent('2999-01-01T01:00:00+01:00');
    expect(await countOf(`from=2020-01-01T00:00:00Z&to=${later}`)).toBe(4);
    expect(await countOf('to=2020-01-01T00:00:00Z')).toBe(0);
    expect(await countOf(`from=${later}`)).toBe(0);
  });

  it.each([
    ['outcome=perhaps', '"outcome" must be one of allowed, denied.'],
    ['reason=allowed', '"reason" must be one of missing_api_key, invalid_api_key, '],
    ['apiKeyId=7', '"apiKeyId" must be a UUID.'],
    ['pathPrefix=%00', '"pathPrefix" must not hold control characters.'],
    ['from=yesterday', '"from" must be an RFC 3339 date-time'],
    ['to=2026-13-01T00:00:00Z', '"to" must be an RFC 3339 date-time'],
    ['to=0001-01-01T00:00:00Z', '"to" must lie within the years 0100 to 9999 in UTC.'],
    ['limit=0', '"limit" must be a whole number from 1 to 500.'],
    ['limit=501', '"limit" must be a whole number from 1 to 500.'],
    ['limit=1.5', '"limit" must be a whole number from 1 to 500.'],
    ['cursor=x', '"cursor" must be a "nextCursor" of this list.'],
    ['reasons=rate_limited', '"reasons" is not a known field.'],
    ['reason=rate_limited&reason=missing_api_key', '"reason" must not be given twice.'],
    ['reason=&reason=missing_api_key', '"reason" must not be given twice.'],
  ])('refuses %s and names the parameter', async (query, message) => {
    expectError(await scene.client.listDecisions(query), 'invalid_request', message);
  });

  it('shows nothing of another project, whose decision is as unknown as one that never was', async () => {
    const { client } = await setUp();
    expect(await listed(client)).toEqual({ decisions: [], nextCursor: null });
    const foreign = await client.getDecision(all[0]!.decisionId);
    expectError(foreign, 'not_found', 'The log of the project has no such decision.');
    const unknown = await client.getDecision(`${all[0]!.decisionId.slice(0, -4)}ffff`);
    const messageOf = (text: string) => JSON.parse(text).message;
    expect(messageOf(unknown.text)).toBe(messageOf(foreign.text));
    expectError(await client.getDecision('7'), 'invalid_request', '"decisionId"');
  });
});

describe('a Runtime that stops', () => {
  it('writes what it has decided before', async () => {
    const { project, client } = await setUp();
    const settings = PATIENT;
    const leaving = await startRuntime({ databaseUrl, redisUrl, settings });
    const reply = await runtimeClient(leaving.url, project).authorize({ apiKey: null });
    expect(await leaving.stop()).toBe('exited with code 0');
    const { decisionId } = decisionOf(reply.json);
    expect((await client.getDecision(decisionId)).status).toBe(200);
  });
});
