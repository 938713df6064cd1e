import { randomBytes, randomUUID } from 'node:crypto';
import { PROJECT_SECRET_HEADER, type SubscriptionStatus } from '@ceiba/contract/sets';
import { type KeyLimits, mintApiKey, mintProjectSecret } from '@ceiba/domain';
import {
  archiveApiKey,
  createApiKey,
  createDatabase,
  createProject,
  createUser,
  type Database,
  disableApiKey,
  getProject,
  type Plan,
  type PolicyRule,
  putPlan,
  replacePolicies,
  revokeApiKey,
  rotateProjectSecret,
  type SetSubscriptionInput,
  setSubscription,
  updateApiKey,
  updateProject,
  type VerbContext,
} from '@ceiba/schema';
import { undocumented } from './documented.ts';

/** The limits of a plan; the default of each is more than a test can use up. */
export type PlanLimits = Partial<Omit<Plan, 'planId' | 'name'>>;

export interface TestPolicy extends PolicyRule {
  scopes?: readonly string[] | null;
  cost?: number;
}

export interface ProjectOptions {
  plan?: PlanLimits;
  /** GET `/v1/reports*`, the policy of the demo, by default. */
  policies?: readonly TestPolicy[];
  defaultKeyRateLimitPerMinute?: number;
}

export interface ApiKeyOptions extends Partial<KeyLimits> {
  displayName?: string;
  expiresAt?: Date;
  customerId?: string;
  scopes?: readonly string[];
}

/** The columns of a customer and of its own plan, which it has where one of `plan` is given. */
export interface CustomerOptions extends Partial<KeyLimits> {
  billingDay?: number;
  suspendedAt?: Date | null;
  plan?: Partial<KeyLimits> & { scopes?: readonly string[] | null };
  subscriptionStatus?: SubscriptionStatus;
  currentPeriodEnd?: Date | null;
}

export interface TestCustomer {
  customerId: string;
  externalId: string;
  planId: string | null;
}

/** A key with its plaintext. */
export interface TestApiKey {
  apiKeyId: string;
  displayName: string;
  keyPrefix: string;
  plaintext: string;
}

/** A project with its own owner and plan, and the changes that an operator can make. */
export interface TestProject {
  readonly projectId: string;
  readonly ownerId: string;
  readonly plan: { readonly planId: string; readonly name: string };
  /** The current secret: the last result of `rotateSecret`. */
  readonly secret: string;
  createKey(options?: ApiKeyOptions): Promise<TestApiKey>;
  createCustomer(options?: CustomerOptions): Promise<TestCustomer>;
  setKeyLimits(apiKeyId: string, limits: Partial<KeyLimits>): Promise<void>;
  disableKey(apiKeyId: string): Promise<void>;
  endKey(apiKeyId: string, status: 'revoked' | 'archived'): Promise<void>;
  setPlanLimits(limits: PlanLimits): Promise<void>;
  setSubscription(change: Omit<SetSubscriptionInput, 'projectId'>): Promise<void>;
  setPolicies(rules: readonly TestPolicy[]): Promise<void>;
  setDefaultKeyRate(rateLimitPerMinute: number | null): Promise<void>;
  setLogging(change: { loggedAllowsPercent?: number; logsPaths?: boolean }): Promise<void>;
  /** Creates a new secret, and drops a previous one that is still valid. */
  rotateSecret(): Promise<string>;
}

/** The database and scenarios of one test file, with a pool to build and to query with. */
export interface World {
  readonly db: Database;
  createProject(options?: ProjectOptions): Promise<TestProject>;
  close(): Promise<void>;
}

const PLENTY = {
  activeKeyCap: 1_000,
  rateLimitPerMinute: 1_000_000,
  dailyQuota: null,
  monthlyQuota: 1_000_000,
};
const REPORTS: readonly TestPolicy[] = [{ method: 'GET', pathPattern: '/v1/reports*' }];

