import { randomBytes, randomUUID } from 'node:crypto';
import { mintApiKey, mintProjectSecret } from '@ceiba/domain';
import { createApiKey, createProject, createUser, findUserByEmail } from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { everything, useDesk } from './support.ts';

const desk = useDesk();
/** Another installation, with the plans that every installation starts with and nothing else. */
let other: TestDatabase;
beforeAll(async () => {
  other = await createTestDatabase();
});
afterAll(() => other.drop());

const FILE = `owner: { email: Ops@example.com }
plans:
  - { name: 'yes', activeKeyCap: 0, rateLimitPerMinute: 3, monthlyQuota: 1000000000000 }
  - { name: 'Ünicode "plan" # 1', activeKeyCap: 2, rateLimitPerMinute: 0, monthlyQuota: 5 }
  - { name: Daily, activeKeyCap: 1, rateLimitPerMinute: 1, monthlyQuota: 1, dailyQuota: 1000000000000 }
  - { name: Unused, activeKeyCap: 2, rateLimitPerMinute: 0, monthlyQuota: 5 }
projects:
  - name: zebra
    subscription: { plan: 'yes', status: trialing, currentPeriodEnd: '2099-01-31T12:00:00.123+02:00' }
    defaultKeyRateLimitPerMinute: 0
    keyPrefix: zebra_live_
    policies:
      - { method: '*', pathPattern: '*' }
      - { method: GET, pathPattern: /v1/reports/* }
      - { method: M-SEARCH, pathPattern: '/a:b,c' }
      - { method: POST, pathPattern: /v1/reports* }
      - { method: GET, pathPattern: / }
  - name: "'ant' : [1]"
    subscription: { plan: 'Ünicode "plan" # 1', status: canceled, currentPeriodEnd: null }
    policies: []
  - name: '007'
    subscription: { plan: Daily }
    customerPlans:
      - { name: 'on', scopes: [] }
      - { name: Team, activeKeyCap: 2, rateLimitPerMinute: 60, dailyQuota: 1000000000000, monthlyQuota: 0, scopes: [reports:write, reports:read] }
    policies:
      - { method: GET, pathPattern: /v1/reports*, scopes: [reports:read] }
      - { method: POST, pathPattern: /v1/reports, scopes: [reports:write, 'no'], cost: 25 }
      - { method: GET, pathPattern: /v1/health, cost: 0 }
  - name: Überall
`;

