import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { consoleLog, createKey, type OwnProject, ownProject } from './own-project.ts';
import { gotoReady, reloadReady } from './support.ts';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Simulator');
});
test.afterAll(() => project?.close());
test.beforeEach(async () => {
  await project.empty();
  await project.usePlan('Free');
  await project.sql`update subscriptions set status = 'active' where project_id = ${project.projectId}`;
});

const verdict = (page: Page) => page.getByRole('region', { name: 'Verdict' });
const gate = (page: Page, name: string) =>
  verdict(page).getByRole('listitem').filter({ hasText: name });

const month = () => new Date().getUTCFullYear() * 12 + new Date().getUTCMonth();
const use = (scope: string, count: number) => project.sql`
  insert into usage_months (project_id, month, scope, incarnation, count)
  values (${project.projectId}, ${month()}, ${scope}, 'test', ${count})`;

const LIVE_GATE = 'The key is not expired or disabled';

test('each gate that denies a call shows the value that it checked, and links to the fix', async () => {
  const keys = {
    live: await project.addKey('Live'),
    revoked: await project.addKey('Revoked one', { status: 'revoked' }),
    archived: await project.addKey('Archived one', { status: 'archived' }),
    expired: await project.addKey('Expired one', { expires_at: new Date('2020-01-31') }),
    disabled: await project.addKey('Disabled one', { disabled_at: new Date() }),
    bounded: await project.addKey('Bounded one', { monthly_quota: 5 }),
  };
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('simulator');
  await expect(
    page.getByText('Test how a call would be decided right now. Nothing is charged.'),
  ).toBeVisible();
  await expect(page.getByText('Every call goes through these gates in this order')).toBeVisible();
  const cases = [
    ['none', 'GET', 'Missing key', 'A key is sent', 'Create a key'],
    [keys.revoked, 'GET', 'Revoked key', 'The key is not revoked', 'Create a key'],
    [keys.archived, 'GET', 'Archived key', 'The key is not archived', 'Create a key'],
    [keys.expired, 'GET', 'Expired or disabled', LIVE_GATE, 'Go to the key'],
    [keys.disabled, 'GET', 'Expired or disabled', LIVE_GATE, 'Go to the key'],
    [
      keys.live,
      'POST',
      'No matching policy',
      'A policy matches',
      'Add a policy for POST /v1/reports/42',
    ],
  ] as const;
  for (const [apiKeyId, method, outcome, stoppedAt, remedy] of cases) {
    const query = new URLSearchParams({ apiKeyId, method, path: '/v1/reports/42' });
    await page.goto(project.at(`simulator?${query}`));
    await expect(verdict(page)).toContainText(outcome);
    await expect(gate(page, stoppedAt)).toContainText('denied');
    await expect(gate(page, stoppedAt).getByRole('link', { name: remedy })).toBeVisible();
    await expect(gate(page, 'The rate limit has room')).toContainText('not reached');
  }
  await expect(gate(page, 'A policy matches')).toContainText('no match among 1 policy');
  await expect(verdict(page)).toContainText(
    'GET /v1/reports* matches the path, but not the method',
  );
  await gate(page, 'A policy matches').getByRole('link').click();
  await expect(page.getByLabel('Path pattern')).toHaveValue('/v1/reports/42');
  await expect(page.getByLabel('Method')).toHaveValue('POST');

  await project.sql`update subscriptions set status = 'past_due' where project_id = ${project.projectId}`;
  await page.goto(project.at(`simulator?apiKeyId=${keys.live}&method=GET&path=/v1/reports`));
  await expect(gate(page, 'The subscription is active')).toContainText('Free, past due');
  await expect(gate(page, 'The subscription is active').getByRole('link')).toHaveAttribute(
    'href',
    project.at('subscription'),
  );

  await project.sql`update subscriptions set status = 'active' where project_id = ${project.projectId}`;
  await use(keys.bounded, 5);
  await page.goto(project.at(`simulator?apiKeyId=${keys.bounded}&method=GET&path=/v1/reports`));
  await expect(verdict(page)).toContainText('Quota exceeded');
  await expect(gate(page, 'The quotas have room')).toContainText('5 of 5 used of this key');
});

test('of several quotas without room for a cost, the first is named, as the Runtime names it', async () => {
  const limits = { monthly_quota: 30, daily_quota: 3 };
  const apiKeyId = await project.addKey('Both', limits);
  await project.addPolicy('GET', '/v1/reports*');
  await project.sql`update policies set cost = 25 where project_id = ${project.projectId}`;
  await use(apiKeyId, 10);
  const page = await project.open(`simulator?apiKeyId=${apiKeyId}&method=GET&path=/v1/reports`);
  await expect(verdict(page)).toContainText('Quota exceeded');
  const quotas = gate(page, 'The quotas have room');
  await expect(quotas).toContainText('10 of 30 used of this key');
  await expect(quotas).toContainText('Calls are allowed again from');

  await project.sql`update policies set cost = 40 where project_id = ${project.projectId}`;
  await page.reload();
  await expect(quotas).toContainText('The call costs 40, more than the whole quota');
});

