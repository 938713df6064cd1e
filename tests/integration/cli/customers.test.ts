import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, nameWithPeriod } from '@ceiba/domain';
import {
  createCustomer,
  createCustomerPlan,
  getApiKeyRow,
  listCustomers,
  recordUsage,
  writeDecisions,
} from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { decisionAt } from '../schema/decision-log/support.ts';
import { expectKind, makeProject } from '../schema/support.ts';
import { everything, useDesk } from './support.ts';

const desk = useDesk();
let projectId: string;

beforeEach(async () => {
  ({ projectId } = await makeProject(desk.ctx));
  await createCustomerPlan(desk.ctx, { projectId, name: 'Pro', monthlyQuota: 1_000 });
});

const customer = (name: string, ...args: string[]) =>
  desk.ceiba(['customer', name, '--project', projectId, ...args]);

async function printed(name: string, ...args: string[]) {
  const { code, stdout, stderr } = await customer(name, ...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const createKey = (...args: string[]) =>
  desk.ceiba(['key', 'create', '--project', projectId, '--name', 'k', '--json', ...args]);

const all = async () => (await listCustomers(desk.db, { projectId, limit: 500 })).items;

describe('ceiba customer create', () => {
  test('stores every field, and prints the customer with the fields of the route', async () => {
    const fields = [
      ...['--external-id', 'cus_42', '--name', 'Acme', '--metadata', '{"tier":1}', '--plan', 'Pro'],
      ...['--status', 'trialing', '--current-period-end', '2099-01-31T12:00:00+02:00'],
      ...[
        '--billing-day',
        '15',
        '--rate',
        '60',
        '--daily-quota',
        '1000000000000',
        '--quota',
        'none',
      ],
    ];
    const created = await printed('create', ...fields);
    expect(created).toEqual({
      customerId: expect.any(String),
      externalId: 'cus_42',
      name: 'Acme',
      metadata: { tier: 1 },
      suspendedAt: null,
      plan: { planId: expect.any(String), name: 'Pro' },
      subscriptionStatus: 'trialing',
      currentPeriodEnd: '2099-01-31T10:00:00.000Z',
      billingDay: 15,
      rateLimitPerMinute: 60,
      dailyQuota: 1e12,
      monthlyQuota: null,
      createdAt: expect.any(String),
    });
    expect(await printed('get', '--customer', 'cus_42')).toEqual(created);
    expect(await printed('get', '--customer', created.customerId.toUpperCase())).toEqual(created);
  });

  test('can be repeated, and refuses a difference with the option that differs', async () => {
    const args = ['--external-id', 'cus_42', '--name', 'Acme'];
    const first = await customer('create', ...args);
    expect(first.stdout).toMatch(/^Customer cus_42 \([-0-9a-f]{36}\) is created\.\n$/);
    const again = await customer('create', ...args);
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing was changed'),
    });
    const other = await customer('create', ...args, '--billing-day', '2', '--json');
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(other.stderr).error).toMatchObject({
      code: 'conflict',
      field: '--billing-day',
    });
    expect(await all()).toHaveLength(1);
  });

  test.each([
    ['--plan', ['--plan', 'Gold'], 'There is no customer plan "Gold"; they are Pro.'],
    ['--status', ['--status', 'active'], '--status needs a plan.'],
    ['--billing-day', ['--billing-day', '29'], 'a day of the month from 1 to 28'],
    ['--metadata', ['--metadata', '{'], 'It must be JSON'],
    ['--metadata', ['--metadata', '[]'], 'must be an object'],
    ['--external-id', ['--external-id', 'x'.repeat(256)], 'must be at most 255 bytes'],
    ['--rate', ['--rate', '2147483648'], 'a whole number from 0 to 2147483647'],
  ])('is refused with %s, which has to change: %j', async (field, args, message) => {
    const ran = await customer('create', '--external-id', 'a', ...args, '--json');
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      field,
      message: expect.stringContaining(message),
    });
    expect(await all()).toEqual([]);
  });
});

describe('ceiba customer update', () => {
  test('changes the given fields and keeps the others; none clears', async () => {
    await customer(
      'create',
      '--external-id',
      'a',
      '--plan',
      'Pro',
      '--quota',
      '5',
      '--name',
      'Acme',
    );
    const changed = await printed(
      'update',
      '--customer',
      'a',
      '--external-id',
      'b',
      '--quota',
      'none',
    );
    expect(changed).toMatchObject({ externalId: 'b', name: 'Acme', monthlyQuota: null, plan: {} });
    const cleared = await printed('update', '--customer', 'b', '--plan', 'none', '--name', '');
    expect(cleared).toMatchObject({ name: '', plan: null, subscriptionStatus: null });
    expect((await customer('update', '--customer', 'b')).stderr).toContain('Nothing to change');
  });

  test('refuses the external id of another customer, and a customer that is not there', async () => {
    await customer('create', '--external-id', 'a');
    await customer('create', '--external-id', 'b');
    const taken = await customer('update', '--customer', 'a', '--external-id', 'b');
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining('external id b') });
    const missing = await customer('update', '--customer', 'c', '--name', 'x');
    expect(missing.stderr).toBe(`error: Project ${projectId} has no customer c.\n`);
  });
});

