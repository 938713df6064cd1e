import { randomBytes, randomUUID } from 'node:crypto';
import { mintAccessToken, mintApiKey, mintProjectSecret } from '@ceiba/domain';
import { accessNeeded, OPERATIONS, type Operation, pathFieldsOf, requestFor } from '@ceiba/manage';
import {
  authenticateAccessToken,
  createApiKey,
  createCustomer,
  createCustomerPlan,
  createDatabase,
  type Database,
  deleteUser,
  disableApiKey,
  getApiKeyRow,
  getProject,
  revokeAccessToken,
  rotateApiKey,
  rotateProjectSecret,
  suspendCustomer,
  type VerbContext,
} from '@ceiba/schema';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ManagedConsole, startManagedConsole } from './support.ts';

/**
 * Calls every operation of the management API with every kind of access token. The calls are derived from
 * the table of operations, so a new one is called too: its path takes what {@link Scene} has under the
 * names of the fields, and its body is the example of the operation.
 */

interface Scene {
  projectId: string;
  projectName: string;
  ownerId: string;
  ownerEmail: string;
  /** By the names of the fields of paths. */
  fields: Record<string, string>;
}

let managed: ManagedConsole;
let db: Database;
let ctx: VerbContext;
/** The scene of calls that are refused, which change nothing. */
let scene: Scene;

beforeAll(async () => {
  managed = await startManagedConsole();
  ({ db, ctx } = managed);
  // The first user of an installation is an administrator.
  await managed.user();
  scene = await makeScene();
});
afterAll(() => managed?.stop());

async function makeScene(): Promise<Scene> {
  const ownerEmail = `${randomUUID()}@example.com`;
  const ownerId = await managed.user(ownerEmail);
  const projectName = `Managed ${randomUUID()}`;
  const projectId = await managed.project(ownerId, projectName);
  await createCustomerPlan(ctx, { projectId, name: 'Gold' });
  const customer = await createCustomer(ctx, { projectId, externalId: `c-${randomUUID()}` });
  if (customer.kind !== 'created') throw new Error(customer.kind);
  const minted = mintApiKey(randomBytes);
  const key = await createApiKey(ctx, { projectId, displayName: 'Job', mint: () => minted });
  if (key.kind !== 'created') throw new Error(key.kind);
  const { customerId } = customer.customer;
  const fields = { projectId, apiKeyId: key.apiKeyId, customer: customerId };
  return { projectId, projectName, ownerId, ownerEmail, fields };
}

const addMember = (role: 'viewer' | 'developer', userId: string) => db.sql`
  insert into project_members (project_id, user_id, role)
  values (${scene.projectId}, ${userId}, ${role})`;

/** A file that changes the project, in place of the example of an operation with a text. */
const fileOf = ({ ownerEmail, projectName }: Scene) =>
  JSON.stringify({
    owner: { email: ownerEmail },
    projects: [{ name: projectName, policies: [{ method: 'GET', pathPattern: '/v1/managed' }] }],
  });

/** An input that the operation accepts. */
function inputOf(operation: Operation, of: Scene): Record<string, unknown> {
  const inPath = pathFieldsOf(operation).map((name) => {
    const value = of.fields[name];
    if (value === undefined) throw new Error(`the scene has no ${name}, of ${operation.name}`);
    return [name, value];
  });
  const text = operation.text === undefined ? {} : { [operation.text]: fileOf(of) };
  return { ...operation.example, ...text, ...Object.fromEntries(inPath) };
}

/** Sends an operation as a program does; without an authorization as a stranger does. */
function send(
  operation: Operation,
  input: Record<string, unknown>,
  authorization?: string,
): Promise<Response> {
  const { method, path, headers, body } = requestFor(operation, input);
  return fetch(new URL(path, managed.url), {
    method,
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    ...(body !== undefined && { body }),
  });
}

const call = (operation: Operation, token: string, of = scene) =>
  send(operation, inputOf(operation, of), `Bearer ${token}`);

const isOfProject = (operation: Operation) => pathFieldsOf(operation).includes('projectId');
const writes = (operation: Operation) => operation.access === 'write';
const ALL: readonly Operation[] = OPERATIONS;
const WRITES = ALL.filter(writes);

