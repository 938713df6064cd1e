import { randomBytes } from 'node:crypto';
import { apiKeyRotateResultSchema } from '@ceiba/contract';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { mintApiKey, mintProjectSecret } from '@ceiba/domain';
import {
  archiveApiKey,
  disableApiKey,
  enableApiKey,
  endPreviousKeySecret,
  endPreviousSecret,
  getProject,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
  type VerbContext,
} from '@ceiba/schema';
import type { PlanLimits, TestApiKey, TestCustomer, TestProject } from '../../support/scenario.ts';
import { until } from '../../support/until.ts';
import type { Credentials, Verdict } from '../support/caller.ts';
import type { Node, Stage } from '../support/stage.ts';
import { hold } from '../support/violation.ts';

/** The project and the Runtimes of one change. */
export interface Scene {
  stage: Stage;
  project: TestProject;
  key: TestApiKey;
  /** Of the key, on a plan of its own; only where {@link Change.needsCustomer}. */
  customer: TestCustomer | null;
  /** Makes the changes for which the Runtime has a route. */
  a: Node;
  /** Answers the questions. */
  b: Node;
}

export interface Change {
  /** Whether the key has a customer, and all may call by a label. */
  needsCustomer?: true;
  /** The verdict of every question that is sent after the acknowledgement. */
  becomes: Verdict;
  /** The ways to make the change until its acknowledgement: a route of `a`, a verb, or plain SQL. */
  ways: Record<string, (scene: Scene) => Promise<unknown>>;
  /** Undoes the change, so that the next question is allowed; absent if it cannot be undone. */
  restore?: (scene: Scene) => Promise<unknown>;
}

/** Long enough for an allow before the expiry, short enough to wait for. */
const SOON = '60 milliseconds';
const LONG_AGO = '2020-01-01T00:00:00.000Z';
const REPORTS = { method: 'GET', pathPattern: '/v1/reports*' };

const PLENTY = { rateLimitPerMinute: 1_000_000, dailyQuota: null, monthlyQuota: 1_000_000 };