describe('a customer of another project', () => {
  test('is found by none of its names', async () => {
    const { projectId: other } = await makeProject(desk.ctx);
    const theirs = await createCustomer(desk.ctx, { projectId: other, externalId: 'theirs' });
    const { customerId } = expectKind(theirs, 'created').customer;
    const before = await everything(desk.db);
    for (const id of ['theirs', customerId]) {
      for (const args of [['get'], ['update', '--name', 'x'], ['suspend'], ['resume'], ['usage']]) {
        const [name, ...more] = args;
        const { code, stdout } = await customer(name!, '--customer', id, ...more);
        expect({ name, code, stdout }).toEqual({ name, code: 2, stdout: '' });
      }
    }
    expect(await createKey('--customer', customerId)).toMatchObject({ code: 2, stdout: '' });
    expect(await everything(desk.db)).toBe(before);
  });
});

describe('ceiba customer list', () => {
  test('has every customer, newest first, and is narrowed by state and by text', async () => {
    expect((await customer('list')).stdout).toBe('The project has no customer yet.\n');
    for (const id of ['a', 'b', 'c'])
      await customer('create', '--external-id', id, '--name', `N-${id}`);
    await customer('suspend', '--customer', 'b');
    const ids = async (...args: string[]) =>
      (await printed('list', ...args)).customers.map(
        ({ externalId }: { externalId: string }) => externalId,
      );
    expect(await ids()).toEqual(['c', 'b', 'a']);
    expect(await ids('--status', 'suspended')).toEqual(['b']);
    expect(await ids('--search', 'n-C')).toEqual(['c']);
    const { stdout } = await customer('list');
    expect(stdout).toMatch(/^id +state +plan +external id +name\n/);
    expect(stdout).toMatch(/ suspended +none +b +N-b\n/);
    expect((await customer('list', '--search', 'zzz')).stdout).toContain('no such customer');
  });
});

describe('ceiba customer suspend and resume', () => {
  test('say what they did, and that a repetition changes nothing', async () => {
    await customer('create', '--external-id', 'a');
    const run = async (name: string) => (await customer(name, '--customer', 'a')).stdout;
    expect(await run('resume')).toContain('is not suspended. Nothing was changed.');
    expect(await run('suspend')).toContain(
      'is suspended: the next call of each of its keys is denied',
    );
    expect(await run('suspend')).toContain('is suspended already. Nothing was changed.');
    expect((await customer('get', '--customer', 'a')).stdout).toMatch(
      /state +suspended since \d{4}-/,
    );
    expect(await run('resume')).toContain('is resumed.');
  });
});

describe('ceiba customer usage', () => {
  test('counts the calls of its keys by day, and its month and day against its quotas', async () => {
    await customer('create', '--external-id', 'a', '--plan', 'Pro', '--daily-quota', '50');
    const [{ customerId } = { customerId: '' }] = await all();
    const { apiKeyId } = JSON.parse((await createKey('--customer', 'a')).stdout);
    const now = new Date();
    const [day, month] = [
      Math.floor(now.getTime() / 86_400_000),
      now.getUTCFullYear() * 12 + now.getUTCMonth(),
    ];
    const counted = { projectId, apiKeyId, policyId: null, incarnation: 'i' };
    const hour = Math.floor(now.getTime() / 3_600_000);
    await recordUsage(desk.db, {
      hours: [{ ...counted, hour, outcome: 'allowed', count: 3 }],
      months: [{ projectId, month, scope: customerId, incarnation: 'i', count: 13 }],
      days: [
        { projectId, day, scope: nameWithPeriod(customerId, DAY), incarnation: 'i', count: 13 },
      ],
      costs: [{ projectId, hour, apiKeyId, kind: 'surplus', incarnation: 'i', count: 10 }],
      lastUsed: [],
    });
    const { stdout } = await customer('usage', '--customer', 'a');
    expect(stdout).toMatch(/^Used of the month from \d{4}-\d\d-01 to \d{4}-\d\d-01: 13 of 1000$/m);
    expect(stdout).toMatch(/^Used today: 13 of 50$/m);
    expect(stdout).toMatch(/^ {2}\d{4}-\d\d-\d\d {11}3 {11}0 {10}13$/m);
    const json = await printed('usage', '--customer', 'a', '--step', 'month');
    expect(json).toMatchObject({ step: 'month', period: { cost: 13, dailyCost: 13 } });
  });
});

