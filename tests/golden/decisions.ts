import {
  apiKeyRotateResultSchema,
  apiKeySummarySchema,
  apiKeysImportResultSchema,
  type Decision,
  decisionSchema,
} from '@ceiba/contract';
import type { DenialDetail } from '@ceiba/contract/sets';
import { digestOf } from '@ceiba/domain';
import { withinOneMinute } from '../support/minute.ts';
import {
  type ApiKeyOptions,
  type CustomerOptions,
  type ProjectOptions,
  runtimeClient,
  type TestApiKey,
  type TestProject,
  type World,
} from '../support/scenario.ts';
import { tableOf } from './table.ts';

const PAST = new Date('2020-01-01T00:00:00Z');
const FUTURE = new Date('2999-01-01T00:00:00Z');
const HERE = '/v1/reports';
const ELSEWHERE = '/v1/billing';

const outcomeOf = (decision: Decision) => (decision.allowed ? 'allowed' : decision.denialReason);

async function ask(
  runtimeUrl: string,
  project: TestProject,
  question: { apiKey: string | null; method?: string; path?: string },
): Promise<Decision> {
  const reply = await runtimeClient(runtimeUrl, project).authorize(question);
  if (reply.status !== 200) throw new Error(`no decision: ${reply.status} ${reply.text}`);
  return decisionSchema.parse(reply.json);
}

/* ------------------------------------------------------------------ the order of the checks */

/**
 * Lets every check fail at once, and then makes one after the other pass, in the order of the
 * contract: each step has the reason of the first check that still fails. `decide.test.ts` has all
 * combinations.
 *
 * @returns the outcomes, of which the last is an allow
 */
export const precedence = (world: World, runtimeUrl: string): Promise<string[]> =>
  withinOneMinute(async () => {
    const project = await world.createProject();
    const client = runtimeClient(runtimeUrl, project);
    const { plaintext: live } = await project.createKey();
    const { plaintext: stranger } = await (await world.createProject()).createKey();
    const expired = () => project.createKey({ expiresAt: PAST });
    const [revoked, archived] = [await expired(), await expired()];
    await client.revoke(revoked.apiKeyId);
    await client.archive(archived.apiKeyId);
    const outcomes: string[] = [];
    const record = async (apiKey: string | null, path: string) =>
      void outcomes.push(outcomeOf(await ask(runtimeUrl, project, { apiKey, path })));

    // Uses up both limits.
    const spent = await ask(runtimeUrl, project, { apiKey: live });
    if (!spent.allowed) throw new Error(`expected an allow, got ${spent.denialReason}`);
    await project.setPlanLimits({ monthlyQuota: 1, rateLimitPerMinute: 1 });
    await project.setSubscription({ status: 'canceled' });

    await record(null, ELSEWHERE);
    await record(stranger, ELSEWHERE);
    await record(revoked.plaintext, ELSEWHERE);
    await record(archived.plaintext, ELSEWHERE); // A key has one status: no key is both.
    await record((await expired()).plaintext, ELSEWHERE);
    await record(live, ELSEWHERE);
    await record(live, HERE);
    await project.setSubscription({ status: 'active' });
    await record(live, HERE);
    await project.setPlanLimits({ monthlyQuota: 2 });
    await record(live, HERE);
    await project.setPlanLimits({ rateLimitPerMinute: 2 });
    await record(live, HERE);
    return outcomes;
  });

/* ----------------------------------------------------------------------- one situation at a time */

interface Situation {
  name: string;
  project?: ProjectOptions;
  apiKey?: ApiKeyOptions;
  /** Of the key. */
  customer?: CustomerOptions;
  /** Runs before the question. */
  before?(scene: Scene): Promise<unknown>;
  /** The credential, if it is not the scene's key. */
  present?(scene: Scene): string | null | Promise<string | null>;
  method?: string;
  path?: string;
}

interface Scene {
  world: World;
  project: TestProject;
  apiKey: TestApiKey;
  /** Undefined for a key without one. */
  customerId: string | undefined;
  client: ReturnType<typeof runtimeClient>;
  /** Asks once; an allow charges. */
  spend(): Promise<unknown>;
}

const POLICY = { method: 'GET', pathPattern: '/v1/reports*' };
const LABELLED = { project: { policies: [{ ...POLICY, scopes: ['read'] }] } };

