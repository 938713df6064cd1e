import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createDatabase, createUser } from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startConsole } from '../../e2e/console-process.ts';
import { type Ran, runCeiba } from '../../integration/cli/support.ts';
import { createTestDatabase } from '../../support/database.ts';
import { type ManagedConsole, startManagedConsole } from './support.ts';

const OWNER = 'ops@example.com';
const FILE = `
owner: { email: ${OWNER} }
plans:
  - { name: Tiny, activeKeyCap: 2, rateLimitPerMinute: 3, monthlyQuota: 5 }
projects:
  - name: reports
    subscription: { plan: Tiny, status: active }
    defaultKeyRateLimitPerMinute: 2
    customerPlans: [{ name: Gold, activeKeyCap: 9 }]
    policies:
      - { method: GET, pathPattern: /v1/reports*, scopes: [reports:read] }
      - { method: POST, pathPattern: /v1/reports }
`;
const NARROW = FILE.replace(/ {6}- \{ method: POST.*\n/, '');

let managed: ManagedConsole;
let administrator: string;
let administratorToken: string;
beforeAll(async () => {
  managed = await startManagedConsole();
  administrator = await managed.user(OWNER);
  administratorToken = (await managed.token(administrator)).token;
});
afterAll(() => managed.stop());

/** What differs from run to run: ids in their order, keys, secrets and times. */
function comparable({ code, output }: Ran): string {
  const ids = new Map<string, string>();
  const text = output
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      ids.set(id, ids.get(id) ?? `<id ${ids.size}>`);
      return ids.get(id) ?? id;
    })
    .replace(/ceiba_\w+/g, '<credential>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  return `${text}exit ${code}`;
}

type Run = (args: string[], stdin?: string) => Promise<Ran>;

/** A day of an owner: reads, changes and mistakes. */
async function transcript(run: Run): Promise<string[]> {
  const lines: string[] = [];
  const ceiba = async (line: string, stdin?: string) => {
    const ran = await run(line.split(' '), stdin);
    lines.push(`$ ceiba ${line.replace(/[0-9a-f-]{36}/g, '<id>')}\n${comparable(ran)}`);
    return ran;
  };
  await ceiba('apply -f - --dry-run', FILE);
  const created = JSON.parse((await ceiba('apply -f - --json', FILE)).stdout);
  const project = `--project ${created.projects[0].projectId}`;
  await ceiba('apply -f -', FILE);
  await ceiba('apply -f - --dry-run --json', NARROW);
  await ceiba('apply -f -', NARROW);
  await ceiba('apply -f - --json', NARROW);
  await ceiba('apply -f - --prune', NARROW);
  await ceiba('apply -f -', FILE.replace('plan: Tiny', 'plan: Huge'));
  await ceiba('apply -f -', FILE.replace('GET', 'get'));
  await ceiba('export');
  await ceiba('export --json');
  await ceiba(`export ${project}`);
  await ceiba('project list');
  await ceiba('project list --json');
  await ceiba(`project set-subscription ${project} --status past_due`);
  await ceiba(`project set-subscription ${project} --plan Huge --json`);
  await ceiba(`project set-subscription ${project} --status active --current-period-end none`);
  const key = JSON.parse((await ceiba(`key create ${project} --name first --json`)).stdout);
  const keyed = `${project} --key ${key.apiKeyId}`;
  await ceiba(`key create ${project} --name second --daily-quota 7 --scope reports:read`);
  await ceiba(`key create ${project} --name third`);
  await ceiba(`key create ${project} --name third --json`);
  await ceiba(`key set-limits ${keyed} --rate-limit 4 --json`);
  await ceiba(`key set-limits ${keyed} --daily-quota none`);
  await ceiba(`key disable ${keyed}`);
  await ceiba(`key disable ${keyed}`);
  await ceiba(`key enable ${keyed} --json`);
  await ceiba(`key revoke ${keyed}`);
  await ceiba(`key revoke ${keyed} --yes`);
  await ceiba(`key archive ${keyed} --yes --json`);
  await ceiba(`key revoke ${project} --key 00000000-0000-4000-8000-000000000000 --yes`);
  await ceiba(`key list ${project}`);
  await ceiba(`key list ${project} --status archived`);
  await ceiba(`key list ${project} --json`);
  await ceiba(`customer create ${project} --external-id acme --plan Gold --billing-day 9`);
  await ceiba(`customer create ${project} --external-id acme --plan Gold`);
  await ceiba(`customer create ${project} --external-id acme --billing-day 8 --json`);
  await ceiba(`customer create ${project} --external-id b --plan Lead`);
  await ceiba(`customer create ${project} --external-id b --status active --json`);
  await ceiba(`customer update ${project} --customer acme --name Acme --json`);
  await ceiba(`customer update ${project} --customer unknown --name Acme`);
  await ceiba(`customer suspend ${project} --customer acme`);
  await ceiba(`customer resume ${project} --customer acme --json`);
  await ceiba(`customer get ${project} --customer acme`);
  await ceiba(`customer list ${project}`);
  await ceiba(`customer list ${project} --search nothing --json`);
  await ceiba(`customer usage ${project} --customer acme`);
  await ceiba(`customer usage ${project} --customer acme --step month --json`);
  const csv = 'externalId,plan\nacme,Gold\nglobex,Gold\nglobex,\ninitech,Lead\n';
  await ceiba(`customer import - ${project} --dry-run`, csv);
  await ceiba(`customer import - ${project} --json`, csv);
  await ceiba(`usage ${project} --month 2026-01`);
  await ceiba(`usage ${project} --by key --json`);
  await ceiba(`usage ${project} --to 2026-01-01T00:00:00Z`);
  await ceiba(`usage ${project} --by hour --from 2020-01-01T00:00:00Z --json`);
  await ceiba(`requests ${project}`);
  await ceiba(`requests ${project} --key ceiba_4fZk2Qpa --json`);
  await ceiba(`requests ${project} --customer unknown`);
  await ceiba(`project rotate-secret ${project}`);
  await ceiba(`project rotate-secret ${project} --json`);
  await ceiba(`project end-previous-secret ${project} --json`);
  await ceiba('usage --project 00000000-0000-4000-8000-000000000000');
  return lines;
}

