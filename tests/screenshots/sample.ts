import { randomUUID } from 'node:crypto';
import {
  mintAccessToken,
  mintApiKey,
  mintInvitation,
  mintPasswordReset,
  mintProjectSecret,
  SEEDED_PLANS,
} from '@ceiba/domain';
import { hashPassword } from '@ceiba/domain/password';
import {
  archiveApiKey,
  createAccessToken,
  createApiKey,
  createCustomer,
  createCustomerPlan,
  createDatabase,
  createInvitation,
  createPasswordReset,
  createPlan,
  createPolicy,
  createProject,
  createUser,
  type Database,
  listPlans,
  revokeApiKey,
  rollUpUsage,
  rotateApiKey,
  rotateProjectSecret,
  setSubscription,
  suspendCustomer,
  updateApiKey,
  updateProject,
  type VerbContext,
} from '@ceiba/schema';
import { createFastRandom } from '../chaos/support/random.ts';
import { addDestination } from '../e2e/alerts.ts';
import { addDecisions, type SampleDecision } from '../e2e/decisions.ts';
import { addUsage } from './usage.ts';

const random = createFastRandom('screenshots');

const ACTIVE = [
  'Mobile app, iOS',
  'Mobile app, Android',
  'Web storefront',
  'Acme Logistics',
  'Northwind wholesale',
  'Nightly warehouse export',
  'Customer support desk',
  'Billing worker',
  'Zapier integration',
  'Partner portal of Hansen & Søn, Copenhagen branch',
  'Marketing dashboard',
  'Status monitor',
  'Data science notebook',
  'Kiosk, Lyon',
  'Kiosk, Porto',
  'Kiosk, Graz',
  'Returns desk',
  'Beta testers',
  'Load test',
  'Old website',
  'Contoso ERP',
  'Fabrikam EDI',
  'Press room',
  'Internal wiki',
  'Scanner fleet',
];
const REVOKED = [
  'Leaked in a screenshot',
  'Former agency',
  'Kiosk, Turin',
  'Acme Logistics, old',
  'Prototype',
  'Hackathon 2026',
  'Laptop of Jo',
  'Trial, Tailspin Toys',
];
const ARCHIVED = [
  'Summer campaign',
  'Migration from v0',
  'Trade fair',
  'Pilot, Wide World Importers',
  'Black Friday 2025',
  'Audit 2025',
];

/** Policies with their weight in the traffic, their labels and their cost. */
const POLICIES: readonly [
  method: string,
  pathPattern: string,
  weight: number,
  scopes?: readonly string[],
  cost?: number,
][] = [
  ['GET', '/v1/reports*', 34, ['reports:read']],
  ['GET', '/v1/reports/archive', 1, ['reports:read'], 25],
  ['POST', '/v1/orders', 14, ['orders:write']],
  ['GET', '/v1/orders*', 22, ['orders:read', 'orders:write']],
  ['*', '/v1/webhooks*', 4],
  ['PATCH', '/v1/orders/shipping-addresses', 2],
  ['GET', '/v2/organisations/by-external-reference/warehouse-locations/inventory-snapshots*', 3],
  ['GET', '/v1/stock*', 20],
  ['DELETE', '/v1/webhooks*', 0],
];

/** Customers with their plan and the part of their quota that is used. */
const CUSTOMERS: readonly [externalId: string, name: string, plan: string | null, used: number][] =
  [
    ['cus_1001', 'Acme Logistics', 'Pro', 0.62],
    ['cus_1002', 'Northwind wholesale', 'Pro', 0.91],
    ['cus_1003', 'Contoso', 'Read only', 0.18],
    ['partner-hansen-og-soen-copenhagen-branch', '', null, 0.4],
    ['cus_1005', 'Fabrikam', 'Read only', 0],
  ];

export interface Sample {
  projectId: string;
  policyId: string;
  apiKeyId: string;
  /** A customer of that project. */
  customerId: string;
  /** A recorded denial of that project. */
  decisionId: string;
  /** A webhook of that project. */
  destinationId: string;
  /** A project of the same user without any data. */
  emptyProjectId: string;
  busyKeyId: string;
  /** Of a link that invites to that project. */
  invitationSecret: string;
  /** Of a link that sets the password of a colleague. */
  resetSecret: string;
}

interface World {
  db: Database;
  ctx: VerbContext;
  ownerId: string;
}

/**
 * Fills an empty installation: projects, keys in every state, overlapping policies, a quota that is
 * nearly used, two months of decisions and an audit log. Names and numbers are the same in each run;
 * IDs and times differ.
 */