/** Replaces the secret of the scene's key. @returns the new one */
async function replaceSecret({ client, apiKey }: Scene, overlapSeconds = 3_600): Promise<string> {
  const address = `/api-keys/${apiKey.apiKeyId}`;
  const { keyPrefix } = apiKeySummarySchema.parse((await client.callBelow('GET', address)).json);
  const body = { keyPrefix, overlapSeconds, confirm: true };
  const reply = await client.callBelow('POST', `${address}/rotate`, { body });
  return apiKeyRotateResultSchema.parse(reply.json).plaintextKey;
}

const endPrevious = ({ client, apiKey }: Scene) =>
  client.callBelow('POST', `/api-keys/${apiKey.apiKeyId}/end-previous-secret`);

/** A secret of another issuer. */
const FOREIGN = 'sk_live_0123456789abcdef';

/** Imports a key. @returns its secret */
async function importSecret({ client }: Scene, secret: string): Promise<string> {
  const digest = digestOf(secret).toString('hex');
  const row = { digest, encoding: 'hex', displayName: 'Imported', keyPrefix: secret.slice(0, 7) };
  const reply = await client.callBelow('POST', '/api-keys/import', { body: { apiKeys: [row] } });
  const [result] = apiKeysImportResultSchema.parse(reply.json).results;
  if (result?.status !== 200) throw new Error(`not imported: ${reply.text}`);
  return secret;
}

/** Spends what a customer has by another of its keys. */
async function spendByOther({ project, client, customerId }: Scene) {
  const { plaintext } = await project.createKey({ ...(customerId && { customerId }) });
  await client.authorize({ apiKey: plaintext });
}

const policies = (...lines: string[]): ProjectOptions => ({
  policies: lines.map((line) => {
    const [method = '', pathPattern = ''] = line.split(' ');
    return { method, pathPattern };
  }),
});

