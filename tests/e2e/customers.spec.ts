import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { choosePlan, gotoReady, hold, pressShortcut, unfoldKeyFields } from './support.ts';

let project: OwnProject;
const READ = { method: 'GET', path: '/v1/reports' };
const WRITE = { method: 'POST', path: '/v1/reports' };

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Customers');
});
test.afterAll(() => project?.close());
test.beforeEach(async () => {
  await project.empty();
  await project.usePlan('Starter');
  await project.sql`insert into policies (project_id, method, path_pattern, scopes, cost) values
    (${project.projectId}, 'GET', '/v1/reports*', '{read}', 1),
    (${project.projectId}, 'POST', '/v1/reports*', '{write}', 5),
    (${project.projectId}, 'GET', '/v1/health', null, 0)`;
});

test('the chart of a customer shows calls that a limit refused apart from those that were denied', async () => {
  const customerId = await addCustomer('acme-1', 'Acme');
  const apiKeyId = await project.addKey('Server', { customer_id: customerId });
  for (const [outcome, count] of [
    ['allowed', 5],
    ['rate_limited', 3],
    ['quota_exceeded', 4],
    ['policy_no_match', 2],
  ] as const) {
    await project.sql`insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome,
        incarnation, count)
      values (${project.projectId}, date_trunc('hour', now()), ${apiKeyId},
        '00000000-0000-0000-0000-000000000000', ${outcome}, 'e2e', ${count})`;
  }
  const page = await project.open(`customers/${customerId}`);
  const usage = page.getByRole('region', { name: 'Usage', exact: true });
  await expect(usage.locator('figcaption')).toHaveText(/Allowed5.*Limited7.*Denied2/);
});

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** A customer, and a plan of the project where it has one. */
async function addCustomer(externalId: string, name = '', monthlyQuota: number | null = null) {
  const { projectId, sql } = project;
  const [plan] =
    monthlyQuota === null
      ? []
      : await sql`insert into customer_plans (project_id, name, monthly_quota)
          values (${projectId}, ${`Plan of ${externalId}`}, ${monthlyQuota}) returning id`;
  const [customer] = await sql`
    insert into customers (project_id, external_id, name, plan_id, subscription_status)
    values (${projectId}, ${externalId}, ${name}, ${plan?.id ?? null},
      ${plan === undefined ? null : 'active'}) returning id`;
  return customer?.id as string;
}

/** Creates a key on its page, as a user does, and returns it. */
async function createKeyOn(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('status').filter({ hasText: 'ceiba_' });
  const apiKey = (await shown.innerText()).trim();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await page.waitForURL(/\/keys$/);
  return apiKey;
}

