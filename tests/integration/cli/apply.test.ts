import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, eachLimit, isWellFormedProjectSecret } from '@ceiba/domain';
import { verifyPassword } from '@ceiba/domain/password';
import {
  createCustomer,
  createDatabase,
  findPlanByName,
  findProjectByName,
  findUserByEmail,
  getSubscription,
  listCustomerPlans,
  listPolicies,
  lookupMany,
  putPlan,
} from '@ceiba/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holding, untilWaiting } from '../schema/support.ts';
import { everything, OWNER_PASSWORD, PATIENT, typing, useDesk } from './support.ts';

const desk = useDesk();

const FILE = `owner: { email: ops@example.com }         # created if missing
plans:
  - { name: Tiny, activeKeyCap: 2, rateLimitPerMinute: 3, monthlyQuota: 5 }
projects:
  - name: reports
    subscription: { plan: Tiny, status: active }
    defaultKeyRateLimitPerMinute: null
    policies:
      - { method: GET, pathPattern: /v1/reports* }
`;

const OWNER = 'owner: { email: ops@example.com }\n';
/** A file with one project, whose fields are given as indented YAML. */
const project = (fields: string) => `${OWNER}projects:\n  - name: reports\n${fields}`;

async function applyJson(yaml: string, ...flags: string[]) {
  const ran = await desk.apply(yaml, { json: true, flags });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const printed: {
    projects: { name: string; projectId: string; projectSecret: string | null }[];
    changes: unknown[];
  } = JSON.parse(ran.stdout);
  return printed;
}

/** A file with these policies of one project. */
const withPolicies = (...patterns: string[]) =>
  project(
    `    policies: [${patterns.map((path) => `{ method: GET, pathPattern: ${path} }`).join(', ')}]\n`,
  );

async function reports() {
  const owner = await findUserByEmail(desk.db, 'ops@example.com');
  return (await findProjectByName(desk.db, { ownerId: owner!.userId, name: 'reports' }))!;
}

const rulesOf = async (projectId: string) =>
  (await listPolicies(desk.db, projectId)).map(
    ({ method, pathPattern }) => `${method} ${pathPattern}`,
  );