test('the quota shows its age, and the rate is checked only by a real call', async () => {
  const apiKeyId = await project.addKey('Live');
  await project.addPolicy('GET', '/v1/reports*');
  await use('project', 1234);
  const page = await project.open(`simulator?apiKeyId=${apiKeyId}&method=GET&path=/v1/reports/42`);
  await expect(verdict(page)).toContainText('Allowed');
  await expect(gate(page, 'The key is not revoked')).toContainText(/created \d/);
  await expect(gate(page, 'The key is not archived')).toContainText('never used');
  await expect(gate(page, LIVE_GATE)).toContainText('never expires');
  await expect(gate(page, 'A policy matches')).toContainText('GET /v1/reports*');
  await expect(gate(page, 'The quotas have room')).toContainText('1,234 of 10,000 used');
  await expect(gate(page, 'The rate limit has room')).toContainText('checked live');
  await expect(gate(page, 'The rate limit has room')).toContainText('60 per minute');
  await expect(verdict(page)).toContainText(/Usage is from (just now|.* ago)/);
});

test('a simulated call charges nothing and agrees with the Runtime', async () => {
  const page = await project.open('keys');
  const apiKey = await createKey(page, project, 'Caller');
  await project.addPolicy('GET', '/v1/reports*');
  const before = await project.authorize({ apiKey, method: 'GET', path: '/v1/reports' });
  await gotoReady(page, project.at('simulator'));
  await page.getByLabel('Path', { exact: true }).fill('/v1/reports/42?page=2');
  for (let times = 0; times < 3; times += 1) {
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Simulate call' }).click();
    await answered;
    await expect(verdict(page)).toContainText('Allowed');
  }
  const after = await project.authorize({ apiKey, method: 'GET', path: '/v1/reports' });
  expect(after.limits?.remainingThisMonth).toBe((before.limits?.remainingThisMonth ?? 0) - 1);
});

test('an active key is chosen first, and one that no longer exists is never replaced', async () => {
  await project.addKey('Live', { created_at: new Date('2026-01-01') });
  await project.addKey('Expired one', { expires_at: new Date('2020-01-31') });
  for (let count = 0; count < 11; count += 1) {
    await project.addKey(`Revoked ${count}`, { status: 'revoked' });
  }
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('simulator?method=GET&path=/v1/reports');
  await expect(verdict(page)).toContainText('With Live');
  await expect(verdict(page)).toContainText('Allowed');
  const field = page.getByRole('combobox', { name: 'Key' });
  await field.click();
  const options = page.getByRole('listbox', { name: 'Keys' }).getByRole('option');
  await expect(options.first()).toContainText('Live');
  await field.fill('Expired');
  await expect(options).toHaveText([/…, expired\)$/]);

  const gone = '00000000-0000-4000-8000-000000000000';
  await gotoReady(page, project.at(`simulator?apiKeyId=${gone}&method=GET&path=/v1/reports`));
  await expect(page.getByText('The key of this address no longer exists.')).toBeVisible();
  await expect(field).toHaveValue('');
  await expect(verdict(page)).not.toContainText('Allowed');
  await expectAccessible(page);
  await field.click();
  await options.filter({ hasText: 'Live' }).click();
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(verdict(page)).toContainText('With Live');
});