/** Every change writes an audit row in its transaction. */
async function changesOf({ projectId, ownerId }: Scene): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    select count(*)::int as count from audit_log
    where (project_id = ${projectId} or owner_id = ${ownerId}) and target_kind <> 'user'`;
  return row?.count ?? 0;
}

/** Expects of each call its answer, that it is an error in JSON, and that nothing was changed. */
async function expectRefused(
  operations: readonly Operation[],
  status: number,
  sendOne: (operation: Operation) => Promise<Response>,
): Promise<void> {
  const before = await changesOf(scene);
  for (const operation of operations) {
    const response = await sendOne(operation);
    const body = await response.text();
    expect(response.status, `${operation.name}: ${body}`).toBe(status);
    expect(JSON.parse(body)).toMatchObject({
      error: expect.any(String),
      message: expect.any(String),
      requestId: response.headers.get('x-request-id'),
    });
    // What the token does not reach is not disclosed either, beyond what was asked for.
    expect(body).not.toContain(scene.projectName);
  }
  expect(await changesOf(scene)).toBe(before);
}

test('no operation runs without a token or with another credential', async () => {
  const { token } = await managed.token(scene.ownerId);
  const others = [
    undefined,
    '',
    'Bearer',
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token}x`,
    `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
    token,
    `Bearer ${mintApiKey(randomBytes).plaintext}`,
    `Bearer ${mintProjectSecret(randomBytes).plaintext}`,
    // Well-formed, and of no one.
    `Bearer ${mintAccessToken(randomBytes).plaintext}`,
  ];
  for (const other of others) {
    await expectRefused(ALL, 401, (operation) => send(operation, inputOf(operation, scene), other));
  }
});

test('no operation runs with a token that has expired, was revoked, or whose user is gone', async () => {
  const expired = await managed.token(scene.ownerId);
  await db.sql`update access_tokens set expires_at = now() where id = ${expired.tokenId}`;
  const revoked = await managed.token(scene.ownerId);
  await revokeAccessToken(ctx, { userId: scene.ownerId, tokenId: revoked.tokenId });
  const userId = await managed.user();
  const gone = await managed.token(userId);
  await deleteUser(ctx, { userId });
  for (const { token } of [expired, revoked, gone]) {
    await expectRefused(ALL, 401, (operation) => call(operation, token));
  }
});

test('a token of another user finds nothing of the project', async () => {
  const userId = await managed.user();
  const { token } = await managed.token(userId);
  await expectDisclosesNothing(token);
});

test('a token of other projects finds nothing of this one', async () => {
  const other = await managed.project(scene.ownerId, randomUUID());
  const { token } = await managed.token(scene.ownerId, { projectIds: [other] });
  await expectDisclosesNothing(token);
});

/** Expects that operations of the project do not find it, and that the others do not show it. */
async function expectDisclosesNothing(token: string): Promise<void> {
  await expectRefused(ALL.filter(isOfProject), 404, (operation) => call(operation, token));
  const before = await changesOf(scene);
  for (const operation of ALL.filter((each) => !isOfProject(each))) {
    const response = await call(operation, token);
    const body = await response.text();
    // Without a project there is nothing to export; an apply repeats the names of its file.
    expect(writes(operation) ? [403, 404] : [200, 409], body).toContain(response.status);
    if (!writes(operation)) expect(body).not.toContain(scene.projectName);
    expect(body).not.toContain(scene.projectId);
  }
  expect(await changesOf(scene)).toBe(before);
}

test('a token that only reads runs every read and every dry run, and no change', async () => {
  const { token } = await managed.token(scene.ownerId, { access: 'read' });
  await expectRefused(WRITES, 403, (operation) => call(operation, token));
  const before = await changesOf(scene);
  for (const operation of ALL) {
    const input = inputOf(operation, scene);
    const rehearsed = 'dryRun' in operation.input.shape ? { ...input, dryRun: true } : input;
    if (accessNeeded(operation, rehearsed) === 'write') continue;
    const response = await send(operation, rehearsed, `Bearer ${token}`);
    expect(response.status, `${operation.name}: ${await response.text()}`).toBe(200);
  }
  expect(await changesOf(scene)).toBe(before);
});

test('a token is never more than the role of its user at that moment', async () => {
  const userId = await managed.user();
  const { token } = await managed.token(userId);
  await addMember('viewer', userId);
  await expectRefusedByRole(token);
  await db.sql`update project_members set role = 'developer' where user_id = ${userId}`;
  const response = await call(operationNamed('createApiKey'), token);
  expect(response.status).toBe(200);
  await db.sql`update project_members set role = 'viewer' where user_id = ${userId}`;
  await expectRefusedByRole(token);
  await db.sql`delete from project_members where user_id = ${userId}`;
  await expectDisclosesNothing(token);
});

/** A viewer sees the project and changes nothing of it. */
async function expectRefusedByRole(token: string): Promise<void> {
  const before = await changesOf(scene);
  for (const operation of ALL) {
    const response = await call(operation, token);
    const expected = writes(operation) ? 403 : 200;
    expect(response.status, `${operation.name}: ${await response.text()}`).toBe(expected);
  }
  expect(await changesOf(scene)).toBe(before);
}

function operationNamed(name: Operation['name']): Operation {
  const found = ALL.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}

test('an administrator who was demoted changes no plan with a token', async () => {
  const userId = await managed.user();
  const { token } = await managed.token(userId);
  const limits = { activeKeyCap: 1, rateLimitPerMinute: 1, monthlyQuota: 1 };
  const apply = () => {
    const file = JSON.stringify({ plans: [{ name: `Plan ${randomUUID()}`, ...limits }] });
    return send(operationNamed('apply'), { file }, `Bearer ${token}`);
  };
  expect((await apply()).status).toBe(403);
  await db.sql`update users set is_administrator = true where id = ${userId}`;
  expect((await apply()).status).toBe(200);
  await db.sql`update users set is_administrator = false where id = ${userId}`;
  expect((await apply()).status).toBe(403);
});

test('a token that is revoked while a change waits refuses it', async () => {
  const holder = createDatabase(managed.databaseUrl, { maxConnections: 1 });
  try {
    for (const operation of WRITES) {
      const { token, tokenId } = await managed.token(scene.ownerId);
      // A first use is noted, which would wait too.
      await authenticateAccessToken(db, token);
      const before = await changesOf(scene);
      await holder.sql.unsafe('begin');
      await holder.sql`delete from access_tokens where id = ${tokenId}`;
      const answer = call(operation, token);
      await vi.waitFor(
        async () => expect(await waitingForTokens(), operation.name).toBe(1),
        PATIENCE,
      );
      await holder.sql.unsafe('commit');
      const response = await answer;
      expect(response.status, `${operation.name}: ${await response.text()}`).toBe(401);
      expect(await changesOf(scene)).toBe(before);
    }
  } finally {
    await holder.close();
  }
});

/** A busy machine takes its time. */
const PATIENCE = { timeout: 20_000, interval: 50 };

/** How many changes wait for the row of an access token. */
async function waitingForTokens(): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and query like '%access_tokens%for key share%'`;
  return row?.count ?? 0;
}