const GROUPS: Record<string, Situation[]> = {
  'the key': [
    { name: 'is live' },
    { name: 'expires in the future', apiKey: { expiresAt: FUTURE } },
    { name: 'has expired', apiKey: { expiresAt: PAST } },
    {
      name: 'had expired, and its expiry was cleared',
      apiKey: { expiresAt: PAST },
      before: ({ client, apiKey }) => client.setExpiry(apiKey.apiKeyId, null),
    },
    {
      name: 'was disabled',
      before: ({ world, apiKey }) =>
        world.db.sql`update api_keys set disabled_at = now() where id = ${apiKey.apiKeyId}`,
    },
    {
      name: 'was disabled, and then revoked',
      before: async ({ world, client, apiKey }) => {
        await world.db.sql`update api_keys set disabled_at = now() where id = ${apiKey.apiKeyId}`;
        await client.revoke(apiKey.apiKeyId);
      },
    },
    { name: 'was revoked', before: ({ client, apiKey }) => client.revoke(apiKey.apiKeyId) },
    { name: 'was archived', before: ({ client, apiKey }) => client.archive(apiKey.apiKeyId) },
    {
      name: 'was deleted by SQL',
      before: ({ world, apiKey }) =>
        world.db.sql`delete from api_keys where id = ${apiKey.apiKeyId}`,
    },
    { name: 'is null', present: () => null },
    { name: 'is an empty string', present: () => '' },
    { name: 'is blank', present: () => ' \t' },
    { name: 'is not a key', present: () => 'letmein' },
    { name: 'has a typing error', present: ({ apiKey }) => swapLast(apiKey.plaintext) },
    { name: 'has a leading blank', present: ({ apiKey }) => ` ${apiKey.plaintext}` },
    { name: 'is cut short', present: ({ apiKey }) => apiKey.plaintext.slice(0, -1) },
    { name: 'is its display-safe prefix', present: ({ apiKey }) => apiKey.keyPrefix },
    { name: 'is the project secret', present: ({ project }) => project.secret },
    {
      name: "is another project's",
      present: async ({ world }) => (await (await world.createProject()).createKey()).plaintext,
    },
  ],
  'the secret of a rotated key': [
    { name: 'the new one', present: replaceSecret },
    { name: 'the replaced one, within its overlap', before: replaceSecret },
    {
      name: 'the replaced one, its overlap over',
      before: async (scene) => {
        await replaceSecret(scene);
        await scene.world.db.sql`
          update api_keys set previous_expires_at = now() where id = ${scene.apiKey.apiKeyId}`;
      },
    },
    {
      name: 'the replaced one, its overlap ended',
      before: async (scene) => {
        await replaceSecret(scene);
        await endPrevious(scene);
      },
    },
    {
      name: 'the new one, the overlap ended',
      present: async (scene) => {
        const plaintext = await replaceSecret(scene);
        await endPrevious(scene);
        return plaintext;
      },
    },
    { name: 'the replaced one, without an overlap', before: (scene) => replaceSecret(scene, 0) },
    {
      name: 'the replaced one, of the rotation before the last',
      before: async (scene) => {
        await replaceSecret(scene);
        await replaceSecret(scene);
      },
    },
    {
      name: 'the new one, the key revoked',
      present: async (scene) => {
        const plaintext = await replaceSecret(scene);
        await scene.client.revoke(scene.apiKey.apiKeyId);
        return plaintext;
      },
    },
    {
      name: 'the replaced one, the key revoked within its overlap',
      before: async (scene) => {
        await replaceSecret(scene);
        await scene.client.revoke(scene.apiKey.apiKeyId);
      },
    },
    {
      name: 'the replaced one, the key archived within its overlap',
      before: async (scene) => {
        await replaceSecret(scene);
        await scene.client.archive(scene.apiKey.apiKeyId);
      },
    },
    {
      name: 'the replaced one, the key expired within its overlap',
      before: async (scene) => {
        await replaceSecret(scene);
        await scene.client.setExpiry(scene.apiKey.apiKeyId, PAST.toISOString());
      },
    },
    {
      name: 'the replaced one, 1 a minute of which the new one has used 1',
      apiKey: { rateLimitPerMinute: 1 },
      before: async (scene) => {
        await scene.client.authorize({ apiKey: await replaceSecret(scene) });
      },
    },
  ],
  'an imported key': [
    { name: 'its secret', present: (scene) => importSecret(scene, FOREIGN) },
    {
      name: 'its secret, the key revoked',
      present: async (scene) => {
        await importSecret(scene, FOREIGN);
        await scene.world.db.sql`
          update api_keys set status = 'revoked'
          where project_id = ${scene.project.projectId} and is_imported`;
        return FOREIGN;
      },
    },
    {
      name: 'another secret',
      present: async (scene) => `${await importSecret(scene, FOREIGN)}x`,
    },
    { name: 'a secret of 15 characters', present: (scene) => importSecret(scene, 'k'.repeat(15)) },
    { name: 'a secret of 256', present: (scene) => importSecret(scene, 'k'.repeat(256)) },
    { name: 'a secret of 257', present: (scene) => importSecret(scene, 'k'.repeat(257)) },
    { name: 'a secret with a space', present: (scene) => importSecret(scene, `a${FOREIGN} b`) },
  ],
  'the policies': [
    { name: 'none', project: policies() },
    { name: '/v1/reports, asked for /v1/reports', project: policies('GET /v1/reports') },
    {
      name: '/v1/reports, asked for /v1/reports/',
      project: policies('GET /v1/reports'),
      path: '/v1/reports/',
    },
    {
      name: '/v1/reports, asked for /v1/reports/42',
      project: policies('GET /v1/reports'),
      path: '/v1/reports/42',
    },
    {
      name: '/v1/reports, asked for /v1/billing',
      project: policies('GET /v1/reports'),
      path: ELSEWHERE,
    },
    { name: '/v1/reports*, asked for /v1/reports' },
    { name: '/v1/reports*, asked for /v1/reports/42', path: '/v1/reports/42' },
    { name: '/v1/reports*, asked for /v1/reports/42/pages/7', path: '/v1/reports/42/pages/7' },
    { name: '/v1/reports*, asked for /v1/reportsX', path: '/v1/reportsX' },
    { name: '/v1/reports*, asked for /v1/billing', path: ELSEWHERE },
    { name: '*, asked for /v1/billing', project: policies('GET *'), path: ELSEWHERE },
    { name: '*, for an ambiguous path', project: policies('GET *'), path: '/v1/../admin' },
    { name: '/*, for an ambiguous path', project: policies('GET /*'), path: '/v1/../admin' },
    { name: '/*, for the root', project: policies('GET /*'), path: '/' },
    { name: 'GET, asked with GET' },
    { name: 'GET, asked with HEAD', method: 'HEAD' },
    { name: 'GET, asked with get', method: 'get' },
    { name: 'GET, asked with POST', method: 'POST' },
    {
      name: '* as the method, asked with POST',
      project: policies('* /v1/reports'),
      method: 'POST',
    },
    { name: 'a query after the path', path: '/v1/reports?page=2' },
    { name: 'removed', before: ({ project }) => project.setPolicies([]) },
    {
      name: 'removed by SQL',
      before: ({ world, project }) =>
        world.db.sql`delete from policies where project_id = ${project.projectId}`,
    },
  ],
  'the subscription': [
    { name: 'active', before: ({ project }) => project.setSubscription({ status: 'active' }) },
    { name: 'trialing', before: ({ project }) => project.setSubscription({ status: 'trialing' }) },
    { name: 'past_due', before: ({ project }) => project.setSubscription({ status: 'past_due' }) },
    { name: 'canceled', before: ({ project }) => project.setSubscription({ status: 'canceled' }) },
    {
      name: 'active, its period not yet over',
      before: ({ project }) => project.setSubscription({ currentPeriodEnd: FUTURE }),
    },
    {
      name: 'active, its period over',
      before: ({ project }) => project.setSubscription({ currentPeriodEnd: PAST }),
    },
    {
      name: 'trialing, its period over',
      before: ({ project }) =>
        project.setSubscription({ status: 'trialing', currentPeriodEnd: PAST }),
    },
    {
      name: 'none',
      before: ({ world, project }) =>
        world.db.sql`delete from subscriptions where project_id = ${project.projectId}`,
    },
  ],
  'the labels, of a policy with read': [
    { name: 'the key has no list', ...LABELLED },
    { name: 'restricted to read', ...LABELLED, apiKey: { scopes: ['read'] } },
    { name: 'restricted to read and more', ...LABELLED, apiKey: { scopes: ['read', 'write'] } },
    { name: 'restricted to another label', ...LABELLED, apiKey: { scopes: ['write'] } },
    { name: 'restricted to nothing', ...LABELLED, apiKey: { scopes: [] } },
    { name: 'restricted, and the policy has no labels', apiKey: { scopes: ['read'] } },
    {
      name: 'restricted to the label of a wider policy that matches too',
      project: {
        policies: [
          { method: 'GET', pathPattern: '/v1/*', scopes: ['read'] },
          { method: 'GET', pathPattern: '/v1/reports', scopes: ['admin'] },
        ],
      },
      apiKey: { scopes: ['read'] },
    },
    { name: 'on a plan of read', ...LABELLED, customer: { plan: { scopes: ['read'] } } },
    { name: 'on a plan of another label', ...LABELLED, customer: { plan: { scopes: ['write'] } } },
  ],
  'the customer': [
    { name: 'without a plan', customer: {} },
    { name: 'suspended', customer: { suspendedAt: PAST } },
    { name: 'active on its plan', customer: { plan: {} } },
    { name: 'past_due on its plan', customer: { subscriptionStatus: 'past_due' } },
    { name: 'canceled on its plan', customer: { subscriptionStatus: 'canceled' } },
    {
      name: 'trialing on its plan, its period over',
      customer: { subscriptionStatus: 'trialing', currentPeriodEnd: PAST },
    },
    {
      name: '1 a month, 1 used by another key',
      customer: { monthlyQuota: 1 },
      before: spendByOther,
    },
    {
      name: 'its plan 1 a month, its own 2, 1 used by another key',
      customer: { monthlyQuota: 2, plan: { monthlyQuota: 1 } },
      before: spendByOther,
    },
    { name: '1 a day, 1 used by another key', customer: { dailyQuota: 1 }, before: spendByOther },
    {
      name: '1 a minute and 1 a day, both used by another key',
      customer: { rateLimitPerMinute: 1, dailyQuota: 1 },
      before: spendByOther,
    },
    {
      name: '1 a minute, 1 used by another key',
      customer: { rateLimitPerMinute: 1 },
      before: spendByOther,
    },
  ],
  'the cost': [
    {
      name: '3 of 3 left',
      project: { plan: { monthlyQuota: 3 }, policies: [{ ...POLICY, cost: 3 }] },
    },
    {
      name: '3 of 2 left',
      project: { plan: { monthlyQuota: 2 }, policies: [{ ...POLICY, cost: 3 }] },
    },
    {
      name: '0 of a quota that is used up',
      project: { plan: { monthlyQuota: 0 }, policies: [{ ...POLICY, cost: 0 }] },
    },
    {
      name: '0 of a rate that is used up',
      project: { plan: { rateLimitPerMinute: 0 }, policies: [{ ...POLICY, cost: 0 }] },
    },
    {
      name: '2 of a day of 1',
      project: { plan: { dailyQuota: 1 }, policies: [{ ...POLICY, cost: 2 }] },
    },
  ],
  'the quota': [
    { name: '2 a month, 1 used', project: { plan: { monthlyQuota: 2 } }, before: (s) => s.spend() },
    { name: '1 a month, 1 used', project: { plan: { monthlyQuota: 1 } }, before: (s) => s.spend() },
    { name: '0 a month', project: { plan: { monthlyQuota: 0 } } },
    {
      name: '1 a month, 1 used, then raised to 2',
      project: { plan: { monthlyQuota: 1 } },
      before: async (s) => {
        await s.spend();
        await s.project.setPlanLimits({ monthlyQuota: 2 });
      },
    },
    {
      name: "the key's own: 1 a month, 1 used",
      apiKey: { monthlyQuota: 1 },
      before: (s) => s.spend(),
    },
    {
      name: "another key's own: 1 a month, 1 used",
      before: async ({ project, client }) => {
        const { plaintext } = await project.createKey({ monthlyQuota: 1 });
        return client.authorize({ apiKey: plaintext });
      },
    },
    { name: "the key's own: 0 a month", apiKey: { monthlyQuota: 0 } },
  ],
  'the rate': [
    {
      name: '2 a minute, 1 used',
      project: { plan: { rateLimitPerMinute: 2 } },
      before: (s) => s.spend(),
    },
    {
      name: '1 a minute, 1 used',
      project: { plan: { rateLimitPerMinute: 1 } },
      before: (s) => s.spend(),
    },
    { name: '0 a minute', project: { plan: { rateLimitPerMinute: 0 } } },
    {
      name: "the key's own: 1 a minute, 1 used",
      apiKey: { rateLimitPerMinute: 1 },
      before: (s) => s.spend(),
    },
    {
      name: "the project's default per key: 1 per minute, 1 used",
      project: { defaultKeyRateLimitPerMinute: 1 },
      before: (s) => s.spend(),
    },
    {
      name: "the key's own 2 per minute over the default of 1, 1 used",
      project: { defaultKeyRateLimitPerMinute: 1 },
      apiKey: { rateLimitPerMinute: 2 },
      before: (s) => s.spend(),
    },
    {
      name: 'and the quota, both used up',
      project: { plan: { rateLimitPerMinute: 1, monthlyQuota: 1 } },
      before: (s) => s.spend(),
    },
    {
      name: "the key's used up, the project's quota used up by another key",
      project: { plan: { monthlyQuota: 2 } },
      apiKey: { rateLimitPerMinute: 1 },
      before: async (s) => {
        await s.spend();
        await s.client.authorize({ apiKey: (await s.project.createKey()).plaintext });
      },
    },
  ],
};