/** Builds scenarios in a migrated database, only through the verbs. */
export function createWorld(databaseUrl: string): World {
  const db = createDatabase(databaseUrl, { maxConnections: 4, applicationName: 'ceiba-tests' });
  const ctx: VerbContext = {
    db,
    actor: { kind: 'cli' },
    clientAddress: null,
    requestId: null,
  };
  return {
    db,
    createProject: (options = {}) => buildProject(db, ctx, options),
    close: () => db.close(),
  };
}

async function buildProject(
  db: Database,
  ctx: VerbContext,
  options: ProjectOptions,
): Promise<TestProject> {
  const id = randomUUID();
  const owner = expectKind(
    await createUser(ctx, { email: `${id}@example.com`, passwordHash: null }),
    'created',
  );
  let secret = mintProjectSecret(randomBytes);
  const { projectId } = expectKind(
    await createProject(ctx, { ownerId: owner.userId, name: `project ${id}`, secret }),
    'created',
  );
  const name = `plan ${id}`;
  let limits = { ...PLENTY, ...options.plan };
  const { planId } = await putPlan(ctx, { name, ...limits });
  await setSubscription(ctx, { projectId, planId });
  const setPolicies = async (rules: readonly TestPolicy[]) => {
    await replacePolicies(ctx, { projectId, rules });
    for (const { method, pathPattern, scopes = null, cost = 1 } of rules) {
      await db.sql`
        update policies set scopes = ${labelsOf(scopes)}::text[], cost = ${cost}
        where project_id = ${projectId} and method = ${method} and path_pattern = ${pathPattern}
          and (scopes is distinct from ${labelsOf(scopes)}::text[] or cost <> ${cost})`;
    }
  };
  await setPolicies(options.policies ?? REPORTS);
  const setDefaultKeyRate = async (defaultKeyRateLimitPerMinute: number | null) =>
    void (await updateProject(ctx, { projectId, defaultKeyRateLimitPerMinute }));
  if (options.defaultKeyRateLimitPerMinute !== undefined) {
    await setDefaultKeyRate(options.defaultKeyRateLimitPerMinute);
  }

  return {
    projectId,
    ownerId: owner.userId,
    plan: { planId, name },
    get secret() {
      return secret.plaintext;
    },
    async createKey({ displayName = 'Test key', customerId, scopes, ...values } = {}) {
      const minted = mintApiKey(randomBytes);
      const { apiKeyId, keyPrefix } = expectKind(
        await createApiKey(ctx, { projectId, displayName, mint: () => minted, ...values }),
        'created',
      );
      if (customerId !== undefined || scopes !== undefined) {
        await db.sql`
          update api_keys set customer_id = ${customerId ?? null}, scopes = ${labelsOf(scopes ?? null)}::text[]
          where id = ${apiKeyId}`;
      }
      return { apiKeyId, displayName, keyPrefix, plaintext: minted.plaintext };
    },
    createCustomer: (options) => insertCustomer(db, projectId, options),
    async setKeyLimits(apiKeyId, keyLimits) {
      expectKind(await updateApiKey(ctx, { projectId, apiKeyId, ...keyLimits }), 'updated');
    },
    async disableKey(apiKeyId) {
      expectKind(await disableApiKey(ctx, { projectId, apiKeyId }), 'updated');
    },
    async endKey(apiKeyId, status) {
      const end = status === 'revoked' ? revokeApiKey : archiveApiKey;
      expectKind(await end(ctx, { projectId, apiKeyId }), 'updated');
    },
    async setPlanLimits(change) {
      limits = { ...limits, ...change };
      await putPlan(ctx, { name, ...limits });
    },
    async setSubscription(change) {
      await setSubscription(ctx, { projectId, ...change });
    },
    setPolicies,
    setDefaultKeyRate,
    async setLogging(change) {
      expectKind(await updateProject(ctx, { projectId, ...change }), 'updated');
    },
    async rotateSecret() {
      const project = await getProject(ctx.db, projectId);
      if (project === null) throw new Error('the project does not exist');
      const next = mintProjectSecret(randomBytes);
      const replaces = project.secretCreatedAt;
      expectKind(
        await rotateProjectSecret(ctx, { projectId, secret: next, replaces, dropsPrevious: true }),
        'rotated',
      );
      secret = next;
      return next.plaintext;
    },
  };
}