describe('a key of a customer', () => {
  test('is created with its customer and its labels, and its calls are listed by customer', async () => {
    await customer('create', '--external-id', 'a');
    const [{ customerId } = { customerId: '' }] = await all();
    const scopes = ['--scope', 'write', '--scope', 'read'];
    const { stdout } = await createKey('--customer', 'a', ...scopes, '--daily-quota', '7');
    const { apiKeyId, ...created } = JSON.parse(stdout);
    expect(created).toMatchObject({
      customer: { customerId, externalId: 'a' },
      scopes: ['read', 'write'],
      dailyQuota: 7,
    });
    expect(await getApiKeyRow(desk.db, { projectId, apiKeyId })).toMatchObject({ dailyQuota: 7 });
    const limits = ['--key', apiKeyId, '--daily-quota', 'none', '--json'];
    const set = await desk.ceiba(['key', 'set-limits', '--project', projectId, ...limits]);
    expect(JSON.parse(set.stdout)).toMatchObject({ dailyQuota: null });
    const list = await desk.ceiba(['key', 'list', '--project', projectId]);
    expect(list.stdout).toMatch(/ never +never +a +k\n$/);
    const decisions = [customerId, null].map((customerId) =>
      decisionAt(projectId, new Date(), { customerId }),
    );
    await writeDecisions(desk.db, { decisions, gaps: [] });
    for (const id of ['a', customerId]) {
      const ran = await desk.ceiba([
        'requests',
        '--project',
        projectId,
        '--customer',
        id,
        '--json',
      ]);
      expect(
        ran.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toMatchObject([{ customerId }]);
    }
    const unknown = await desk.ceiba(['requests', '--project', projectId, '--customer', 'b']);
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no customer b'),
    });
  });

  test('is refused where its customer has as many active keys as its plan allows', async () => {
    await createCustomerPlan(desk.ctx, { projectId, name: 'One', activeKeyCap: 1 });
    await customer('create', '--external-id', 'a', '--plan', 'One');
    expect(await createKey('--customer', 'a')).toMatchObject({ code: 0 });
    const refused = await createKey('--customer', 'a');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: 'plan_limit_reached',
      message: expect.stringContaining('The plan of the customer allows 1 active key'),
    });
  });

  test.each([
    [['--scope', 'Read'], 'must hold labels'],
    [Array.from({ length: 65 }, (_, n) => ['--scope', `l${n}`]).flat(), 'at most 64 labels'],
  ])('is refused with labels that break their rule', async (args, message) => {
    const ran = await createKey(...args);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });
});