export async function fillSample(
  databaseUrl: string,
  owner: { userId: string; email: string },
): Promise<Sample> {
  const db = createDatabase(databaseUrl);
  const actor = { kind: 'user', ...owner } as const;
  const ctx: VerbContext = { db, actor, clientAddress: '192.0.2.4', requestId: null };
  const world = { db, ctx, ownerId: owner.userId };
  try {
    await addColleagues(world);
    const weather = await addProject(world, 'Weather tiles', 'Starter', 0.02);
    await setSubscription(ctx, { projectId: weather.projectId, status: 'past_due' });
    await addProject(world, 'Partner feeds', 'Scale', 0.3);
    const { projectId, policyIds, keyIds, used } = await addProject(
      world,
      'Storefront API',
      'Growth',
      1,
    );
    await db.sql`update plans set monthly_quota = ${roundUp(used / 0.91, 50_000)}
      where name = 'Growth'`;
    await addHistory(world, projectId, keyIds);
    const [customerId = ''] = await addCustomers(world, projectId, keyIds);
    const invitationSecret = await addMembers(world, projectId);
    await addTokens(world, projectId);
    const emptyProjectId = await createEmpty(world, 'Staging');
    await rollUpUsage(db, { maxDays: 10_000 });
    await spreadOverTime(db);
    const decisionId = await addRequests(projectId, keyIds, policyIds);
    const { destinationId } = await addDestination(projectId, databaseUrl);
    await db.sql`analyze`;
    return {
      projectId,
      emptyProjectId,
      policyId: at(policyIds, 5),
      apiKeyId: at(keyIds, 0),
      customerId,
      decisionId,
      destinationId,
      busyKeyId: at(keyIds, 0),
      invitationSecret,
      resetSecret: await addReset(world),
    };
  } finally {
    await db.close();
  }
}

async function addColleagues({ db, ctx }: World) {
  const passwordHash = await hashPassword(randomUUID());
  for (const [index, name] of ['maria', 'jonas', 'priya', 'accounting'].entries()) {
    await createUser(ctx, { email: `${name}@example.com`, passwordHash });
    await db.sql`update users set created_at = now() - make_interval(days => ${9 + index * 31})
      where email = ${`${name}@example.com`}`;
  }
  await createPlan(ctx, { ...SEEDED_PLANS[2], name: 'Growth', activeKeyCap: 40 });
}

async function createEmpty({ ctx, ownerId }: World, name: string): Promise<string> {
  const secret = mintProjectSecret(random.bytes);
  const project = await createProject(ctx, { ownerId, name, secret });
  if (project.kind !== 'created') throw new Error('the installation is not empty');
  return project.projectId;
}

/** @param volume the traffic relative to the largest project */
async function addProject(world: World, name: string, planName: string, volume: number) {
  const { db, ctx } = world;
  const projectId = await createEmpty(world, name);
  const planId = (await listPlans(db)).find((plan) => plan.name === planName)?.planId;
  if (planId === undefined) throw new Error(`there is no plan ${planName}`);
  await setSubscription(ctx, { projectId, planId });
  await db.sql`update projects set created_at = now() - interval '214 days',
      secret_created_at = date_trunc('milliseconds', now()) - interval '41 days'
    where id = ${projectId}`;
  const policies = POLICIES.slice(0, volume === 1 ? POLICIES.length : 4);
  const policyIds: string[] = [];
  for (const [method, pathPattern, _, scopes, cost] of policies) {
    const rule = { method, pathPattern, scopes, cost };
    const policy = await createPolicy(ctx, { projectId, ...rule });
    if (policy.kind !== 'created') throw new Error(`${method} ${pathPattern} is not a new policy`);
    policyIds.push(policy.policyId);
  }
  const keyIds: string[] = [];
  for (const displayName of ACTIVE.slice(0, volume === 1 ? ACTIVE.length : 7)) {
    keyIds.push(await addKey(world, projectId, displayName));
  }
  // The last ones are rarely used, or not at all.
  const inUse = keyIds.slice(0, volume === 1 ? -6 : undefined);
  const weights = policies.map(([, , weight]) => weight);
  const used = await addUsage(db, random, { projectId, keyIds: inUse, policyIds, weights, volume });
  return { projectId, policyIds, keyIds, used };
}

async function addKey({ ctx }: World, projectId: string, displayName: string): Promise<string> {
  const key = await createApiKey(ctx, {
    projectId,
    displayName,
    mint: () => mintApiKey(random.bytes),
  });
  if (key.kind !== 'created') throw new Error(`${displayName}: ${key.kind}`);
  return key.apiKeyId;
}