/** By SQL, so that a scenario can have any state. */
async function insertCustomer(
  { sql }: Database,
  projectId: string,
  { plan, subscriptionStatus, currentPeriodEnd = null, ...own }: CustomerOptions = {},
): Promise<TestCustomer> {
  const [customerId, externalId] = [randomUUID(), `customer-${randomUUID()}`];
  const hasPlan = plan !== undefined || subscriptionStatus !== undefined;
  const planId = hasPlan ? randomUUID() : null;
  if (planId !== null) {
    const { scopes = null, ...limits } = plan ?? {};
    await sql`
      insert into customer_plans (id, project_id, name, rate_limit_per_minute, daily_quota,
        monthly_quota, scopes)
      select ${planId}::uuid, ${projectId}::uuid, ${planId}, ${limits.rateLimitPerMinute ?? null},
        ${limits.dailyQuota ?? null}, ${limits.monthlyQuota ?? null}, ${labelsOf(scopes)}::text[]`;
  }
  const status = planId === null ? null : (subscriptionStatus ?? 'active');
  await sql`
    insert into customers (id, project_id, external_id, plan_id, subscription_status,
      current_period_end, suspended_at, billing_day, rate_limit_per_minute, daily_quota, monthly_quota)
    values (${customerId}, ${projectId}, ${externalId}, ${planId}, ${status}, ${currentPeriodEnd?.toISOString() ?? null},
      ${own.suspendedAt?.toISOString() ?? null}, ${own.billingDay ?? 1}, ${own.rateLimitPerMinute ?? null},
      ${own.dailyQuota ?? null}, ${own.monthlyQuota ?? null})`;
  return { customerId, externalId, planId };
}

/** The literal of an array: labels hold no character that it would have to quote. */
const labelsOf = (labels: readonly string[] | null) => labels && `{${labels.join(',')}}`;

function expectKind<Result extends { kind: string }, Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): Extract<Result, { kind: Kind }> {
  if (result.kind !== kind) throw new Error(`expected ${kind}, got ${result.kind}`);
  return result as Extract<Result, { kind: Kind }>;
}

/** An answer as received. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body parsed as JSON; throws if it is not JSON. */
  readonly json: unknown;
}

export interface CallOptions {
  /** The project's current secret by default; null sends none. */
  secret?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON; a string or bytes are sent unchanged. */
  body?: unknown;
  projectId?: string;
}

/** The project routes of one Runtime, as a host backend calls them. */
export interface RuntimeClient {
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** @param path below the project's address, such as `/customers` */
  callBelow(method: string, path: string, options?: CallOptions): Promise<Reply>;
  authorize(
    question: { apiKey?: unknown; method?: unknown; path?: unknown; cost?: unknown },
    options?: CallOptions,
  ): Promise<Reply>;
  /** @param requests Sent as they are. */
  authorizeBatch(requests: readonly unknown[], options?: CallOptions): Promise<Reply>;
  /** As a gateway asks, with the original request in `X-Original-Method` and `X-Original-URI`. */
  forwardAuth(
    question: { apiKey?: string | null; method?: string; path?: string },
    options?: CallOptions,
  ): Promise<Reply>;
  listKeys(options?: CallOptions): Promise<Reply>;
  getKey(apiKeyId: string, options?: CallOptions): Promise<Reply>;
  createKey(displayName: string, options?: CallOptions): Promise<Reply>;
  setExpiry(apiKeyId: string, expiresAt: unknown, options?: CallOptions): Promise<Reply>;
  revoke(apiKeyId: string, options?: CallOptions): Promise<Reply>;
  archive(apiKeyId: string, options?: CallOptions): Promise<Reply>;
  /** @param query such as `outcome=denied&limit=10` */
  listDecisions(query?: string, options?: CallOptions): Promise<Reply>;
  getDecision(decisionId: string, options?: CallOptions): Promise<Reply>;
}