test('a user finds all keys and the usage of one customer', async () => {
  const customerId = await addCustomer('acme-1', 'Acme', 1_000);
  await addCustomer('other-2', 'Other');
  // Newer ones whose IDs begin alike, more than the palette lists.
  for (let last = 0; last < 5; last += 1) await addCustomer(`acme-1${last}`, `Like ${last}`);
  const page = await project.open(`keys/new?customer=${customerId}`);
  await expect(page.getByRole('combobox', { name: 'Customer' })).toHaveValue('Acme (acme-1)');
  const first = await createKeyOn(page, 'Server');
  await project.addKey('Mobile', { customer_id: customerId });
  await project.addKey('Of nobody');
  for (let call = 0; call < 3; call += 1) {
    expect(await project.authorize({ apiKey: first, ...READ })).toMatchObject({
      allowed: true,
      access: { customer: { customerId, externalId: 'acme-1' } },
    });
  }
  expect(await project.authorize({ apiKey: first, ...WRITE })).toMatchObject({ allowed: true });

  await test.step('by its external ID in the palette', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('acme-1');
    await page.getByRole('option', { name: /^Acme/ }).click();
    await page.waitForURL(`**${project.at(`customers/${customerId}`)}`);
  });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Acme');
  const keys = page.getByRole('region', { name: 'Keys of the customer' });
  await expect(keys.getByRole('row')).toHaveCount(3);
  await expect(keys).toContainText('Server');
  await expect(keys).toContainText('Mobile');

  // Three calls of cost 1 and one of cost 5; counts are written within a second or two.
  const period = page.getByRole('region', { name: 'This period' });
  await expect(async () => {
    await page.reload();
    await expect(period).toContainText(/8\s*of 1,000 used/, { timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole('region', { name: 'Usage', exact: true })).toContainText(
    /Allowed\s*4/,
  );

  // What the key's calls cost, which a phone shows below its name.
  const { width = 1280, height = 720 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(keys.getByText('8 this month')).toBeVisible();
  await page.setViewportSize({ width, height });
  await page.getByRole('link', { name: 'All 2 keys' }).click();
  await expect(page.getByText('Keys of the customer Acme')).toBeVisible();
  await expect(row(page, 'Of nobody')).toHaveCount(0);
  await expect(row(page, 'Mobile')).toContainText('Acme');
  await page.getByRole('link', { name: 'Server' }).click();
  await expect(page.getByRole('region', { name: 'Key' })).toContainText(
    /Used this month\s*8(?!\d)/,
  );
  await page.goBack();
  await page.getByRole('link', { name: 'Keys of all customers' }).click();
  await expect(row(page, 'Of nobody')).toBeVisible();

  await gotoReady(page, project.at('customers?q=ACME'));
  await expect(page.getByRole('row', { name: /^Acme / })).toContainText('8 of 1,000');
  await expect(row(page, 'Other')).toHaveCount(0);
  await gotoReady(page, project.at('usage?range=24h&by=customer'));
  const byCustomer = page.getByRole('list', { name: 'Allowed calls by customer' });
  await expect(byCustomer).toContainText('Acme');
  await gotoReady(page, project.at('requests'));
  await page.getByText('More filters').click();
  await page.getByLabel('Customer ID').fill(customerId);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Requests with the keys of the customer Acme')).toBeVisible();

  await project.sql`insert into customers (project_id, external_id, name)
    select ${project.projectId}, 'many-' || n, '' from generate_series(1, 21) n`;
  await gotoReady(page, '/find?q=many-');
  const found = page.getByRole('region', { name: 'Customers' });
  await expect(found).toContainText('The first 20 customers.');
  await expect(found.getByRole('listitem')).toHaveCount(20);
  await found.getByRole('link', { name: 'Open the filtered list' }).click();
  await page.waitForURL(`**${project.at('customers?q=many-')}`);
});

test('a user gives a customer a larger plan, which applies to the next call', async () => {
  const customerId = await addCustomer('acme-1', 'Acme', 1);
  const page = await project.open('plans');
  await pressShortcut(page, 'n');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Growth');
  await dialog.getByLabel('Requests per month').fill('10,000');
  await dialog.getByLabel('Requests per day').fill('500');
  await dialog.getByLabel('Scopes').selectOption('Only policies with these labels');
  await dialog.getByRole('button', { name: 'read', exact: true }).click();
  await expect(dialog.getByText('May call 1 of 3 policies.')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add plan' }).click();
  await expect(row(page, 'Growth')).toContainText('10,000');
  // The project's own plan is above those of its customers.
  await expect(page.getByText('All customers together have what')).toContainText('per month');
  // A plan with a customer cannot be deleted.
  await expect(page.getByRole('button', { name: 'Delete Plan of acme-1' })).toBeDisabled();
  // What changes elsewhere while the dialog is open stays.
  await page.getByRole('button', { name: 'Change Plan of acme-1' }).click();
  await project.sql`update customer_plans set daily_quota = 900
    where project_id = ${project.projectId} and name = 'Plan of acme-1'`;
  await dialog.getByLabel('Name').fill('Small');
  await dialog.getByRole('button', { name: 'Save plan' }).click();
  await expect(row(page, 'Small')).toContainText('900');

  await gotoReady(page, project.at(`keys/new?customer=${customerId}`));
  const apiKey = await createKeyOn(page, 'Server');
  expect(await project.authorize({ apiKey, ...READ })).toMatchObject({ allowed: true });
  expect(await project.authorize({ apiKey, ...READ })).toMatchObject({
    allowed: false,
    denialReason: 'quota_exceeded',
    exceededLimit: { owner: 'customer_plan', window: 'month', value: 1 },
  });
  await gotoReady(page, project.at(`customers/${customerId}`));
  await page.getByRole('button', { name: 'Change plan' }).click();
  await choosePlan(dialog, 'Growth');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save plan' }).click();
  await expect(page.getByText('Plan saved')).toBeVisible();
  expect(await project.authorize({ apiKey, ...READ })).toMatchObject({
    allowed: true,
    access: { customer: { plan: { name: 'Growth' } } },
  });
  expect(await project.authorize({ apiKey, ...WRITE })).toMatchObject({
    allowed: false,
    denialReason: 'policy_no_match',
  });
  await expect(page.getByText('changed this customer')).toBeVisible();
  await page.getByRole('link', { name: 'Growth' }).click();
  await page.waitForURL(`**${project.at('plans')}`);
});

test('a user suspends a customer that did not pay, and the next call is denied with the reason', async () => {
  const customerId = await addCustomer('acme-1', 'Acme');
  const page = await project.open(`keys/new?customer=${customerId}`);
  const apiKey = await createKeyOn(page, 'Server');
  await gotoReady(page, project.at(`customers/${customerId}`));
  await page.getByRole('button', { name: 'Suspend customer' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('calls with every key of this customer are denied');
  await question.getByRole('button', { name: 'Suspend customer' }).click();
  await expect(page.getByText('All calls with its keys are denied')).toBeVisible();
  expect(await project.authorize({ apiKey, ...READ })).toMatchObject({
    allowed: false,
    denialReason: 'inactive_subscription',
  });
  await gotoReady(page, project.at('keys'));
  await expect(row(page, 'Server')).toContainText('Customer suspended');
  await gotoReady(page, '/find?q=Server');
  await expect(page.getByRole('main')).toContainText('customer suspended');
  await gotoReady(page, project.at(`customers/${customerId}`));

  const denials = page.getByRole('list', { name: 'Most denied calls' });
  await expect(async () => {
    await page.reload();
    await expect(denials).toContainText('/v1/reports', { timeout: 1_000 });
  }).toPass();
  await denials.getByRole('link', { name: /^Why/ }).click();
  await page
    .getByRole('row')
    .getByRole('link', { name: /\/v1\/reports/ })
    .click();
  const recorded = page.getByRole('region', { name: 'As it was decided' });
  await expect(
    recorded.getByRole('listitem').filter({ hasText: 'Customer: may call' }),
  ).toContainText('the customer was suspended');
  // The key is not the cause.
  const before = page.getByRole('region', { name: 'What changed before' });
  await expect(before).toContainText('suspended customer');
  await expect(before).not.toContainText('Replace key');
  await before.getByRole('link', { name: 'Go to the key' }).click();
  await expect(page.getByRole('region', { name: 'Key' })).toContainText(/Acme\s*Suspended/);
  await page.goBack();
  const now = page.getByRole('region', { name: 'As it would be decided now' });
  await now.getByRole('link', { name: 'Go to the customer' }).click();
  await page.getByRole('button', { name: 'Resume customer' }).click();
  await question.getByRole('button', { name: 'Resume customer' }).click();
  await expect(page.getByText('Customer resumed')).toBeVisible();
  expect(await project.authorize({ apiKey, ...READ })).toMatchObject({ allowed: true });
});

test('the list says when a customer was last used, and a row suspends it', async () => {
  const customerId = await addCustomer('acme-1', 'Acme');
  await addCustomer('idle-2', 'Idle');
  await project.addKey('Server', {
    customer_id: customerId,
    last_used_at: new Date(Date.now() - 3.5 * 3_600_000),
  });
  const page = await project.open('customers');
  const cell = (name: string, text: RegExp) => row(page, name).locator('td', { hasText: text });
  await expect(cell('Acme', /^3 hours ago/)).toBeVisible();
  await expect(cell('Idle', /^never$/)).toBeVisible();
  await page.getByRole('button', { name: 'Actions for Acme' }).click();
  await page.getByRole('button', { name: 'Suspend customer' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Suspend customer' }).click();
  await expect(page.getByText('Customer suspended')).toBeVisible();
  await expect(row(page, 'Acme')).toContainText('Suspended');
  await expect(row(page, 'Idle')).not.toContainText('Suspended');
  await page.getByRole('button', { name: 'Actions for Idle' }).click();
  await page.getByRole('button', { name: 'Set limits' }).click();
  await expect(page.getByRole('dialog', { name: 'Limits of Idle' })).toBeVisible();
});

test('the overview says of whose plan that lapsed the calls are denied, and why', async () => {
  const { projectId, sql } = project;
  const customerId = await addCustomer('acme-1', 'Acme', 1_000);
  const apiKeyId = await project.addKey('Server', { customer_id: customerId });
  await sql`update projects set first_allowed_at = now() - interval '2 days'
    where id = ${projectId}`;
  await sql`insert into usage_hours
    (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
    values (${projectId}, date_trunc('hour', now()), ${apiKeyId},
      '00000000-0000-0000-0000-000000000000', 'inactive_subscription', 'e2e', 1)`;
  const page = await project.open('');
  const wrong = page.getByRole('list', { name: 'What is wrong' });
  for (const [status, end, words] of [
    ['past_due', null, 'Acme is past due'],
    ['canceled', null, 'Acme is canceled'],
    ['active', new Date(2020, 0), 'Acme is past the end of its period'],
  ] as const) {
    await sql`update customers set subscription_status = ${status}, current_period_end = ${end}
      where id = ${customerId}`;
    await gotoReady(page, project.at(''));
    await expect(wrong).toContainText('1 customer still calls with a lapsed plan');
    await expect(wrong).toContainText(
      `inactive_subscription: ${words}. Calls were denied in the last hour.`,
    );
  }
  await wrong.getByRole('link', { name: 'Renew its plan' }).click();
  await page.waitForURL(`**${project.at(`customers/${customerId}#plan`)}`);
  await expect(page.getByRole('dialog', { name: 'Plan of Acme' })).toBeVisible();
});

test('a key goes to the customer that was chosen, also if that is renamed meanwhile', async () => {
  const customerId = await addCustomer('chosen-1', 'Chosen');
  const rename = (externalId: string) =>
    project.sql`update customers set external_id = ${externalId} where id = ${customerId}`;
  const expectCustomer = async (apiKey: string, externalId: string) =>
    expect(await project.authorize({ apiKey, ...READ })).toMatchObject({
      access: { customer: { customerId, externalId } },
    });

  const page = await project.open(`keys/new?customer=${customerId.toUpperCase()}`);
  await expect(page.getByRole('combobox', { name: 'Customer' })).toHaveValue('Chosen (chosen-1)');
  await rename('chosen-2');
  const apiKey = await createKeyOn(page, 'Of the chosen');
  await expectCustomer(apiKey, 'chosen-2');

  await gotoReady(page, project.at('keys'));
  await page.getByRole('link', { name: 'Of the chosen' }).click();
  await page.getByRole('button', { name: 'Move key' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('combobox', { name: 'Customer' })).toHaveValue('chosen-2');
  await rename('chosen-3');
  await dialog.getByRole('button', { name: 'Move key' }).click();
  await expect(page.getByText('Nothing changed').or(page.getByText('Key moved'))).toBeVisible();
  await expectCustomer(apiKey, 'chosen-3');

  await page.goto(project.at(`customers/${customerId.toUpperCase()}`));
  await expect(page.getByRole('heading', { level: 1, name: 'Chosen' })).toBeVisible();
});

test('a user makes a read-only key for a new customer, and can open it later', async () => {
  await addCustomer('acme-1', 'Acme');
  const page = await project.open('keys/new');
  const customer = page.getByRole('combobox', { name: 'Customer' });
  // Left without a choice, a name is an external ID: the field shows that, before the answer and after it.
  const answer = await hold(page, '**/keys/new', 'POST');
  await customer.fill('Acme');
  await customer.press('Tab');
  await expect(customer).toHaveValue('External ID “Acme”');
  answer.release();
  await customer.fill('Acme');
  await expect(page.getByRole('option', { name: 'Acme (acme-1)' })).toBeVisible();
  await customer.press('Tab');
  await expect(customer).toHaveValue('New customer “Acme”');
  await customer.fill('new-9');
  await page.getByRole('option', { name: 'New customer “new-9”' }).click();
  await unfoldKeyFields(page);
  await page.getByLabel('Scopes').selectOption('Only policies with these labels');
  await expect(page.getByText('May call 0 of 3 policies, as far as')).toBeVisible();
  await page.getByRole('button', { name: 'read', exact: true }).click();
  await expect(page.getByText('May call 1 of 3 policies, as far as')).toBeVisible();
  await expectAccessible(page);
  const apiKey = await createKeyOn(page, 'Reader');
  expect(await project.authorize({ apiKey, ...READ })).toMatchObject({
    allowed: true,
    access: { customer: { externalId: 'new-9' }, apiKey: { scopes: ['read'] } },
  });
  const denied = { allowed: false, denialReason: 'policy_no_match' };
  expect(await project.authorize({ apiKey, ...WRITE })).toMatchObject(denied);
  expect(await project.authorize({ apiKey, method: 'GET', path: '/v1/health' })).toMatchObject(
    denied,
  );

  await page.getByRole('link', { name: 'Reader' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Reader');
  await expect(page.getByText('May call 1 of 3 policies')).toBeVisible();
  const id = new URL(page.url()).pathname.split('/').at(-1);
  await gotoReady(page, project.at(`simulator?apiKeyId=${id}&method=POST&path=/v1/reports`));
  const scope = page.getByRole('listitem').filter({ hasText: 'Scope: the policy is open' });
  await expect(scope).toContainText('the key has read');
  await expect(scope).toContainText('The policy is open to write.');
  await scope.getByRole('link', { name: 'Change the scopes of the key' }).click();
  await page.getByRole('button', { name: 'Set scopes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Labels').fill('read write');
  await dialog.getByRole('button', { name: 'Set scopes' }).click();
  await expect(page.getByText('Scopes saved')).toBeVisible();
  expect(await project.authorize({ apiKey, ...WRITE })).toMatchObject({ allowed: true });

  // A router that ignores case takes the path for that of a policy which is closed to the key.
  await project.sql`insert into policies (project_id, method, path_pattern, scopes)
    values (${project.projectId}, 'GET', '/v1/reports/internal', ${['internal']})`;
  const internal = '/v1/reports/INTERNAL';
  await gotoReady(page, project.at(`simulator?apiKeyId=${id}&method=GET&path=${internal}`));
  await expect(scope).toContainText(
    'Servers may take the call for one of GET /v1/reports/internal, which is open to internal.',
  );
  expect(await project.authorize({ apiKey, method: 'GET', path: internal })).toMatchObject(denied);
  await project.sql`delete from policies
    where project_id = ${project.projectId} and path_pattern = '/v1/reports/internal'`;

  await gotoReady(page, project.at(`simulator?apiKeyId=${id}&method=GET&path=/v1/health`));
  await scope.getByRole('link', { name: 'Give the policy labels' }).click();
  await expect(page.getByLabel('Path pattern')).toHaveValue('/v1/health');

  await gotoReady(page, project.at(`keys/${id}`));
  await page.getByRole('button', { name: 'Move key' }).click();
  await dialog.getByRole('combobox', { name: 'Customer' }).fill('');
  await dialog.getByRole('button', { name: 'Move key' }).click();
  await expect(page.getByText('Key moved')).toBeVisible();
  const allowed = await project.authorize({ apiKey, ...READ });
  expect(allowed).toMatchObject({ allowed: true });
  expect(allowed.access).not.toHaveProperty('customer');
});

test('a new key is shown with a call that it may make, or with why all its calls are denied', async () => {
  const customerId = await addCustomer('acme-1', 'Acme', 1_000);
  await project.sql`update customer_plans set scopes = '{read}'
    where project_id = ${project.projectId}`;
  const page = await project.open('keys');
  const create = async (labels: string, customer = '') => {
    await gotoReady(page, project.at(`keys/new?customer=${customer}`));
    await page.getByLabel('Name').fill('New');
    await unfoldKeyFields(page);
    await page.getByLabel('Scopes').selectOption('Only policies with these labels');
    await page.getByLabel('Labels').fill(labels);
    await page.getByRole('button', { name: 'Create key' }).click();
  };
  await create('write');
  await page.getByRole('radio', { name: 'curl' }).check();
  await expect(page.locator('pre:visible')).toContainText('POST');
  await create('write', customerId);
  await expect(page.getByText('denied for now: no policy is open to it.')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'curl' })).toHaveCount(0);
  await create('read', customerId);
  await expect(page.getByText('It works immediately.')).toBeVisible();
  for (const [state, words] of [
    ['canceled', 'the plan of its customer is canceled'],
    ['suspended', 'its customer is suspended'],
  ] as const) {
    await project.sql`update customers set subscription_status = 'canceled',
      suspended_at = ${state === 'suspended' ? new Date() : null} where id = ${customerId}`;
    await create('read', customerId);
    await expect(page.getByText(`denied for now: ${words}.`)).toBeVisible();
  }
});

const AS_FAR = 'May call 3 of 3 policies, as far as the plan of its customer opens them.';

test('scopes count what the plan of the customer opens too, and are explained without any label', async () => {
  const customerId = await addCustomer('acme-1', 'Acme', 1_000);
  await project.sql`update customer_plans set scopes = '{read}'
    where project_id = ${project.projectId}`;
  const apiKeyId = await project.addKey('Server', { customer_id: customerId });
  const page = await project.open(`keys/${apiKeyId}`);
  await page.getByRole('button', { name: 'Set scopes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Scopes').selectOption('Only policies with these labels');
  await dialog.getByLabel('Labels').fill('read write');
  await expect(dialog.getByText('May call 1 of 3 policies, with the plan of its')).toBeVisible();

  await gotoReady(page, project.at('keys'));
  await page.getByRole('button', { name: 'Actions for Server' }).click();
  await page.getByRole('button', { name: 'Set scopes' }).click();
  await expect(dialog.getByText(AS_FAR)).toBeVisible();
  await gotoReady(page, project.at('keys/new'));
  await unfoldKeyFields(page);
  await expect(page.getByText('May call 3 of 3 policies.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Customer' }).fill('acme-1');
  await page.getByRole('option', { name: 'Acme' }).click();
  await expect(page.getByText(AS_FAR)).toBeVisible();

  await project.sql`update policies set scopes = null where project_id = ${project.projectId}`;
  await gotoReady(page, project.at('keys/new'));
  await unfoldKeyFields(page);
  await page.getByLabel('Scopes').selectOption('Only policies with these labels');
  await expect(page.getByText('Give the policies labels first')).toBeVisible();
});

test('another billing day warns that it restarts the quota, and so it does', async () => {
  const customerId = await addCustomer('acme-1', 'Acme', 1);
  const page = await project.open(`keys/new?customer=${customerId}`);
  const apiKey = await createKeyOn(page, 'Server');
  expect(await project.authorize({ apiKey, ...READ })).toMatchObject({ allowed: true });
  expect(await project.authorize({ apiKey, ...READ })).toMatchObject({ allowed: false });
  await gotoReady(page, project.at(`customers/${customerId}`));
  await page.getByRole('button', { name: 'Set billing day' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Another day restarts the quota');
  await dialog.getByLabel('Billing day').fill('29');
  await dialog.getByRole('button', { name: 'Set billing day' }).click();
  await expect(dialog).toContainText('Must be a day of the month from 1 to 28.');
  await dialog.getByLabel('Billing day').fill('15');
  await dialog.getByRole('button', { name: 'Set billing day' }).click();
  await expect(page.getByText('the 15th of each month')).toBeVisible();
  await expect(page.getByText('Their counts are of the calendar month.')).toBeVisible();
  expect(await project.authorize({ apiKey, ...READ })).toMatchObject({ allowed: true });
});

test('a customer is created, its mistakes are shown beside their fields, and its CSV has it', async () => {
  const page = await project.open('customers');
  await expect(page.getByText('No customers yet')).toBeVisible();
  await pressShortcut(page, 'n');
  await page.waitForURL('**/customers/new');
  await page.getByRole('button', { name: 'Create customer' }).click();
  await expect(page.getByText('Fill this in')).toBeVisible();
  await page.getByLabel('External ID').fill('acme-1');
  await page.getByLabel('Name').fill('Acme');
  await page.getByRole('button', { name: 'Create customer' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Acme');
  await page.getByRole('button', { name: 'Edit name and IDs' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Metadata').fill('not JSON');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog).toContainText('Must be a JSON object');
  await dialog.getByLabel('Metadata').fill('{"crm": "42"}');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.locator('#content').getByText('"crm": "42"')).toBeVisible();

  await gotoReady(page, project.at('customers/new'));
  await page.getByLabel('External ID').fill('acme-1');
  await page.getByRole('button', { name: 'Create customer' }).click();
  await expect(
    page.getByText('Another customer of this project has this external ID'),
  ).toBeVisible();
  const csv = await page.request.get(project.at('customers/csv'));
  expect(await csv.text()).toContain('"acme-1","Acme","active"');
});