async function rotateOnce(projectId: string, apiKeyId: string): Promise<void> {
  const key = await getApiKeyRow(db, { projectId, apiKeyId });
  await rotateApiKey(ctx, {
    ...{ projectId, apiKeyId, keyPrefix: key?.keyPrefix ?? '', overlapSeconds: 600 },
    mint: () => mintApiKey(randomBytes),
  });
}

/** What has to be there before the operation changes anything. */
const BEFORE: Readonly<Record<string, (of: Scene) => Promise<unknown>>> = {
  enableApiKey: ({ fields: { projectId = '', apiKeyId = '' } }) =>
    disableApiKey(ctx, { projectId, apiKeyId }),
  // The examples name a prefix.
  rotateApiKey: ({ fields: { apiKeyId = '' } }) => db.sql`
    update api_keys set key_prefix = 'ceiba_a3QtUwNA' where id = ${apiKeyId}`,
  endPreviousKeySecret: async ({ fields: { projectId = '', apiKeyId = '' } }) => {
    await rotateOnce(projectId, apiKeyId);
    await db.sql`update api_keys set previous_prefix = 'ceiba_a3QtUwNA' where id = ${apiKeyId}`;
  },
  resumeCustomer: ({ fields: { projectId = '', customer = '' } }) =>
    suspendCustomer(ctx, { projectId, customerId: customer }),
  endPreviousSecret: async ({ projectId }) =>
    rotateProjectSecret(ctx, {
      projectId,
      secret: mintProjectSecret(randomBytes),
      replaces: (await getProject(db, projectId))?.secretCreatedAt ?? new Date(0),
      dropsPrevious: false,
    }),
};

for (const [kind, restrictedTo] of [
  ['all projects', () => null],
  ['this project alone', ({ projectId }: Scene) => [projectId]],
] as const) {
  test(`every operation runs with a token of ${kind}, and each change names the token`, async () => {
    for (const operation of ALL) {
      const own = await makeScene();
      await BEFORE[operation.name]?.(own);
      const { token, name } = await managed.token(own.ownerId, { projectIds: restrictedTo(own) });
      const response = await call(operation, token, own);
      expect(response.status, `${operation.name}: ${await response.text()}`).toBe(200);
      const [row] = await db.sql`
        select count(*)::int as count, min(actor_id::text) as user from audit_log
        where actor_token_name = ${name}`;
      if (!writes(operation)) expect(row).toEqual({ count: 0, user: null });
      else expect(row, operation.name).toMatchObject({ user: own.ownerId });
    }
  });
}