test('a command prints the same through a console as on the database, with the same exit code', async () => {
  const local = await createTestDatabase();
  const db = createDatabase(local.url, { maxConnections: 1 });
  try {
    const operator = { actor: { kind: 'cli' }, clientAddress: null, requestId: null } as const;
    await createUser({ db, ...operator }, { email: OWNER, passwordHash: 'x' });
    const onDatabase = await transcript((args, stdin = '') =>
      runCeiba(args, { env: { DATABASE_URL: local.url }, stdin }),
    );
    const throughConsole = await transcript((args, stdin = '') =>
      managed.ceiba(administratorToken, args, { stdin }),
    );
    expect(throughConsole).toEqual(onDatabase);
    expect(throughConsole.filter((line) => line.endsWith('exit 0')).length).toBeGreaterThan(35);
  } finally {
    await db.close();
    await local.drop();
  }
}, 300_000);

/** A request of a program. */
async function ask(path: string, { token, ...init }: RequestInit & { token?: string | null } = {}) {
  const given = token === undefined ? administratorToken : token;
  const headers = { ...init.headers, ...(given && { authorization: `Bearer ${given}` }) };
  const response = await fetch(`${managed.url}/api/manage${path}`, { ...init, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

describe('a request', () => {
  test('has an answer in JSON that no one may keep, with the id of the request', async () => {
    const { status, headers, body } = await ask('/projects');
    expect(status).toBe(200);
    expect(body).toEqual({ projects: expect.any(Array) });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['without a token', null, {}],
    ['with a cookie alone', null, { cookie: 'ceiba.00000000.session-token=x; next-auth=y' }],
    ['with a token in the place of a password', null, { authorization: 'Basic Y2VpYmE6dG9rZW4=' }],
    ['with a text that is no token', 'ceiba_token_wrong', {}],
  ])('%s is 401, and says where a token comes from', async (_, token, headers) => {
    const { status, headers: sent, body } = await ask('/projects', { token, headers });
    expect(status).toBe(401);
    expect(sent.get('www-authenticate')).toContain('Bearer');
    expect(body).toEqual({
      error: 'unauthorized',
      message: expect.stringContaining('account page'),
      requestId: sent.get('x-request-id'),
    });
  });

  test.each([
    ['/nothing', {}, 404, 'not_found', /no such address/],
    ['/apply', {}, 405, 'method_not_allowed', /POST/],
    ['/projects?colour=blue', {}, 400, 'invalid_request', /`colour`/],
    ['/export?owner=a&owner=b', {}, 400, 'invalid_request', /`owner` must not be given twice/],
    ['/apply?dryRun=maybe', { method: 'POST', body: FILE }, 400, 'invalid_request', /`dryRun`/],
    ['/apply?file=x', { method: 'POST', body: FILE }, 400, 'invalid_request', /`file`/],
    ['/apply', { method: 'POST', body: 'plans: [' }, 400, 'invalid_request', /line 1/],
    ['/apply', { method: 'POST', body: new Uint8Array([0xff]) }, 400, 'invalid_request', /UTF-8/],
    ['/apply', { method: 'POST', body: '#'.repeat(1_100_000) }, 413, 'payload_too_large', /1 MB/],
  ])(
    '%s is refused by its status, and names what is wrong',
    async (path, init, status, error, words) => {
      const answer = await ask(path, init as RequestInit);
      expect({ status: answer.status, ...answer.body }).toMatchObject({ status, error });
      expect(answer.body.message).toMatch(words);
      if (status === 405) expect(answer.headers.get('allow')).toBe('POST');
    },
  );

  test.each([
    ['{', /must be JSON/],
    ['[]', /JSON object/],
    ['{"displayName":"x","colour":"blue"}', /`colour` is not/],
    ['{"displayName":7}', /`displayName` must be a string/],
    ['{"displayName":""}', /`displayName` must not be empty/],
    ['{}', /`displayName` is required/],
  ])('with the body %s is 400', async (body, words) => {
    const projectId = await managed.project(administrator, `with the body ${body}`);
    const { status, body: answer } = await ask(`/projects/${projectId}/api-keys`, {
      method: 'POST',
      body,
    });
    expect({ status, code: answer.code }).toEqual({ status: 400, code: 'invalid_input' });
    expect(answer.message).toMatch(words);
  });

  test('with a text that Postgres cannot hold is 400 too, or finds nothing', async () => {
    const projectId = await managed.project(administrator, 'NUL');
    const plan = { method: 'PATCH', body: '{"plan":"\\u0000"}' };
    const statuses = [
      await ask(`/projects/${projectId}/subscription`, plan),
      await ask(`/projects/${projectId}/decisions?key=%00`),
      await ask(`/projects/${projectId}/customers/%00`),
      await ask('/export?owner=%00'),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([400, 400, 404, 404]);
  });

  test('needs no token for the OpenAPI document', async () => {
    const { status, body } = await ask('/openapi.json', { token: null });
    expect([status, body.info.title]).toEqual([200, 'Ceiba Management']);
  });
});

describe('the rights of a token', () => {
  let owner: string;
  let projectId: string;
  beforeAll(async () => {
    owner = await managed.user('owner@example.com');
    projectId = await managed.project(owner, 'sales');
  });
  const file = (fields: string) =>
    `owner: { email: owner@example.com }\nprojects: [{ name: sales, ${fields} }]\n`;
  const POLICIES = file('policies: [{ method: GET, pathPattern: /v1 }]');
  const apply = (token: string, stdin: string, ...flags: string[]) =>
    managed.ceiba(token, ['apply', '-f', '-', ...flags], { stdin });
  const member = async (email: string, role: 'viewer' | 'developer') => {
    const userId = await managed.user(email);
    await managed.db.sql`
      insert into project_members (project_id, user_id, role) values (${projectId}, ${userId}, ${role})`;
    return (await managed.token(userId)).token;
  };

  test('that may only read are a dry run, and no change', async () => {
    const { token } = await managed.token(owner, { access: 'read' });
    const dry = await apply(token, POLICIES, '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('+ GET /v1') });
    const { code, stderr } = await apply(token, POLICIES);
    expect(code).toBe(1);
    expect(stderr).toBe('error: This access token may only read. Use one that may write.\n');
    expect((await managed.ceiba(token, ['export', '--json'])).stdout).toContain('"policies": []');
  });

  test('end with the role: a viewer reads, a developer sets policies, an owner the subscription', async () => {
    const viewer = await member('viewer@example.com', 'viewer');
    const developer = await member('developer@example.com', 'developer');
    const list = ['key', 'list', '--project', projectId];
    expect((await managed.ceiba(viewer, list)).code).toBe(0);
    expect(await apply(viewer, POLICIES)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Your role in the project sales is viewer'),
    });
    expect((await apply(developer, POLICIES)).code).toBe(0);
    const { token } = await managed.token(owner);
    const subscription = file('subscription: { status: past_due }');
    expect((await apply(developer, subscription)).stderr).toContain('is developer');
    expect((await apply(token, subscription)).code).toBe(0);
  });

  test('end at the projects of the user, and of the token', async () => {
    const other = await managed.project(owner, 'other');
    const { token: stranger } = await managed.token(await managed.user());
    const { token: limited } = await managed.token(owner, { projectIds: [other] });
    for (const token of [stranger, limited]) {
      const ran = await managed.ceiba(token, ['usage', '--project', projectId]);
      expect(ran).toMatchObject({ code: 2, stderr: `error: There is no project ${projectId}.\n` });
      expect((await apply(token, POLICIES)).stderr).toContain('There is no project sales');
      const { status } = await ask(`/projects/${projectId}/usage`, { token });
      expect(status).toBe(404);
    }
    const listed = JSON.parse((await managed.ceiba(limited, ['project', 'list', '--json'])).stdout);
    expect(listed.projects.map(({ name }: { name: string }) => name)).toEqual(['other']);
    const fresh = 'owner: { email: owner@example.com }\nprojects: [{ name: fresh }]\n';
    expect((await apply(limited, fresh, '--show-secret')).stderr).toContain(
      'There is no project fresh of owner@example.com that you may see.',
    );
  });

  test('of plans are the administrator’s: others may have plans in the file as they are', async () => {
    const { token } = await managed.token(owner);
    const tiny = 'name: Small, activeKeyCap: 2, rateLimitPerMinute: 3, monthlyQuota: 5';
    expect((await apply(administratorToken, `plans: [{ ${tiny} }]`)).code).toBe(0);
    expect((await apply(token, `plans: [{ ${tiny} }]`)).code).toBe(0);
    const { code, stderr } = await apply(token, `plans: [{ ${tiny.replace('5', '50')} }]`);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: Only an administrator may change plans. Leave them out.\n',
    });
    await managed.db.sql`update users set is_administrator = false where id = ${administrator}`;
    try {
      const demoted = await apply(administratorToken, `plans: [{ ${tiny.replace('5', '50')} }]`);
      expect(demoted.stderr).toContain('Only an administrator');
    } finally {
      await managed.db.sql`update users set is_administrator = true where id = ${administrator}`;
    }
  });

  test('create a project of the user alone, whose audit row names user and token', async () => {
    const { token, name } = await managed.token(owner);
    const mine = 'owner: { email: Owner@example.com }\nprojects: [{ name: mine }]\n';
    const created = await apply(token, mine, '--json');
    expect(JSON.parse(created.stdout).projects[0].projectSecret).toMatch(/^ceiba_secret_/);
    const theirs = mine.replace('Owner@example.com', OWNER);
    expect((await apply(token, theirs, '--json')).stderr).toContain('There is no project mine');
    const [row] = await managed.db.sql`
      select actor_label, actor_token_name from audit_log
      where action = 'project.create' and target_label = 'mine'`;
    expect(row).toEqual({ actor_label: 'owner@example.com', actor_token_name: name });
  });

  test('are over once the token is revoked, and the command names the console, not the token', async () => {
    const { token } = await managed.token(owner);
    await managed.db.sql`delete from access_tokens where user_id = ${owner}`;
    const { code, output } = await managed.ceiba(token, ['project', 'list']);
    expect(code).toBe(1);
    expect(output).toContain(`The console at ${managed.url} refuses the access token`);
    expect(output).not.toContain(token);
  });
});

describe('through a console', () => {
  const run = (args: string[], env: Record<string, string>) => runCeiba(args, { env });

  test.each([
    ['no token', {}, 'CEIBA_TOKEN', 'No access token is set'],
    [
      'half a token',
      { CEIBA_TOKEN: 'ceiba_token_x' },
      'CEIBA_TOKEN',
      'is not a whole access token',
    ],
  ])('%s is refused before anything is sent', async (_, env, field, words) => {
    const { code, stderr } = await run(['project', 'list', '--json'], {
      CEIBA_SERVER: 'http://127.0.0.1:1',
      ...env,
    });
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error).toMatchObject({
      field,
      message: expect.stringContaining(words),
    });
  });

  test('an address that does not answer is named, with where it comes from', async () => {
    const env = { CEIBA_TOKEN: administratorToken };
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const url = `http://127.0.0.1:${port}`;
    const args = ['--server', url, 'project', 'list'];
    const { code, output } = await run(args, env);
    expect(code).toBe(1);
    expect(output).toBe(
      `error: The console at ${url} cannot be reached (ECONNREFUSED; address from --server). ` +
        'Check the address, and that the console runs and accepts connections.\n',
    );
  });

  test.each([['migrate'], ['setup-token'], ['doctor'], ['owner create --email new@example.com']])(
    'ceiba %s says that no console can run it',
    async (line) => {
      const env = { CEIBA_SERVER: managed.url, CEIBA_TOKEN: administratorToken };
      const { code, stderr } = await run(line.split(' '), env);
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('no console can run it. Leave out CEIBA_SERVER'),
      });
    },
  );

  test('an outage of the database is a 503 that the log has, and the command exits with 1', async () => {
    const app = await startConsole({ DATABASE_URL: 'postgres://ceiba@127.0.0.1:1/ceiba' });
    try {
      const env = { CEIBA_SERVER: app.url, CEIBA_TOKEN: administratorToken };
      const { code, stderr } = await run(['project', 'list'], env);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `error: The console at ${app.url} answers 503: The database is not answering. Try again in a moment.\n`,
      });
      await expect.poll(() => app.log()).toContain('manage.database_unavailable');
      expect(app.log()).not.toContain(administratorToken);
    } finally {
      await app.stop();
    }
  });
});