/** Every kind of change after which an allowed call is denied. */
export const CHANGES = {
  'a key is revoked': {
    becomes: 'revoked_api_key',
    ways: {
      http: (scene) => post(scene, 'revoke'),
      verb: (scene) => revokeApiKey(context(scene), keyOf(scene)),
      'http, and it is asked by the secret before': async (scene) => {
        await replaceSecret(scene, AN_HOUR);
        await post(scene, 'revoke');
      },
      sql: (scene) =>
        sqlOf(scene)`update api_keys set status = 'revoked' where id = ${scene.key.apiKeyId}`,
    },
  },
  'a key is archived': {
    becomes: 'archived_api_key',
    ways: {
      http: (scene) => post(scene, 'archive'),
      verb: (scene) => archiveApiKey(context(scene), keyOf(scene)),
      sql: (scene) =>
        sqlOf(scene)`update api_keys set status = 'archived' where id = ${scene.key.apiKeyId}`,
    },
  },
  'a key is expired': {
    becomes: 'expired_api_key',
    ways: {
      http: (scene) => patchExpiry(scene, LONG_AGO),
      verb: (scene) =>
        updateApiKey(context(scene), { ...keyOf(scene), expiresAt: new Date(LONG_AGO) }),
      sql: (scene) =>
        sqlOf(scene)`update api_keys set expires_at = now() where id = ${scene.key.apiKeyId}`,
    },
    restore: (scene) => patchExpiry(scene, null),
  },
  'a key is disabled': {
    becomes: 'expired_api_key',
    ways: {
      verb: (scene) => disableApiKey(context(scene), keyOf(scene)),
      sql: (scene) =>
        sqlOf(scene)`update api_keys set disabled_at = now() where id = ${scene.key.apiKeyId}`,
    },
    restore: (scene) => enableApiKey(context(scene), keyOf(scene)),
  },
  'the expiry of a key passes': {
    becomes: 'expired_api_key',
    ways: {
      http: async (scene) => {
        await patchExpiry(scene, await soon(scene));
        await untilKeyExpired(scene);
      },
      sql: async (scene) => {
        await sqlOf(scene)`update api_keys set expires_at = now() + ${SOON}::text::interval
          where id = ${scene.key.apiKeyId}`;
        await untilKeyExpired(scene);
      },
    },
    restore: (scene) => patchExpiry(scene, null),
  },
  'the limit of a key becomes 0': {
    becomes: 'rate_limited',
    ways: {
      verb: ({ project, key }) => project.setKeyLimits(key.apiKeyId, { rateLimitPerMinute: 0 }),
      sql: (scene) =>
        sqlOf(
          scene,
        )`update api_keys set rate_limit_per_minute = 0 where id = ${scene.key.apiKeyId}`,
    },
    restore: ({ project, key }) => project.setKeyLimits(key.apiKeyId, { rateLimitPerMinute: null }),
  },
  'the secret of a key is replaced at once': {
    becomes: 'invalid_api_key',
    ways: {
      http: replaceSecretByRoute,
      verb: (scene) => replaceSecret(scene, 0),
      sql: async (scene) => {
        const { plaintext, prefix, digest } = mintApiKey(randomBytes);
        await sqlOf(scene)`update api_keys set key_digest = ${digest}, key_prefix = ${prefix}
          where id = ${scene.key.apiKeyId}`;
        Object.assign(scene.key, { plaintext, keyPrefix: prefix });
      },
    },
    // The key then has its new secret.
    restore: async () => {},
  },
  'the overlap of a replaced secret ends': {
    becomes: 'invalid_api_key',
    ways: {
      http: (scene) => replaceThen(scene, () => post(scene, 'end-previous-secret')),
      verb: (scene) => replaceThen(scene, () => endPreviousKeySecret(context(scene), keyOf(scene))),
      'another rotation with an overlap': (scene) =>
        replaceThen(scene, () => replaceSecret(scene, AN_HOUR)),
      'another rotation at once': (scene) => replaceThen(scene, () => replaceSecret(scene, 0)),
      'sql, and it passes': (scene) =>
        replaceThen(scene, async () => {
          await sqlOf(scene)`
            update api_keys set previous_expires_at = now() + ${SOON}::text::interval
            where id = ${scene.key.apiKeyId}`;
          await untilTrue(
            () => sqlOf(scene)`select previous_expires_at <= now() as "isTrue" from api_keys
              where id = ${scene.key.apiKeyId}`,
          );
        }),
    },
    restore: async () => {},
  },
  'a policy is removed': {
    becomes: 'policy_no_match',
    ways: {
      verb: ({ project }) => project.setPolicies([{ method: 'GET', pathPattern: '/v1/billing' }]),
      'sql delete beside a temporary table of the name': (scene) =>
        sqlOf(scene).begin(async (sql) => {
          await sql`create temp table projects (id uuid, policy_revision uuid) on commit drop`;
          await sql`delete from policies where project_id = ${scene.project.projectId}`;
        }),
      'sql delete in the role replica': (scene) =>
        sqlOf(scene).begin(async (sql) => {
          await sql`set local session_replication_role = replica`;
          await sql`delete from policies where project_id = ${scene.project.projectId}`;
        }),
      'sql update': (scene) =>
        sqlOf(scene)`update policies set path_pattern = '/v1/billing'
          where project_id = ${scene.project.projectId}`,
      'sql truncate': (scene) => sqlOf(scene)`truncate policies`,
    },
    restore: ({ project }) => project.setPolicies([REPORTS]),
  },
  'the subscription lapses': {
    becomes: 'inactive_subscription',
    ways: {
      verb: ({ project }) => project.setSubscription({ status: 'canceled' }),
      sql: (scene) =>
        sqlOf(scene)`update subscriptions set status = 'past_due'
          where project_id = ${scene.project.projectId}`,
    },
    restore: ({ project }) => project.setSubscription({ status: 'active' }),
  },
  'the period of the subscription ends': {
    becomes: 'inactive_subscription',
    ways: {
      verb: ({ project }) => project.setSubscription({ currentPeriodEnd: new Date(LONG_AGO) }),
      sql: (scene) =>
        sqlOf(scene)`update subscriptions set current_period_end = now()
          where project_id = ${scene.project.projectId}`,
      'sql, and it passes': async (scene) => {
        await sqlOf(
          scene,
        )`update subscriptions set current_period_end = now() + ${SOON}::text::interval
          where project_id = ${scene.project.projectId}`;
        await untilTrue(
          () => sqlOf(scene)`select current_period_end <= now() as "isTrue" from subscriptions
            where project_id = ${scene.project.projectId}`,
        );
      },
    },
    restore: ({ project }) => project.setSubscription({ currentPeriodEnd: null }),
  },
  'the quota of the plan becomes 0': planChange({ monthlyQuota: 0 }, 'quota_exceeded'),
  'the rate of the plan becomes 0': planChange({ rateLimitPerMinute: 0 }, 'rate_limited'),
  'a customer is suspended': {
    needsCustomer: true,
    becomes: 'inactive_subscription',
    ways: { sql: (scene) => setCustomer(scene, { suspended_at: '2020-01-01' }) },
    restore: (scene) => setCustomer(scene, { suspended_at: null }),
  },
  "a customer's plan lapses": {
    needsCustomer: true,
    becomes: 'inactive_subscription',
    ways: {
      'sql on the status': (scene) => setCustomer(scene, { subscription_status: 'past_due' }),
      'sql on the period': (scene) => setCustomer(scene, { current_period_end: '2020-01-01' }),
    },
    restore: (scene) =>
      setCustomer(scene, { subscription_status: 'active', current_period_end: null }),
  },
  'a quota of a customer becomes 0': {
    needsCustomer: true,
    becomes: 'quota_exceeded',
    ways: {
      'sql on its month': (scene) => setCustomer(scene, { monthly_quota: 0 }),
      'sql on its day': (scene) => setCustomer(scene, { daily_quota: 0 }),
      "sql on its plan's month": (scene) => setCustomerPlan(scene, { monthly_quota: 0 }),
      "sql on its plan's day": (scene) => setCustomerPlan(scene, { daily_quota: 0 }),
    },
    restore: async (scene) => {
      await setCustomer(scene, { monthly_quota: null, daily_quota: null });
      await setCustomerPlan(scene, { monthly_quota: null, daily_quota: null });
    },
  },
  "a customer's month begins on a day on which nothing is left": {
    needsCustomer: true,
    becomes: 'quota_exceeded',
    ways: {
      sql: async (scene) => {
        const { customerId = '' } = scene.customer ?? {};
        const sql = sqlOf(scene);
        await setCustomer(scene, { monthly_quota: 1_000_000 });
        for (const back of [0, 1]) {
          await sql`
            insert into usage_months (project_id, month, scope, incarnation, count)
            select ${scene.project.projectId}::uuid, extract(year from at)::int * 12
              + extract(month from at)::int - 1, ${`${customerId}@28`}, 'earlier', 1000000
            from (select now() at time zone 'UTC' - ${back} * interval '1 month' as at) as month
            on conflict do nothing`;
        }
        await setCustomer(scene, { billing_day: 28 });
      },
    },
    restore: (scene) => setCustomer(scene, { billing_day: 1 }),
  },
  'a key moves to a suspended customer': {
    needsCustomer: true,
    becomes: 'inactive_subscription',
    ways: {
      sql: async (scene) => {
        const { customerId } = await scene.project.createCustomer({ suspendedAt: new Date() });
        await moveTo(scene, customerId);
      },
    },
    restore: (scene) => moveTo(scene, scene.customer?.customerId ?? null),
  },
  'a label is taken away': {
    needsCustomer: true,
    becomes: 'policy_no_match',
    ways: {
      'sql from the key': (scene) => setLabels(scene, { key: '{}' }),
      'sql from the policy': (scene) => setLabels(scene, { policy: '{other}' }),
      'sql from every policy': (scene) => setLabels(scene, { policy: null }),
      "sql from the customer's plan": (scene) => setLabels(scene, { plan: '{other}' }),
      'sql by a more specific policy without it': (scene) =>
        sqlOf(scene)`insert into policies (project_id, method, path_pattern, scopes)
          values (${scene.project.projectId}, 'GET', '/v1/reports', '{other}')`,
    },
    restore: async (scene) => {
      await sqlOf(scene)`delete from policies
        where project_id = ${scene.project.projectId} and path_pattern = '/v1/reports'`;
      await setLabels(scene, {});
    },
  },
  'a policy costs more than is left': {
    becomes: 'quota_exceeded',
    ways: {
      verb: ({ project }) => project.setPolicies([{ ...REPORTS, cost: 1_000_000 }]),
      sql: (scene) =>
        sqlOf(scene)`update policies set cost = 1000000
          where project_id = ${scene.project.projectId}`,
    },
    restore: ({ project }) => project.setPolicies([REPORTS]),
  },
  'the secret is rotated twice': {
    becomes: 'unauthorized',
    ways: {
      verb: (scene) => rotateTwice(scene, () => scene.project.rotateSecret()),
      sql: (scene) => rotateTwice(scene, () => rotateBySql(scene)),
    },
    // A third rotation, so that the project has the current secret.
    restore: ({ project }) => project.rotateSecret(),
  },
  'the previous secret is ended': {
    becomes: 'unauthorized',
    ways: {
      verb: (scene) => rotateThen(scene, () => endPrevious(scene)),
      sql: (scene) =>
        rotateThen(
          scene,
          () => sqlOf(scene)`update projects set previous_secret_digest = null
            where id = ${scene.project.projectId}`,
        ),
    },
    // The project then has the current secret.
    restore: ({ project }) => project.rotateSecret(),
  },
} as const satisfies Record<string, Change>;