describe('a new installation', () => {
  test('gets what is in the file, with the owner, the first user, as the administrator', async () => {
    await applyJson(FILE);
    const owner = await findUserByEmail(desk.db, 'ops@example.com');
    expect(owner).toMatchObject({ isAdministrator: true });
    expect(await verifyPassword(owner!.passwordHash, OWNER_PASSWORD)).toBe(true);
    const { projectId } = await reports();
    expect(await getSubscription(desk.db, projectId)).toMatchObject({
      status: 'active',
      plan: { name: 'Tiny', activeKeyCap: 2, rateLimitPerMinute: 3, monthlyQuota: 5 },
    });
    expect(await rulesOf(projectId)).toEqual(['GET /v1/reports*']);
  });

  test('is printed as JSON with exactly three fields per project and a valid secret', async () => {
    const printed = await applyJson(FILE);
    const { projectId } = await reports();
    expect(printed).toEqual({
      projects: [{ name: 'reports', projectId, projectSecret: expect.any(String) }],
      changes: [
        { action: 'create', kind: 'owner', name: 'ops@example.com' },
        { action: 'create', kind: 'plan', name: 'Tiny' },
        { action: 'create', kind: 'project', name: 'reports' },
        { action: 'update', kind: 'subscription', name: 'reports', project: 'reports' },
        { action: 'create', kind: 'policy', name: 'GET /v1/reports*', project: 'reports' },
      ],
    });
    const secret = printed.projects[0]!.projectSecret!;
    expect(isWellFormedProjectSecret(secret)).toBe(true);
    const [row] = await lookupMany(desk.db, [{ projectId, apiKeyDigest: null }]);
    expect(row?.project?.secretDigest).toEqual(digestOf(secret));
  });

  test('is printed line by line, with the secret once, marked as shown only once', async () => {
    const { code, stdout, stderr } = await desk.apply(FILE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('created    owner ops@example.com (administrator)');
    expect(stdout).toContain(
      'created    plan Tiny: 2 active keys, 3 requests per minute, 5 per month',
    );
    expect(stdout).toMatch(/created {4}project reports \([0-9a-f-]{36}\)/);
    expect(stdout.match(/ceiba_secret_\w+/g)).toHaveLength(1);
    expect(stdout).toContain('shown only once');
  });

  test('prints several projects in the order of the file', async () => {
    const printed = await applyJson(`${OWNER}projects:\n  - name: zebra\n  - name: ant\n`);
    expect(printed.projects.map(({ name }) => name)).toEqual(['zebra', 'ant']);
  });
});

describe('a second run', () => {
  test('changes no row and prints no secret', async () => {
    const first = await applyJson(FILE);
    const before = await everything(desk.db);
    const second = await applyJson(FILE);
    expect(second).toEqual({
      projects: [{ ...first.projects[0], projectSecret: null }],
      changes: [],
    });
    expect(await everything(desk.db)).toBe(before);
    const { stdout } = await desk.apply(FILE);
    expect(stdout).not.toMatch(/created|updated|ceiba_secret/);
  });

  test('needs no password, and does not change the password of the account', async () => {
    await applyJson(FILE);
    expect(await desk.apply(FILE, { env: { CEIBA_OWNER_PASSWORD: '' } })).toMatchObject({
      code: 0,
    });
    const env = { CEIBA_OWNER_PASSWORD: 'another long password' };
    expect(await desk.apply(FILE, { env })).toMatchObject({ code: 0 });
    const owner = await findUserByEmail(desk.db, 'ops@example.com');
    expect(await verifyPassword(owner!.passwordHash, OWNER_PASSWORD)).toBe(true);
  });

  test('finds the owner regardless of letter case', async () => {
    const first = await applyJson(FILE);
    const second = await applyJson(FILE.replace('ops@', 'OPS@'));
    expect(second.projects[0]?.projectId).toBe(first.projects[0]?.projectId);
  });

  test('of six at once on an empty installation creates one project and one secret, in 3 rounds', async () => {
    for (let round = 0; round < 3; round += 1) {
      const file = FILE.replaceAll('reports\n', `round${round}\n`);
      const runs = await Promise.all(Array.from({ length: 6 }, () => applyJson(file)));
      const projects = runs.map(({ projects: [only] }) => only!);
      expect(new Set(projects.map(({ projectId }) => projectId)).size).toBe(1);
      expect(projects.filter(({ projectSecret }) => projectSecret !== null)).toHaveLength(1);
    }
    const [row] = await desk.db.sql`select count(*)::int as count from users`;
    expect(row).toEqual({ count: 1 });
  });
});

describe('a changed file', () => {
  test('replaces the policies by its list, and keeps absent fields', async () => {
    await applyJson(
      project(`    subscription: { plan: Pro, status: trialing }
    defaultKeyRateLimitPerMinute: 7
    policies:
      - { method: GET, pathPattern: /v1/a }
      - { method: GET, pathPattern: /v1/b }
`),
    );
    const { projectId } = await reports();
    await applyJson(project(`    policies: [{ method: '*', pathPattern: /v1/b/* }]\n`), '--prune');
    expect(await rulesOf(projectId)).toEqual(['* /v1/b*']);
    expect(await getSubscription(desk.db, projectId)).toMatchObject({
      status: 'trialing',
      plan: { name: 'Pro' },
    });
    expect(await reports()).toMatchObject({ defaultKeyRateLimitPerMinute: 7 });
    await applyJson(project(''));
    expect(await rulesOf(projectId)).toEqual(['* /v1/b*']);
    await applyJson(project('    policies: []\n'), '--prune');
    expect(await rulesOf(projectId)).toEqual([]);
  });

  test('keeps the projects and plans that it does not mention', async () => {
    await applyJson(FILE);
    const { projectId } = await reports();
    await applyJson(`${OWNER}projects:\n  - name: other\n`);
    expect(await rulesOf(projectId)).toEqual(['GET /v1/reports*']);
    expect(await findPlanByName(desk.db, 'Tiny')).toMatchObject({ monthlyQuota: 5 });
  });

  test('sets and removes the default rate of keys and the end of the period, and sets what keys begin with', async () => {
    const set = `    subscription: { currentPeriodEnd: 2099-01-31T12:00:00+02:00 }
    defaultKeyRateLimitPerMinute: 0
    keyPrefix: acme_live_
`;
    await applyJson(project(set));
    const { projectId } = await reports();
    expect(await reports()).toMatchObject({
      defaultKeyRateLimitPerMinute: 0,
      keyPrefix: 'acme_live_',
    });
    expect(await getSubscription(desk.db, projectId)).toMatchObject({
      currentPeriodEnd: new Date('2099-01-31T10:00:00Z'),
    });
    await applyJson(
      project(
        '    subscription: { currentPeriodEnd: null }\n    defaultKeyRateLimitPerMinute: ~\n',
      ),
    );
    expect(await reports()).toMatchObject({
      defaultKeyRateLimitPerMinute: null,
      keyPrefix: 'acme_live_',
    });
    expect(await getSubscription(desk.db, projectId)).toMatchObject({ currentPeriodEnd: null });
  });

  test('changes a plan’s limits', async () => {
    await applyJson(FILE);
    const { stdout } = await desk.apply(FILE.replace('monthlyQuota: 5', 'monthlyQuota: 6'));
    expect(stdout).toContain('updated    plan Tiny');
    expect(await findPlanByName(desk.db, 'Tiny')).toMatchObject({ monthlyQuota: 6 });
  });

  test('needs no owner if it has only plans', async () => {
    const plan =
      '{ name: Huge, activeKeyCap: 1, rateLimitPerMinute: 2, monthlyQuota: 1000000000000 }';
    expect(await applyJson(`plans: [${plan}]`)).toEqual({
      projects: [],
      changes: [{ action: 'create', kind: 'plan', name: 'Huge' }],
    });
    expect(await findPlanByName(desk.db, 'Huge')).toMatchObject({ monthlyQuota: 1e12 });
  });

  test('subscribes projects to plans of the same file and to existing ones', async () => {
    await putPlan(desk.ctx, { name: 'Present', activeKeyCap: 1, ...eachLimit(() => 1) });
    await applyJson(`${FILE}  - name: second\n    subscription: { plan: Present }\n`);
    const [row] = await desk.db.sql`
      select string_agg(plans.name, ', ' order by plans.name) as names
      from subscriptions join plans on plans.id = plan_id`;
    expect(row).toEqual({ names: 'Present, Tiny' });
  });
});

/** Invalid files and their errors. None of them may change anything. */
const REFUSED: [string, string, string[]][] = [
  [
    'an unknown field, with its path, its line and the known fields',
    project('    policy: []\n'),
    [
      'projects[0].policy (line 4): is not a known field; the fields here are name, subscription, defaultKeyRateLimitPerMinute, keyPrefix, customerPlans, policies',
    ],
  ],
  ['an unknown top-level field', 'project: []', ['project (line 1): is not a known field']],
  [
    'a path pattern that could match nothing',
    project('    policies:\n      - { method: GET, pathPattern: /v1/*/x }\n'),
    ['projects[0].policies[0].pathPattern (line 5): may hold a * only as its last character'],
  ],
  [
    'an ambiguous path pattern',
    project('    policies:\n      - { method: GET, pathPattern: /v1/../x }\n'),
    ['projects[0].policies[0].pathPattern (line 5): must not hold a dot segment'],
  ],
  [
    'a method in lower case',
    project('    policies:\n      - { method: get, pathPattern: /v1 }\n'),
    ['projects[0].policies[0].method (line 5): must be in upper case'],
  ],
  [
    'one policy in two spellings',
    project(`    policies:
      - { method: GET, pathPattern: /v1* }
      - { method: GET, pathPattern: /v1/* }
`),
    ['projects[0].policies[1] (line 6): is the same policy as policies[0]'],
  ],
  [
    'two projects of one name',
    `${OWNER}projects:\n  - name: reports\n  - name: ' reports '\n`,
    ['projects[1].name (line 4): is also the name of projects[0]'],
  ],
  [
    'two plans of one name, and every limit that is not a whole number',
    `plans:
  - { name: Tiny, activeKeyCap: -1, rateLimitPerMinute: "3", monthlyQuota: 1000000000001 }
  - { name: Tiny, activeKeyCap: 1.5, rateLimitPerMinute: 1e3 }
`,
    [
      'plans[0].activeKeyCap (line 2): must be a whole number from 0 to 2147483647',
      'plans[0].rateLimitPerMinute (line 2): must be a whole number',
      'plans[0].monthlyQuota (line 2): must be a whole number',
      'plans[1].name (line 3): is also the name of plans[0]',
      'plans[1].activeKeyCap (line 3): must be a whole number',
      'plans[1].monthlyQuota (line 3): is missing',
    ],
  ],
  [
    'labels and costs that break their rules, and two customer plans of one name',
    project(`    customerPlans:
      - { name: Pro, monthlyQuota: 1000000000001, scopes: [Read] }
      - { name: Pro, activeKeyCap: -1 }
    policies:
      - { method: GET, pathPattern: /a, cost: 1000001, scopes: read }
      - { method: GET, pathPattern: /b, cost: 0.5, scopes: [${Array.from({ length: 65 }, (_, n) => `l${n}`)}] }
`),
    [
      'projects[0].customerPlans[0].monthlyQuota (line 5): must be a whole number from 0 to 1000000000000',
      'projects[0].customerPlans[0].scopes[0] (line 5): must be a label of 1 to 64 characters',
      'projects[0].customerPlans[1].name (line 6): is also the name of customerPlans[0]',
      'projects[0].customerPlans[1].activeKeyCap (line 6): must be a whole number',
      'projects[0].policies[0].scopes (line 8): must be a list, not text',
      'projects[0].policies[0].cost (line 8): must be a whole number from 0 to 1000000',
      'projects[0].policies[1].scopes (line 9): must be at most 64 labels',
      'projects[0].policies[1].cost (line 9): must be a whole number',
    ],
  ],
  [
    'a status that is none of the four',
    project('    subscription: { status: aktive }\n'),
    [
      'projects[0].subscription.status (line 4): must be one of active, trialing, past_due, canceled',
    ],
  ],
  [
    'a period that ends on 30 February',
    project('    subscription: { currentPeriodEnd: 2027-02-30T00:00:00Z }\n'),
    ['projects[0].subscription.currentPeriodEnd (line 4): must be an RFC 3339 date-time'],
  ],
  [
    'a period that ends in the year 26',
    project('    subscription: { currentPeriodEnd: "0026-11-21T10:00:00Z" }\n'),
    ['projects[0].subscription.currentPeriodEnd (line 4): must lie within the years 0100 to 9999'],
  ],
  [
    'a plan that does not exist',
    project('    subscription: { plan: Gold }\n'),
    ['projects[0].subscription.plan (line 4): there is no plan "Gold"; the plans are '],
  ],
  ['projects without an owner', 'projects:\n  - name: reports\n', ['owner (line 1): is missing']],
  [
    'an owner that is no address',
    'owner: { email: ops }\n',
    ['owner.email (line 1): must be an e-mail address'],
  ],
  [
    'a project without a name',
    `${OWNER}projects:\n  - policies: []\n`,
    ['projects[0].name (line 3): is missing'],
  ],
  [
    'a name that is a number',
    `${OWNER}projects:\n  - name: 2026\n`,
    ['projects[0].name (line 3): must be text, not the number 2026; put it in quotes'],
  ],
  ['a list that is empty by mistake', 'plans:\n', ['plans (line 1): must be a list, but is empty']],
  [
    'a star without quotes',
    project('    policies:\n      - { method: *, pathPattern: /v1 }\n'),
    ["file (line 5): a value that starts with * needs quotes: '*'"],
  ],
  ['one field twice', 'plans: []\nplans: []\n', ['file (line 2): Map keys must be unique']],
  ['two documents', 'plans: []\n---\nplans: []\n', ['(line 2)']],
];

describe('an invalid file', () => {
  test.each(REFUSED)('is refused and changes nothing: %s', async (_, yaml, messages) => {
    const before = await everything(desk.db);
    const { code, stdout, stderr } = await desk.apply(yaml);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const message of messages) expect(stderr).toContain(`  ${message}`.trimStart());
    expect(stderr.toLowerCase()).toContain('nothing was changed');
    expect(await everything(desk.db)).toBe(before);
  });

  test('is reported with all its problems at once, in the order of its lines', async () => {
    const { stderr } = await desk.apply(
      project(`    subscription: { plan: Gold, status: aktive }
    policies:
      - { method: get, pathPattern: v1 }
      - GET /v1
    limit: 5
`),
    );
    const lines = [...stderr.matchAll(/^ {2}(\S+) \(line (\d+)\)/gm)];
    expect(lines.map(([, field]) => field)).toEqual([
      'projects[0].subscription.status',
      'projects[0].policies[0].method',
      'projects[0].policies[0].pathPattern',
      'projects[0].policies[1]',
      'projects[0].limit',
    ]);
    const numbers = lines.map(([, , line]) => Number(line));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  test.each([
    ['is empty', '', 'standard input is empty'],
    ['has only a comment', '# nothing yet\n', 'standard input is empty'],
    ['is longer than 4 MiB', `# ${'x'.repeat(4 * 1024 * 1024)}`, 'is longer than 4 MiB'],
    ['expands aliases without end', aliasBomb(), 'Excessive alias count'],
  ])('that %s is refused', async (_, yaml, message) => {
    const { code, stderr } = await desk.apply(yaml);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test('that is not UTF-8 is refused', async () => {
    const path = join(tmpdir(), `ceiba-${process.pid}-latin1.yaml`);
    writeFileSync(path, Buffer.from('owner: { email: caf\xe9@example.com }', 'latin1'));
    const { code, stderr } = await desk.ceiba(['apply', '-f', path]);
    expect(code).toBe(2);
    expect(stderr).toContain('is not UTF-8 text');
  });

  test('that does not exist is refused by its name', async () => {
    const { code, stderr } = await desk.ceiba(['apply', '-f', 'nowhere.yaml']);
    expect(code).toBe(2);
    expect(stderr).toBe('error: nowhere.yaml cannot be read: there is no such file.\n');
  });

  test('that is a folder is reported as a folder', async () => {
    const { code, stderr } = await desk.ceiba(['apply', '-f', tmpdir()]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: ${tmpdir()} cannot be read: it is a folder.\n`,
    });
  });
});

function aliasBomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level += 1) {
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }
  return lines.join('\n');
}

describe('the file', () => {
  test('is found in the working directory, as YAML or as JSON', async () => {
    const name = `ceiba-${process.pid}.json`;
    const file = {
      owner: { email: 'ops@example.com' },
      projects: [{ name: 'reports', policies: [{ method: '*', pathPattern: '*' }] }],
    };
    writeFileSync(join(tmpdir(), name), JSON.stringify(file));
    const env = { CEIBA_OWNER_PASSWORD: OWNER_PASSWORD };
    const ran = await desk.ceiba(['apply', '--file', name], { env, cwd: tmpdir() });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(await rulesOf((await reports()).projectId)).toEqual(['* *']);
    expect(JSON.parse(readFileSync(join(tmpdir(), name), 'utf8'))).toEqual(file);
  });

  test('is a required option', async () => {
    const { code, stderr } = await desk.ceiba(['apply']);
    expect(code).toBe(2);
    expect(stderr).toContain("required option '-f, --file <path>'");
  });
});

describe('a new owner', () => {
  test.each([
    ['without a password', '', /ops@example\.com has no account yet.*CEIBA_OWNER_PASSWORD/],
    ['with a password that is too short', 'short', /must be at least 12 characters, this one is 5/],
  ])('%s is refused, and nothing is changed', async (_, password, message) => {
    const before = await everything(desk.db);
    const { code, stderr } = await desk.apply(FILE, { env: { CEIBA_OWNER_PASSWORD: password } });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    if (password !== '') expect(stderr).not.toContain(password);
    expect(await everything(desk.db)).toBe(before);
  });
});

describe('an error half-way', () => {
  afterEach(async () => {
    await desk.db.sql`drop function if exists interfere cascade`;
  });

  test('rolls back everything and prints no secret', async () => {
    await desk.db.sql`
      create function interfere() returns trigger language plpgsql as
      $$ begin raise exception 'policies are closed today'; end $$`;
    await desk.db.sql`
      create trigger interfere before insert on policies for each row execute function interfere()`;
    const before = await everything(desk.db);
    const { code, stdout, stderr } = await desk.apply(FILE, { json: true });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('policies are closed today');
    expect(stderr).not.toMatch(/ceiba_secret|argon2|insert into/);
    expect(await everything(desk.db)).toBe(before);
  });

  test('by a statement that waits too long is reported, and the run can be repeated', async () => {
    await desk.db.sql`
      create function interfere() returns trigger language plpgsql as
      $$ begin perform set_config('statement_timeout', '50', false); return new; end $$`;
    await desk.db.sql`
      create trigger interfere before insert on users for each row execute function interfere()`;
    const blocker = createDatabase(desk.url, PATIENT);
    try {
      await blocker.sql`begin`;
      await blocker.sql`lock table plans in exclusive mode`;
      const { code, stderr } = await desk.apply(FILE);
      expect(code).toBe(1);
      expect(stderr).toContain(
        'took too long, so the statement was cancelled and nothing was changed',
      );
      await blocker.sql`rollback`;
    } finally {
      await blocker.close();
    }
    await desk.db.sql`drop function interfere cascade`;
    expect(await desk.apply(FILE)).toMatchObject({ code: 0 });
  });

  test('by a plan that is renamed meanwhile is reported, and nothing is changed', async () => {
    await applyJson(FILE);
    const before = await everything(desk.db);
    // The run has read the plans' names when it waits for Tiny.
    const rename = await holding(
      desk.url,
      "update plans set name = 'Paid' where name = 'Pro'; select from plans where name = 'Tiny' for update",
    );
    const running = desk.apply(FILE.replace('plan: Tiny', 'plan: Pro'));
    await untilWaiting(desk.db);
    await rename();
    const { code, stdout, stderr } = await running;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'error: Someone else has just renamed or deleted the plan Pro. Run this again.\n',
    );
    await desk.db.sql`update plans set name = 'Pro' where name = 'Paid'`;
    expect(await everything(desk.db)).toBe(before);
  });
});

describe('a file that lacks policies of the project', () => {
  const narrow = withPolicies('/v1/a');
  const remaining = async () => rulesOf((await reports()).projectId);

  beforeEach(async () => {
    await applyJson(withPolicies('/v1/a', '/v1/b', '/v1/c'));
  });

  test('is refused without a terminal, and names each policy that it would remove', async () => {
    const before = await everything(desk.db);
    const { code, stdout, stderr } = await desk.apply(narrow);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('  reports: GET /v1/b\n  reports: GET /v1/c\n');
    expect(stderr).toContain('--prune');
    expect(stderr).not.toContain('/v1/a');
    expect(await everything(desk.db)).toBe(before);
  });

  test('removes them with --prune, and lists them', async () => {
    const { code, stdout } = await desk.apply(narrow, { flags: ['--prune'] });
    expect(code).toBe(0);
    expect(stdout).toContain('policies: 0 added, 0 changed, 2 removed, 1 kept');
    expect(stdout).toMatch(/^ +- GET \/v1\/b$/m);
    expect(await remaining()).toEqual(['GET /v1/a']);
  });

  test.each([
    ['y', ['GET /v1/a']],
    ['', ['GET /v1/a', 'GET /v1/b', 'GET /v1/c']],
    ['no', ['GET /v1/a', 'GET /v1/b', 'GET /v1/c']],
  ])('asks at a terminal, and takes %j as the answer', async (answer, expected) => {
    const path = join(mkdtempSync(join(tmpdir(), 'ceiba-file-')), 'ceiba.yaml');
    writeFileSync(path, narrow);
    const { code, stderr } = await desk.ceiba(['apply', '-f', path], { stdin: typing(answer) });
    expect(stderr).toContain('These are not in the file:\n  reports: GET /v1/b\n');
    expect(code).toBe(answer === 'y' ? 0 : 2);
    expect((await remaining()).sort()).toEqual(expected);
  });

  test('is described by --dry-run, which changes nothing', async () => {
    const before = await everything(desk.db);
    const shown = await desk.apply(narrow, { flags: ['--dry-run'] });
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^ +- GET \/v1\/c$/m);
    expect(shown.stdout).toMatch(/A dry run: nothing was changed\.\n$/);
    const printed = await applyJson(narrow, '--dry-run');
    expect(printed.changes).toEqual(
      ['GET /v1/b', 'GET /v1/c'].map((name) => ({
        action: 'remove',
        kind: 'policy',
        name,
        project: 'reports',
      })),
    );
    expect(await everything(desk.db)).toBe(before);
  });
});

test('the end of a subscription that is removed is printed', async () => {
  const ends = (end: string) =>
    desk.apply(project(`    subscription: { status: active, currentPeriodEnd: ${end} }\n`));
  await ends("'2099-01-01T00:00:00Z'");
  expect((await ends('null')).stdout).toContain('updated      subscription: active, no end\n');
});

test('a password that is too weak is an error in its variable', async () => {
  const { stderr } = await desk.apply(FILE, { json: true, env: { CEIBA_OWNER_PASSWORD: 'a' } });
  expect(JSON.parse(stderr).error).toMatchObject({ field: 'CEIBA_OWNER_PASSWORD' });
});

describe('labels and costs of policies', () => {
  const policy = (fields: string) =>
    project(`    policies: [{ method: GET, pathPattern: /v1/a${fields} }]\n`);
  const stored = async () => listPolicies(desk.db, (await reports()).projectId);

  test('are set, kept where they are absent, and removed by null, each printed with its policy', async () => {
    await applyJson(policy(''));
    const { stdout } = await desk.apply(policy(', scopes: [write, read, write], cost: 0'));
    expect(stdout).toContain('policies: 0 added, 1 changed, 0 removed, 0 kept');
    expect(stdout).toMatch(/^ +~ GET \/v1\/a {2}\(scopes read write, cost 0\)$/m);
    expect(await stored()).toMatchObject([{ scopes: ['read', 'write'], cost: 0 }]);
    expect((await applyJson(policy(''))).changes).toEqual([]);
    expect((await applyJson(policy(', cost: null'))).changes).toEqual([
      { action: 'update', kind: 'policy', name: 'GET /v1/a', project: 'reports' },
    ]);
    expect(await stored()).toMatchObject([{ scopes: ['read', 'write'], cost: 1 }]);
    const cleared = await desk.apply(policy(', scopes: null'));
    expect(cleared.stdout).toMatch(/^ +~ GET \/v1\/a {2}\(scopes none, cost 1\)$/m);
    expect(await stored()).toMatchObject([{ scopes: null, cost: 1 }]);
  });
});

describe('customer plans of a project', () => {
  const plans = (...list: string[]) => project(`    customerPlans: [${list.join(', ')}]\n`);
  const stored = async () => listCustomerPlans(desk.db, (await reports()).projectId);
  const FULL =
    '{ name: Pro, activeKeyCap: 2, rateLimitPerMinute: 60, dailyQuota: 9, monthlyQuota: 1000000000000, scopes: [b, a] }';

  test('are created and changed; absent fields keep their values and null removes them', async () => {
    const { stdout } = await desk.apply(plans(FULL, '{ name: Basic }'));
    expect(stdout).toContain('created      customer plan Basic: no limits\n');
    expect(stdout).toContain(
      'created      customer plan Pro: 2 active keys, 60 requests per minute, 9 per day, 1000000000000 per month, scopes a b\n',
    );
    const [basic, pro] = await stored();
    expect(pro).toMatchObject({ monthlyQuota: 1e12, scopes: ['a', 'b'] });
    expect((await applyJson(plans(FULL, '{ name: Basic }'))).changes).toEqual([]);
    const { changes } = await applyJson(
      plans('{ name: Pro, scopes: [], dailyQuota: null }', '{ name: Basic }'),
    );
    expect(changes).toEqual([
      { action: 'update', kind: 'customerPlan', name: 'Pro', project: 'reports' },
    ]);
    expect(await stored()).toEqual([basic, { ...pro, scopes: [], dailyQuota: null }]);
    expect((await applyJson(project(''))).changes).toEqual([]);
  });

  test('that no customer has are removed with --prune alone, and named in a dry run', async () => {
    await applyJson(plans('{ name: Old }', '{ name: Pro }'));
    const before = await everything(desk.db);
    const refused = await desk.apply(plans('{ name: Pro }'));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('  reports: customer plan Old\n');
    const dry = await desk.apply(plans('{ name: Pro }'), { flags: ['--dry-run'] });
    expect(dry.stdout).toContain('removed      customer plan Old\n');
    expect(await everything(desk.db)).toBe(before);
    const { changes } = await applyJson(plans('{ name: Pro }'), '--prune');
    expect(changes).toEqual([
      { action: 'remove', kind: 'customerPlan', name: 'Old', project: 'reports' },
    ]);
    expect(await stored()).toMatchObject([{ name: 'Pro' }]);
  });

  test('that customers have are not removed by any option, and the error has their names', async () => {
    await applyJson(plans('{ name: Old }', '{ name: Pro }', '{ name: Unused }'));
    const { projectId } = await reports();
    for (const [externalId, plan] of [
      ['a', 'Pro'],
      ['b', 'Pro'],
      ['c', 'Old'],
    ] as const) {
      await createCustomer(desk.ctx, { projectId, externalId, plan });
    }
    const before = await everything(desk.db);
    for (const flags of [[], ['--prune'], ['--dry-run']]) {
      const { code, stdout, stderr } = await desk.apply(plans(), { flags });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toBe(`error: standard input is invalid. Nothing was changed:
  projects[0].customerPlans (line 4): must have the plan Old, because a customer is on it
  projects[0].customerPlans (line 4): must have the plan Pro, because 2 customers are on it
`);
    }
    expect(await everything(desk.db)).toBe(before);
  });
});

test('a plan’s quota by day is set, kept where it is absent, and removed by null', async () => {
  const plan = (fields: string) =>
    `plans: [{ name: Tiny, activeKeyCap: 1, rateLimitPerMinute: 1, monthlyQuota: 1${fields} }]`;
  await applyJson(plan(', dailyQuota: 7'));
  expect((await applyJson(plan(''))).changes).toEqual([]);
  expect(await findPlanByName(desk.db, 'Tiny')).toMatchObject({ dailyQuota: 7 });
  await applyJson(plan(', dailyQuota: null'));
  expect(await findPlanByName(desk.db, 'Tiny')).toMatchObject({ dailyQuota: null });
});

describe('the secret of a new project', () => {
  const SECRET = /ceiba_secret_[0-9A-Za-z]{49}/;

  test('is not created by --dry-run', async () => {
    const { stdout } = await desk.apply(FILE, { flags: ['--dry-run'] });
    expect(stdout).toContain('created    project reports');
    expect(stdout).not.toMatch(/ceiba_secret/);
    expect((await applyJson(FILE, '--dry-run')).projects[0]?.projectSecret).toBeNull();
    expect(await findUserByEmail(desk.db, 'ops@example.com')).toBeNull();
  });

  test('is written with --secret-file to a new file of this user, and printed nowhere', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'ceiba-secret-')), 'secret.json');
    const flags = ['--secret-file', path];
    const { code, output } = await desk.apply(FILE, { flags, json: true });
    expect(code).toBe(0);
    expect(output).not.toMatch(SECRET);
    const { projects } = JSON.parse(readFileSync(path, 'utf8'));
    const { projectId } = await reports();
    expect(projects).toEqual([
      { name: 'reports', projectId, projectSecret: expect.stringMatching(SECRET) },
    ]);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = await desk.apply(FILE, { flags });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists already')]);
  });

  test('leaves no file where nothing was created', async () => {
    await applyJson(FILE);
    const path = join(mkdtempSync(join(tmpdir(), 'ceiba-secret-')), 'secret.json');
    expect(await desk.apply(FILE, { flags: ['--secret-file', path] })).toMatchObject({ code: 0 });
    expect(existsSync(path)).toBe(false);
  });
});

const FILE_OF_UNKNOWN_PLAN = `owner: { email: ops@example.com }
projects: [{ name: x, subscription: { plan: none } }]
`;

describe('what a file says', () => {
  const CONTROL = /(?!\n)[\p{Cc}\u202e]/u;
  const withProject = (project: string) =>
    'owner: { email: ops@example.com }\n' +
    'plans: [{ name: ab, activeKeyCap: 1, rateLimitPerMinute: 1, monthlyQuota: 1 }]\n' +
    `projects: [${project}]\n`;

  test('never controls the terminal, nor does a name that an earlier release stored', async () => {
    await desk.apply(withProject('{ name: x }'));
    await desk.db.sql`update plans set name = ${'a\u202eb'} where name = 'ab'`;
    const outputs = [
      await desk.apply(withProject('{ name: "c\\u202Ed" }')),
      await desk.apply(FILE_OF_UNKNOWN_PLAN),
      await desk.apply(withProject('{ name: x, "\\e[2J\\nowner": 1 }')),
    ].map(({ output }) => output);
    for (const output of outputs) expect(output).not.toMatch(CONTROL);
    expect(outputs[0]).toContain('projects[0].name (line 3): must not hold zero-width characters');
    expect(outputs[1]).toContain('the plans are a\ufffdb, Free');
    expect(outputs[2]).toContain('projects[0].\ufffd[2J\ufffdowner (line 3)');
  });

  test('keeps the joiners of an emoji', async () => {
    const { stdout } = await desk.apply(withProject('{ name: 👩‍💻 }'));
    expect(stdout).toContain('project 👩‍💻 (');
  });
});

describe('an error with --json', () => {
  test.each([
    ['invalid_file', 'projects[0].polices', project('    polices: []\n'), []],
    ['usage', '--nonsense', FILE, ['--nonsense']],
  ])('is a JSON object with the code %s and the field %s', async (code, field, yaml, flags) => {
    const ran = await desk.apply(yaml, { json: true, flags });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(ran.stderr)).toEqual({
      error: { code, field, message: expect.any(String) },
    });
  });

  test.each([
    ['--file', ['-f', '/nonexistent.yaml'], {}],
    ['CEIBA_OWNER_PASSWORD', ['-f', '-'], { CEIBA_OWNER_PASSWORD: '' }],
    ['DATABASE_URL', ['-f', '-'], { DATABASE_URL: '', CEIBA_DATA_DIR: '/nonexistent' }],
  ])('names %s, which has to change', async (field, args, env) => {
    const ran = await desk.ceiba(['apply', '--json', ...args], { stdin: FILE, env });
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.stderr).error).toMatchObject({ code: 'invalid_input', field });
  });

  test('names the option that a removal needs', async () => {
    await applyJson(withPolicies('/v1/a'));
    const ran = await desk.apply(withPolicies(), { json: true });
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      code: 'would_remove_policies',
      field: '--prune',
      message: expect.stringContaining('reports: GET /v1/a'),
    });
  });
});