/** Plans and customers, which have the first keys. Returns the IDs of the customers. */
async function addCustomers({ db, ctx }: World, projectId: string, keyIds: string[]) {
  const month = { rateLimitPerMinute: 600, monthlyQuota: 100_000 };
  await createCustomerPlan(ctx, { projectId, name: 'Pro', activeKeyCap: 10, ...month });
  await createCustomerPlan(ctx, {
    projectId,
    name: 'Read only',
    dailyQuota: 5_000,
    scopes: ['orders:read', 'reports:read'],
  });
  const ids: string[] = [];
  for (const [index, [externalId, name, plan, used]] of CUSTOMERS.entries()) {
    const fields = { externalId, name, plan, billingDay: 1 + index * 5 };
    const made = await createCustomer(ctx, { projectId, ...fields });
    if (made.kind !== 'created') throw new Error(`${externalId}: ${made.kind}`);
    const { customerId } = made.customer;
    ids.push(customerId);
    for (const apiKeyId of keyIds.slice(index * 3, index * 3 + 3)) {
      await updateApiKey(ctx, { projectId, apiKeyId, customerId });
    }
    const scope = index === 0 ? customerId : `${customerId}@${fields.billingDay}`;
    await db.sql`insert into usage_months (project_id, month, scope, incarnation, count)
      select ${projectId}, extract(year from at) * 12 + extract(month from at) - 1, ${scope},
        'sample', ${Math.round(used * month.monthlyQuota)}
      from generate_series(now() - interval '1 month', now(), interval '1 month') at`;
  }
  await suspendCustomer(ctx, { projectId, customerId: at(ids, 4) });
  await updateApiKey(ctx, { projectId, apiKeyId: at(keyIds, 1), scopes: ['reports:read'] });
  return ids;
}

/** Changes of a project, for the audit log. */
async function addHistory(world: World, projectId: string, keyIds: string[]) {
  const { ctx, db } = world;
  for (const name of REVOKED) {
    await revokeApiKey(ctx, { projectId, apiKeyId: await addKey(world, projectId, name) });
  }
  for (const name of ARCHIVED) {
    await archiveApiKey(ctx, { projectId, apiKeyId: await addKey(world, projectId, name) });
  }
  await db.sql`update api_keys set created_at = now() - make_interval(hours =>
      (abs(hashtext(display_name)) % 7000) + 50)
    where project_id = ${projectId}`;
  for (const [index, days] of [90, 5, 180, -2, 34, 300].entries()) {
    await db.sql`update api_keys set expires_at = now() + make_interval(days => ${days}, hours => 7)
      where id = ${at(keyIds, 3 + index * 2)}`;
  }
  await db.sql`update api_keys set last_used_at = now() - interval '118 days',
    created_at = now() - interval '240 days' where id in ${db.sql(keyIds.slice(-4, -1))}`;
  await db.sql`update api_keys set monthly_quota = 60000, rate_limit_per_minute = 30
    where id = ${at(keyIds, 4)}`;
  await db.sql`update api_keys set is_imported = true where id in ${db.sql(keyIds.slice(5, 8))}`;
  await rotateFirst(world, { projectId, apiKeyId: at(keyIds, 0) });
  await updateProject(ctx, { projectId, defaultKeyRateLimitPerMinute: 300 });
  const end = new Date();
  end.setUTCMonth(end.getUTCMonth() + 2, 1);
  end.setUTCHours(0, 0, 0, 0);
  await setSubscription(ctx, { projectId, currentPeriodEnd: end });
  const [project] = await db.sql<{ replaces: string }[]>`
    select secret_created_at as replaces from projects where id = ${projectId}`;
  await rotateProjectSecret(ctx, {
    projectId,
    secret: mintProjectSecret(random.bytes),
    replaces: new Date(project?.replaces ?? 0),
    dropsPrevious: false,
  });
}

/** A key whose old secret is still in use, and what its owner keeps with it. */
async function rotateFirst({ ctx, db }: World, key: { projectId: string; apiKeyId: string }) {
  const [row] = await db.sql<{ keyPrefix: string }[]>`
    select key_prefix as "keyPrefix" from api_keys where id = ${key.apiKeyId}`;
  await rotateApiKey(ctx, {
    ...key,
    keyPrefix: row?.keyPrefix ?? '',
    overlapSeconds: 7 * 86_400,
    mint: (brand) => mintApiKey(random.bytes, brand),
  });
  await updateApiKey(ctx, { ...key, metadata: { crm: '42', team: 'mobile' } });
  await db.sql`update api_keys set previous_last_used_at = now() - interval '3 minutes'
    where id = ${key.apiKeyId}`;
}