const sqlOf = ({ stage }: Scene) => stage.world.db.sql;
const keyOf = ({ project, key }: Scene) => ({
  projectId: project.projectId,
  apiKeyId: key.apiKeyId,
});

type Row = Record<string, string | number | null>;

async function setCustomer(scene: Scene, row: Row): Promise<void> {
  const sql = sqlOf(scene);
  await sql`update customers set ${sql(row)} where id = ${scene.customer?.customerId ?? null}`;
}

async function setCustomerPlan(scene: Scene, row: Row): Promise<void> {
  const sql = sqlOf(scene);
  await sql`update customer_plans set ${sql(row)} where id = ${scene.customer?.planId ?? null}`;
}

async function moveTo(scene: Scene, customerId: string | null): Promise<void> {
  await sqlOf(scene)`
    update api_keys set customer_id = ${customerId} where id = ${scene.key.apiKeyId}`;
}

/** The labels that a call needs, as literals of arrays; `{read}` where none is named. */
async function setLabels(
  scene: Scene,
  { key = '{read}', policy = '{read}', plan = '{read}' }: Partial<Record<string, string | null>>,
): Promise<void> {
  const sql = sqlOf(scene);
  const { projectId } = scene.project;
  await sql.begin(async (tx) => {
    await tx`update api_keys set scopes = ${key}::text[] where id = ${scene.key.apiKeyId}`;
    await tx`update policies set scopes = ${policy}::text[] where project_id = ${projectId}`;
    await tx`
      update customer_plans set scopes = ${plan}::text[] where id = ${scene.customer?.planId ?? null}`;
  });
}