async function exported(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await desk.ceiba(['export', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function applied(yaml = FILE): Promise<{ name: string; projectId: string }[]> {
  const { code, stdout } = await desk.apply(yaml, { json: true });
  expect(code).toBe(0);
  return JSON.parse(stdout).projects;
}

describe('what ceiba export prints', () => {
  test('is printed byte for byte by the empty installation that it is applied to', async () => {
    await applied();
    const [yaml, json] = [await exported(), await exported('--json')];
    const env = { DATABASE_URL: other.url };
    expect(await desk.apply(yaml, { env })).toMatchObject({ code: 0 });
    expect((await desk.ceiba(['export'], { env })).stdout).toBe(yaml);
    expect((await desk.ceiba(['export', '--json'], { env })).stdout).toBe(json);
  });

  test.each([
    ['YAML', []],
    ['JSON', ['--json']],
  ])('changes nothing where it comes from, as %s', async (_, args) => {
    await applied();
    const text = await exported(...args);
    const before = await everything(desk.db);
    const dry = await desk.apply(text, { json: true, flags: ['--dry-run'] });
    expect(JSON.parse(dry.stdout).changes).toEqual([]);
    const { code, stdout } = await desk.apply(text, { json: true, isTerminal: false });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).changes).toEqual([]);
    expect(await everything(desk.db)).toBe(before);
  });

  test('has everything of a project, a line for each plan and policy, in a fixed order', async () => {
    await applied();
    const [, body] = (await exported()).split('\n\n');
    expect(body).toBe(`owner: { email: Ops@example.com }
plans:
  - { name: Daily, activeKeyCap: 1, rateLimitPerMinute: 1, dailyQuota: 1000000000000, monthlyQuota: 1 }
  - { name: Free, activeKeyCap: 3, rateLimitPerMinute: 60, dailyQuota: null, monthlyQuota: 10000 }
  - { name: 'yes', activeKeyCap: 0, rateLimitPerMinute: 3, dailyQuota: null, monthlyQuota: 1000000000000 }
  - { name: 'Ünicode "plan" # 1', activeKeyCap: 2, rateLimitPerMinute: 0, dailyQuota: null, monthlyQuota: 5 }
projects:
  - name: "'ant' : [1]"
    subscription: { plan: 'Ünicode "plan" # 1', status: canceled, currentPeriodEnd: null }
    defaultKeyRateLimitPerMinute: null
    keyPrefix: ceiba_
    customerPlans: []
    policies: []
  - name: '007'
    subscription: { plan: Daily, status: active, currentPeriodEnd: null }
    defaultKeyRateLimitPerMinute: null
    keyPrefix: ceiba_
    customerPlans:
      - { name: Team, activeKeyCap: 2, rateLimitPerMinute: 60, dailyQuota: 1000000000000, monthlyQuota: 0, scopes: [ reports:read, reports:write ] }
      - { name: 'on', activeKeyCap: null, rateLimitPerMinute: null, dailyQuota: null, monthlyQuota: null, scopes: [] }
    policies:
      - { method: GET, pathPattern: /v1/health, scopes: null, cost: 0 }
      - { method: POST, pathPattern: /v1/reports, scopes: [ 'no', reports:write ], cost: 25 }
      - { method: GET, pathPattern: /v1/reports*, scopes: [ reports:read ], cost: 1 }
  - name: zebra
    subscription: { plan: 'yes', status: trialing, currentPeriodEnd: '2099-01-31T10:00:00.123Z' }
    defaultKeyRateLimitPerMinute: 0
    keyPrefix: zebra_live_
    customerPlans: []
    policies:
      - { method: GET, pathPattern: /, scopes: null, cost: 1 }
      - { method: M-SEARCH, pathPattern: '/a:b,c', scopes: null, cost: 1 }
      - { method: GET, pathPattern: /v1/reports*, scopes: null, cost: 1 }
      - { method: POST, pathPattern: /v1/reports*, scopes: null, cost: 1 }
      - { method: '*', pathPattern: '*', scopes: null, cost: 1 }
  - name: Überall
    subscription: { plan: Free, status: active, currentPeriodEnd: null }
    defaultKeyRateLimitPerMinute: null
    keyPrefix: ceiba_
    customerPlans: []
    policies: []
`);
  });

  test('has no secret, no key and no digest of one, and says that they are missing', async () => {
    const projectId = (await applied())[0]!.projectId;
    await desk.ceiba(['project', 'set-subscription', '--project', projectId, '--plan', 'Pro']);
    const minted = mintApiKey(randomBytes);
    await createApiKey(desk.ctx, { projectId, displayName: 'Batch job', mint: () => minted });
    for (const args of [[], ['--json']]) {
      const text = await exported(...args);
      expect(text).not.toMatch(/ceiba_[0-9A-Za-z]|Batch job|argon2/);
      expect(text).not.toContain(minted.digest.toString('hex'));
    }
    expect(await exported()).toContain('Not in it: API keys and project secrets');
  });

  test('is one project with --project, and the plan that it is on', async () => {
    const zebra = (await applied()).find(({ name }) => name === 'zebra');
    const printed = JSON.parse(await exported('--json', '--project', zebra!.projectId));
    expect(printed.projects.map(({ name }: { name: string }) => name)).toEqual(['zebra']);
    expect(printed.plans.map(({ name }: { name: string }) => name)).toEqual(['yes']);
    expect(printed.owner).toEqual({ email: 'Ops@example.com' });
  });
});

describe('ceiba export of several owners', () => {
  test('asks for one of them, whose projects alone it prints', async () => {
    await applied();
    const user = await createUser(desk.ctx, { email: 'zoe@example.com', passwordHash: 'x' });
    if (user.kind !== 'created') throw new Error(user.kind);
    const secret = mintProjectSecret(randomBytes);
    await createProject(desk.ctx, { ownerId: user.userId, name: 'hers', secret });
    const { code, stdout, stderr } = await desk.ceiba(['export', '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({
      field: '--owner',
      message: expect.stringContaining('Ops@example.com, zoe@example.com'),
    });
    const hers = JSON.parse(await exported('--json', '--owner', 'ZOE@example.com'));
    expect(hers).toMatchObject({
      owner: { email: 'zoe@example.com' },
      projects: [{ name: 'hers' }],
    });
  });
});

describe('ceiba export refuses', () => {
  test('an installation without a project', async () => {
    expect(await desk.ceiba(['export'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: There is no project to export.\n',
    });
  });

  test.each([
    ['a project that does not exist', ['--project', randomUUID()], /There is no project/],
    ['an owner that does not exist', ['--owner', 'x@example.com'], /There is no account x@/],
    ['both', ['--owner', 'x@example.com', '--project', randomUUID()], /cannot be used with/],
  ])('%s', async (_, args, message) => {
    await applied();
    const { code, stdout, stderr } = await desk.ceiba(['export', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('what apply would refuse, and names it', async () => {
    await applied();
    const owner = await findUserByEmail(desk.db, 'ops@example.com');
    await desk.db.sql`update users set email = 'root@localhost' where id = ${owner!.userId}`;
    const { code, stdout, stderr } = await desk.ceiba(['export']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /what ceiba apply refuses[\s\S]*owner\.email \(line \d+\): must be an e-mail/,
    );
  });
});

test('more projects than a file may have are refused with the option that exports each', async () => {
  await applied();
  await desk.db.sql`
    insert into projects (owner_id, name, secret_digest)
    select id, 'project ' || n, sha256(n::text::bytea) from users, generate_series(1, 1000) n`;
  const { code, stderr } = await desk.ceiba(['export']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'error: There are 1004 projects, and a file has at most 1000. Export them one by one, with --project.\n',
  });
});