/** Members in both roles, if they have accounts, and an open invitation, whose secret it returns. */
async function addMembers({ db, ctx, ownerId }: World, projectId: string): Promise<string> {
  for (const [name, role] of Object.entries({
    maria: 'developer',
    jonas: 'viewer',
    viewer: 'viewer',
  })) {
    await db.sql`insert into project_members (project_id, user_id, role)
      select ${projectId}, id, ${role} from users where email = ${`${name}@example.com`}`;
  }
  const token = mintInvitation(random.bytes);
  await createInvitation(ctx, {
    projectId,
    role: 'developer',
    label: 'Night shift of the warehouse',
    invitedBy: ownerId,
    token,
  });
  return token.plaintext;
}

/** Three access tokens: one of one project, one of all, and one that has expired. */
async function addTokens({ db, ctx, ownerId: userId }: World, projectId: string) {
  const [user] = await db.sql<{ sessionVersion: number }[]>`
    select session_version as "sessionVersion" from users where id = ${userId}`;
  const tokens = [
    { name: 'Old laptop', access: 'write', projectIds: null, days: 7 },
    { name: 'Usage report', access: 'read', projectIds: null, days: 365 },
    { name: 'Deploy workflow', access: 'write', projectIds: [projectId], days: 90 },
  ] as const;
  for (const token of tokens) {
    const minted = mintAccessToken(random.bytes);
    const proven = { userId, sessionVersion: user?.sessionVersion ?? 0 };
    await createAccessToken(ctx, { ...proven, ...token, minted });
  }
  await db.sql`update access_tokens set created_at = now() - interval '9 days',
    expires_at = now() - interval '2 days' where name = 'Old laptop'`;
  await db.sql`update access_tokens set last_used_at = now() - interval '3 hours'
    where name <> 'Usage report'`;
}

async function addReset({ db, ctx }: World): Promise<string> {
  const email = 'jonas@example.com';
  const [user] = await db.sql<{ userId: string }[]>`
    select id as "userId" from users where email = ${email}`;
  const token = mintPasswordReset(random.bytes);
  await createPasswordReset(ctx, { userId: user?.userId ?? '', email, to: 'mail', token });
  return token.plaintext;
}

/** Requests of the last hour, of which most were denied. Returns the ID of a denial. */
async function addRequests(projectId: string, keyIds: string[], policyIds: string[]) {
  const limits = { rateLimitPerMinute: 300, monthlyQuota: 1_000_000 };
  const key = (index: number) => ({ apiKeyId: at(keyIds, index), keyPrefix: 'ceiba_Sample00' });
  const matched = (index: number, left: number) => ({
    ...key(index),
    policyId: at(policyIds, 0),
    limits: { ...limits, remainingThisMinute: left, remainingThisMonth: 89_412 },
  });
  const kinds: SampleDecision[] = [
    { ...key(0), outcome: 'policy_no_match', method: 'POST', path: '/v1/reports/42' },
    { ...matched(1, 0), outcome: 'rate_limited', path: '/v1/reports/2026-11' },
    { keyPrefix: 'ceiba_Unknown0', outcome: 'invalid_api_key', path: '/v1/stock/sku-4711' },
    { ...matched(2, 241), path: '/v1/reports/7' },
    { outcome: 'missing_api_key', path: '/v1/orders' },
    { ...key(9), outcome: 'policy_no_match', method: 'DELETE', path: '/v1/orders/8812/items/3' },
  ];
  const now = Date.now();
  const samples = Array.from({ length: 60 }, (_, index) => ({
    ...kinds[(index + Math.floor(index / 4)) % kinds.length],
    requestId: `req-${7_301 - index}`,
    latencyMs: 1 + (index % 4),
    at: new Date(now - 9_000 * (index + 1) ** 1.4),
  }));
  return at(await addDecisions(projectId, samples), 0);
}

/** Spreads the audit rows over some months and gives some of them other actors. */
async function spreadOverTime(db: Database) {
  await db.sql`update audit_log set at = now() - interval '7 minutes' * power(
    (select max(id) from audit_log) - id, 2)`;
  await db.sql`update audit_log set actor_kind = 'cli', actor_id = null, actor_label = 'ceiba CLI',
    client_address = null where action like 'policy.%' and id % 2 = 0`;
  await db.sql`update audit_log set actor_token_id = gen_random_uuid(),
    actor_token_name = 'Deploy workflow' where actor_kind = 'user' and action like 'policy.%'`;
  await db.sql`update audit_log set actor_kind = 'project_secret', actor_id = null,
    actor_label = 'project secret', client_address = '198.51.100.23'
    where action = 'api_key.create' and id % 3 = 0`;
}

const roundUp = (value: number, step: number) => Math.ceil(value / step) * step;

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}