/** A key whose calls need its customer, and a label of the key, the policy and the customer's plan. */
export async function prepareCustomer(scene: Omit<Scene, 'customer'>): Promise<TestCustomer> {
  const customer = await scene.project.createCustomer({ plan: {} });
  const prepared = { ...scene, customer };
  await moveTo(prepared, customer.customerId);
  await setLabels(prepared, {});
  return customer;
}

export const credentialsOf = ({ project, key }: Scene): Credentials => ({
  projectId: project.projectId,
  secret: project.secret,
  apiKey: key.plaintext,
});

const context = ({ stage }: Scene): VerbContext => ({
  db: stage.world.db,
  actor: { kind: 'cli' },
  clientAddress: null,
  requestId: null,
});

const pathOf = ({ project, key }: Scene) =>
  `/rt/projects/${project.projectId}/api-keys/${key.apiKeyId}`;

type Action = 'revoke' | 'archive' | 'end-previous-secret';

async function post(scene: Scene, action: Action): Promise<void> {
  const status = await scene.a.call('POST', `${pathOf(scene)}/${action}`, scene.project.secret, {});
  if (status !== 200) throw new Error(`${action} was answered ${status}`);
}

async function patchExpiry(scene: Scene, expiresAt: string | null): Promise<void> {
  const body = { expiresAt };
  const status = await scene.a.call('PATCH', pathOf(scene), scene.project.secret, body);
  if (status !== 200) throw new Error(`a new expiry was answered ${status}`);
}

async function soon(scene: Scene): Promise<string> {
  const [row] = await sqlOf(scene)<{ at: string }[]>`select now() + ${SOON}::text::interval as at`;
  if (row === undefined) throw new Error('the database returned no time');
  return new Date(row.at).toISOString();
}

/** Waits by the database's clock, which decides. */
const untilKeyExpired = (scene: Scene) =>
  untilTrue(
    () => sqlOf(scene)`select expires_at <= now() as "isTrue" from api_keys
      where id = ${scene.key.apiKeyId}`,
  );