describe('ceiba customer import', () => {
  const CSV = `externalId,name,metadata,plan,currentPeriodEnd,billingDay,dailyQuota
a,"Acme, Inc.","{""tier"":1}",Pro,2099-01-31T12:00:00Z,15,1000000000000
b,"Two
lines",,,,,
`;
  const imported = (csv: string, ...args: string[]) =>
    desk.ceiba(['customer', 'import', '-', '--project', projectId, ...args], { stdin: csv });

  test('creates a customer of each row, with the fields whose cells are not empty', async () => {
    const { code, stdout } = await imported(CSV.replace('"Two\nlines"', 'Two'));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'created    2\nunchanged  0\nrefused    0\n',
    });
    expect(await all()).toMatchObject([
      { externalId: 'b', name: 'Two', plan: null, billingDay: 1, dailyQuota: null },
      {
        externalId: 'a',
        name: 'Acme, Inc.',
        metadata: { tier: 1 },
        plan: { name: 'Pro' },
        subscriptionStatus: 'active',
        currentPeriodEnd: new Date('2099-01-31T12:00:00Z'),
        billingDay: 15,
        dailyQuota: 1e12,
      },
    ]);
  });

  test('refuses rows with their lines and fields, keeps the others and exits with 1', async () => {
    const csv = `\ufeffexternalId,plan,billingDay,rateLimitPerMinute,metadata,subscriptionStatus\r
ok,Pro,,,,\r
,,,,,\r
day,,29,,,\r
gold,Gold,,,,\r
rate,,,-1,,\r
text,,,many,,\r
json,,,,{,\r
state,,,,,paid\r
alone,,,,,active\r
cells,Pro\r
ok,Pro,2,,,\r
ok,Pro,1,,,\r
`;
    const { code, stdout, stderr } = await imported(csv);
    expect(code).toBe(1);
    expect(stdout).toBe('created    1\nunchanged  1\nrefused    10\n');
    expect(stderr).toBe(`refused  line 3: externalId must not be empty
refused  line 4 (day): billingDay must be a day of the month from 1 to 28
refused  line 5 (gold): plan is not the name of a customer plan of the project
refused  line 6 (rate): rateLimitPerMinute must be a whole number, 0 or more
refused  line 7 (text): rateLimitPerMinute must be a whole number, 0 or more
refused  line 8 (json): metadata must be JSON
refused  line 9 (state): subscriptionStatus must be one of active, trialing, past_due, canceled
refused  line 10 (alone): subscriptionStatus needs a plan
refused  line 11 (cells): the row has 2 cells, and the file 6 columns
refused  line 12 (ok): billingDay differs from that of the customer that is there
error: 10 of 12 rows were refused; the others are as the file says.
`);
    expect(await all()).toMatchObject([{ externalId: 'ok' }]);
  });

  test.each(['\n', '\r\n', '\r'])(
    'names lines after a cell of several, ended by %j',
    async (end) => {
      const { stderr } = await imported(['externalId,metadata', 'a,"{', '}"', 'b,{', ''].join(end));
      expect(stderr).toContain('refused  line 4 (b): metadata must be JSON\n');
    },
  );

  test('finds the same result with --dry-run, and changes nothing', async () => {
    await customer('create', '--external-id', 'there', '--name', 'Here');
    const csv = `externalId,name\nnew,One\nnew,One\nnew,Two\nthere,Here\nthere,There\nbad,${'x'.repeat(101)}\n`;
    const before = await everything(desk.db);
    const dry = await imported(csv, '--dry-run', '--json');
    expect(await everything(desk.db)).toBe(before);
    const real = await imported(csv, '--json');
    const { isDryRun, ...found } = JSON.parse(dry.stdout);
    const wouldBe = real.stderr.replace('others are as', 'others would be as');
    expect([isDryRun, dry.code, dry.stderr]).toEqual([true, 1, wouldBe]);
    expect({ isDryRun: false, ...found }).toEqual(JSON.parse(real.stdout));
    expect(found).toMatchObject({
      created: 1,
      unchanged: 2,
      refused: [
        { line: 4, externalId: 'new', field: 'name' },
        { line: 6, externalId: 'there', field: 'name' },
        { line: 7, externalId: 'bad', field: 'name' },
      ],
    });
    expect((await imported(csv, '--dry-run')).stdout).toContain('A dry run: nothing was changed.');
  });

  test('shows its progress at a terminal, and removes it', async () => {
    const command = ['customer', 'import', '-', '--project', projectId];
    const stdin = `externalId\n${Array.from({ length: 150 }, (_, n) => `c${n}`).join('\n')}\n`;
    const { stderr } = await desk.ceiba(command, { stdin, showsProgress: true });
    expect(stderr).toContain(`\r[${'#'.repeat(20)}${'.'.repeat(10)}] 100 of 150 rows\u001b[K`);
    expect(stderr.endsWith('\r\u001b[K')).toBe(true);
  });

  test('can be repeated', async () => {
    const rows = Array.from({ length: 250 }, (_, n) => `c${n}`);
    const csv = `externalId\n${rows.join('\n')}\n`;
    const { code, stdout, stderr } = await imported(csv);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'created    250\nunchanged  0\nrefused    0\n',
      stderr: '',
    });
    expect((await imported(csv)).stdout).toBe('created    0\nunchanged  250\nrefused    0\n');
  });

  test.each([
    ['is empty', '', /has no column externalId in its first line/],
    ['has no column of ids', 'name\nx\n', /has no column externalId/],
    [
      'has an unknown column',
      'externalId,color\na,red\n',
      /unknown column: its column 2\.[\s\S]*which are externalId, name/,
    ],
    [
      'has a column twice',
      'externalId,name,name\na,b,c\n',
      /its columns 2 and 3 have the same name/,
    ],
    ['is not CSV', 'externalId,name\na,"b\n', /not CSV: a quotation mark in line 2/],
  ])('refuses a file that %s, and changes nothing', async (_, csv, message) => {
    const before = await everything(desk.db);
    const { code, stdout, stderr } = await imported(csv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(await everything(desk.db)).toBe(before);
  });

  test('reads a file by its path, and refuses a project that does not exist', async () => {
    const path = join(tmpdir(), `customers-${process.pid}.csv`);
    writeFileSync(path, CSV.replace('"Two\nlines"', ''));
    expect((await customer('import', path)).stdout).toContain('created    2\n');
    expect((await customer('import', 'nowhere.csv')).stderr).toContain('there is no such file');
    const unknown = randomUUID();
    const ran = await desk.ceiba(['customer', 'import', path, '--project', unknown]);
    expect(ran).toMatchObject({ code: 2, stderr: `error: There is no project ${unknown}.\n` });
  });
});