test('a pasted key is simulated, and reaches no URL, log, storage or page source', async () => {
  const page = await project.open('keys');
  const apiKey = await createKey(page, project, 'Pasted one');
  await project.addPolicy('GET', '/v1/reports*');
  const bodies: string[] = [];
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('response', async (response) => {
    bodies.push(await response.text().catch(() => ''));
  });
  await gotoReady(page, project.at('simulator'));
  await page.getByText('Paste', { exact: true }).click();
  await page.getByLabel('Key to paste').fill(apiKey);
  await page.getByLabel('Path', { exact: true }).fill('/v1/reports/42');
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(verdict(page)).toContainText('With Pasted one');
  await expect(verdict(page)).toContainText('Allowed');
  addresses.push(page.url());
  bodies.push(await page.content(), consoleLog());
  bodies.push(
    await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]),
    ),
  );
  for (const text of [...bodies, ...addresses]) expect(text).not.toContain(apiKey);

  await reloadReady(page);
  await expect(page.getByLabel('Key to paste')).toHaveValue('');
  await expect(page.getByLabel('Path', { exact: true })).toHaveValue('/v1/reports/42');
  await expect(verdict(page)).toContainText('Every call goes through these gates');
  await page.getByText('No key', { exact: true }).click();
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(verdict(page)).toContainText('Missing key');
  await reloadReady(page);
  await expect(page.getByLabel('No key')).toBeChecked();
  await expect(verdict(page)).toContainText('Missing key');

  await page.getByText('Paste', { exact: true }).click();
  await page.getByLabel('Key to paste').fill(`${apiKey.slice(0, -1)}!`);
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(gate(page, 'The key belongs to this project')).toContainText(
    'not a well-formed key',
  );
  await page.getByLabel('Path', { exact: true }).fill('reports');
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(page.getByText('Must begin with a /.')).toBeVisible();
  await expect(page.getByLabel('Path', { exact: true })).toHaveValue('reports');
});

test('a key’s menu opens the simulator with the key, and a simulation can be reloaded', async () => {
  await project.addKey('Other');
  await project.addKey('Chosen one', { created_at: new Date('2026-01-01') });
  const page = await project.open('keys');
  await page.getByRole('button', { name: 'Actions for Chosen one' }).click();
  await page.getByRole('link', { name: 'Simulate a call' }).click();
  await page.getByLabel('Path', { exact: true }).fill('/v1/reports');
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(verdict(page)).toContainText('With Chosen one');
  await expect(verdict(page)).toContainText('No matching policy');
  await expect(page).toHaveURL(/path=%2Fv1%2Freports/);
  await page.reload();
  await expect(verdict(page)).toContainText('With Chosen one');
  await expect(page.getByLabel('Path', { exact: true })).toHaveValue('/v1/reports');
});

test('any of many keys is found by typing, and chosen by keyboard or pointer', async () => {
  await project.addKey('Needle of old', { created_at: new Date('2026-01-01') });
  for (let n = 1; n <= 12; n += 1) await project.addKey(`Straw ${n}`);
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('simulator');
  await page.getByLabel('Path', { exact: true }).fill('/v1/reports');
  const field = page.getByRole('combobox', { name: 'Key', exact: true });
  const options = page.getByRole('listbox', { name: 'Keys' }).getByRole('option');
  await field.click();
  await expect(options).toHaveCount(10);
  await field.fill('needle');
  await expect(options).toHaveText([/^Needle of old/]);
  await field.press('Enter');
  await expect(field).toHaveValue(/^Needle of old/);
  await expect(options).toHaveCount(0);
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(verdict(page)).toContainText('With Needle of old');

  await field.fill('straw 1');
  await expect(options).toHaveCount(4);
  await field.press('ArrowDown');
  await expect(field).toHaveAttribute('aria-activedescendant', /-1$/);
  await options.filter({ hasText: /^Straw 11 / }).click();
  await expect(field).toHaveValue(/^Straw 11 /);
  await field.fill('no such key');
  await expect(page.getByText('No key has this in its name, note or prefix.')).toBeVisible();
  await field.press('Enter');
  await expect(field).toHaveValue('no such key');
  await expectAccessible(page);
  await field.press('Escape');
  await expect(field).toHaveValue(/^Straw 11 /);
});

test('a link to the simulator resets it', async () => {
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('simulator?method=POST&path=/v1/reports');
  const path = page.getByLabel('Path', { exact: true });
  const asAtFirst = async () => {
    await page.getByRole('link', { name: 'Simulator', exact: true }).first().click();
    await expect(page).toHaveURL(/\/simulator$/);
    await expect(page.getByText('Every call goes through these gates in this order')).toBeVisible();
    await expect(path).toHaveValue('');
    await expect(page.getByLabel('Method')).toHaveValue('GET');
  };
  await expect(verdict(page)).toContainText('Missing key');
  await asAtFirst();
  // Also after a simulation that only changed the URL.
  await path.fill('/v1/reports/42');
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(verdict(page)).toContainText('Missing key');
  await expect(page).toHaveURL(/path=/);
  await asAtFirst();

  await gotoReady(page, project.at('policies'));
  await page.getByLabel('Method to try').selectOption('Other method');
  await page.getByLabel('Other method').pressSequentially('GETALL');
  await expect(page).toHaveURL(/method=GETALL/);
  await page.getByRole('link', { name: 'Policies', exact: true }).first().click();
  await expect(page).toHaveURL(/\/policies$/);
  await expect(page.getByLabel('Method to try')).toHaveValue('GET');
  await expect(page.getByLabel('Other method')).toHaveCount(0);
});