function untilTrue(read: () => PromiseLike<readonly { isTrue?: unknown }[]>): Promise<void> {
  return until('the time has passed', async () => (await read())[0]?.isTrue === true);
}

function planChange(limits: PlanLimits, becomes: Verdict): Change {
  const column = 'monthlyQuota' in limits ? 'monthly_quota' : 'rate_limit_per_minute';
  return {
    becomes,
    ways: {
      'verb on the plan': ({ project }) => project.setPlanLimits(limits),
      'verb on the subscription': async (scene) => {
        const other = await scene.stage.world.createProject({ plan: limits });
        await scene.project.setSubscription({ planId: other.plan.planId });
      },
      sql: (scene) => {
        const sql = sqlOf(scene);
        return sql`update plans set ${sql(column)} = 0 where id = ${scene.project.plan.planId}`;
      },
    },
    restore: async ({ project }) => {
      await project.setPlanLimits(PLENTY);
      await project.setSubscription({ planId: project.plan.planId });
    },
  };
}

/** The replaced secret stays valid until the next rotation, which invalidates it at once. */
const rotateTwice = (scene: Scene, rotate: () => Promise<unknown>) =>
  rotateThen(scene, rotate, rotate);

const AN_HOUR = 3_600;

/** Gives the key of a scene a new secret, which it then has. */
async function replaceSecret(scene: Scene, overlapSeconds: number): Promise<void> {
  const { keyPrefix } = scene.key;
  const rotated = await rotateApiKey(context(scene), {
    ...keyOf(scene),
    keyPrefix,
    overlapSeconds,
    confirm: true,
    mint: (brand) => mintApiKey(randomBytes, brand),
  });
  if (rotated.kind !== 'rotated') throw new Error(`a rotation was answered ${rotated.kind}`);
  Object.assign(scene.key, { plaintext: rotated.plaintextKey, keyPrefix: rotated.keyPrefix });
}

async function replaceSecretByRoute(scene: Scene): Promise<void> {
  const reply = await fetch(`${scene.a.url}${pathOf(scene)}/rotate`, {
    method: 'POST',
    headers: {
      [PROJECT_SECRET_HEADER]: scene.project.secret,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ keyPrefix: scene.key.keyPrefix, overlapSeconds: 0 }),
  });
  const { keyPrefix, plaintextKey } = apiKeyRotateResultSchema.parse(await reply.json());
  Object.assign(scene.key, { plaintext: plaintextKey, keyPrefix });
}

/** Replaces the secret with an overlap, in which both are allowed, and then ends the overlap. */
async function replaceThen(scene: Scene, end: () => PromiseLike<unknown>): Promise<void> {
  const oldest = credentialsOf(scene);
  await replaceSecret(scene, AN_HOUR);
  for (const who of [oldest, credentialsOf(scene)]) {
    const { verdict, words } = await scene.b.ask(who);
    hold('a change applies from the next decision on', verdict === 'allowed', () => {
      return `within the overlap of a rotation one of two secrets got ${words}`;
    });
  }
  await end();
}

/** Rotates once, and then ends the secret that was replaced and is still valid. */
async function rotateThen(
  scene: Scene,
  end: () => PromiseLike<unknown>,
  rotate: () => Promise<unknown> = () => scene.project.rotateSecret(),
): Promise<void> {
  const oldest = credentialsOf(scene);
  await rotate();
  const between = await scene.b.ask(oldest);
  hold('a change applies from the next decision on', between.verdict === 'allowed', () => {
    return `after one rotation the previous secret got ${between.words}`;
  });
  await end();
}

async function endPrevious(scene: Scene): Promise<void> {
  const { projectId } = scene.project;
  const project = await getProject(scene.stage.world.db, projectId);
  if (project === null) throw new Error('the project does not exist');
  await endPreviousSecret(context(scene), { projectId, current: project.secretCreatedAt });
}

async function rotateBySql(scene: Scene): Promise<void> {
  const { digest } = mintProjectSecret(randomBytes);
  await sqlOf(scene)`
    update projects set secret_digest = ${digest}, secret_created_at = now(),
      previous_secret_digest = secret_digest, previous_secret_expires_at = now() + interval '24 hours'
    where id = ${scene.project.projectId}`;
}