/** The default question of `authorize`, which the demo's policy allows. */
export const QUESTION = { method: 'GET', path: '/v1/reports' } as const;

/**
 * @param runtimeUrl of any Runtime; several clients may use one project.
 * @param project its `secret` is read on each call, so the client follows a rotation.
 */
export function runtimeClient(
  runtimeUrl: string,
  project: { readonly projectId: string; readonly secret: string },
): RuntimeClient {
  const call: RuntimeClient['call'] = (method, path, options = {}) => {
    const { secret = project.secret, headers = {}, body } = options;
    return send(`${runtimeUrl}${path}`, method, {
      headers: {
        ...(secret === null ? {} : { [PROJECT_SECRET_HEADER]: secret }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body,
    });
  };
  const rt = (options: CallOptions = {}) =>
    `/rt/projects/${encodeURIComponent(options.projectId ?? project.projectId)}`;
  const keys = (options?: CallOptions) => `${rt(options)}/api-keys`;
  const key = (apiKeyId: string, options?: CallOptions) =>
    `${keys(options)}/${encodeURIComponent(apiKeyId)}`;
  return {
    call,
    callBelow: (method, path, options) => call(method, `${rt(options)}${path}`, options),
    authorize: (question, options) =>
      call('POST', `${rt(options)}/authorize`, { body: { ...QUESTION, ...question }, ...options }),
    authorizeBatch: (requests, options) =>
      call('POST', `${rt(options)}/authorize/batch`, { body: { requests }, ...options }),
    forwardAuth: ({ apiKey, ...question }, options = {}) => {
      const { method, path } = { ...QUESTION, ...question };
      return call(options.body === undefined ? 'GET' : 'POST', `${rt(options)}/forward-auth`, {
        ...options,
        headers: {
          'x-original-method': method,
          'x-original-uri': path,
          ...(apiKey == null ? {} : { 'x-api-key': apiKey }),
          ...options.headers,
        },
      });
    },
    listKeys: (options) => call('GET', keys(options), options),
    getKey: (apiKeyId, options) => call('GET', key(apiKeyId, options), options),
    createKey: (displayName, options) =>
      call('POST', keys(options), { body: { displayName }, ...options }),
    setExpiry: (apiKeyId, expiresAt, options) =>
      call('PATCH', key(apiKeyId, options), { body: { expiresAt }, ...options }),
    revoke: (apiKeyId, options) =>
      call('POST', `${key(apiKeyId, options)}/revoke`, { body: {}, ...options }),
    archive: (apiKeyId, options) =>
      call('POST', `${key(apiKeyId, options)}/archive`, { body: {}, ...options }),
    listDecisions: (query = '', options) =>
      call('GET', `${rt(options)}/decisions${query === '' ? '' : `?${query}`}`, options),
    getDecision: (decisionId, options) =>
      call('GET', `${rt(options)}/decisions/${encodeURIComponent(decisionId)}`, options),
  };
}

/** Longer than any deadline of the Runtime: without an answer by then, the test fails. */
const REPLY_TIMEOUT_MS = 15_000;

/** Sends one request. A body that is neither a string nor bytes is sent as JSON. */
export async function send(
  url: string,
  method: string,
  { headers, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Reply> {
  const reply = await fetch(url, {
    method,
    signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: bytesOf(body) }),
  });
  const text = await reply.text();
  const difference = undocumented({ method, url, status: reply.status, text });
  if (difference !== null) throw new Error(difference);
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    get json(): unknown {
      return JSON.parse(text);
    },
  };
}

function bytesOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}