/** Each state that denies under a reason that covers several, and a situation with that state. */
export const SITUATION_OF_DETAIL = {
  expired: 'has expired',
  disabled: 'was disabled',
  past_due: 'past_due',
  canceled: 'canceled',
  period_ended: 'active, its period over',
  no_subscription: 'none',
  scope: 'restricted to another label',
  plan_scope: 'on a plan of another label',
  customer_suspended: 'suspended',
  customer_past_due: 'past_due on its plan',
  customer_canceled: 'canceled on its plan',
  customer_period_ended: 'trialing on its plan, its period over',
} as const satisfies Record<DenialDetail, string>;

const swapLast = (text: string) => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;

/** What the previous release does not know: it may be configured once every Runtime is of this one. */
export const NEW_GROUPS: readonly string[] = [];

/**
 * Each situation in its own project, with everything else valid.
 *
 * @param without what the previous release does not know
 */
export async function situations(
  world: World,
  runtimeUrl: string,
  { without = [] as readonly string[] } = {},
): Promise<string> {
  const sections: string[] = [];
  for (const [group, list] of Object.entries(GROUPS)) {
    if (without.includes(group)) continue;
    const rows = await Promise.all(
      list.map(async (situation) => [
        `  ${situation.name}`,
        await withinOneMinute(() => outcomeIn(world, runtimeUrl, situation)),
      ]),
    );
    sections.push(`${group}:\n${tableOf(rows)}`);
  }
  return sections.join('\n\n');
}

async function outcomeIn(world: World, runtimeUrl: string, situation: Situation): Promise<string> {
  const project = await world.createProject(situation.project);
  const customer = situation.customer && (await project.createCustomer(situation.customer));
  const customerId = customer?.customerId;
  const apiKey = await project.createKey({
    ...situation.apiKey,
    ...(customerId && { customerId }),
  });
  const client = runtimeClient(runtimeUrl, project);
  const spend = () => client.authorize({ apiKey: apiKey.plaintext });
  const scene: Scene = { world, project, apiKey, customerId, client, spend };
  await situation.before?.(scene);
  const presented =
    situation.present === undefined ? apiKey.plaintext : await situation.present(scene);
  const { method = 'GET', path = HERE } = situation;
  return outcomeOf(await ask(runtimeUrl, project, { apiKey: presented, method, path }));
}
