import { randomBytes } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { choosePlan, gotoReady } from './support.ts';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

let project: OwnProject;
let call: { apiKey: string; method: string; path: string };

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Reports');
  await project.addPolicy('GET', '/v1/reports*');
  const { plaintext, digest } = mintApiKey(randomBytes);
  await project.addKey('Mobile app', { key_digest: digest });
  call = { apiKey: plaintext, method: 'GET', path: '/v1/reports' };
});
test.afterAll(() => project?.close());

async function changeState(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: 'Change status' }).click();
  await page.getByRole('button', { name: `${button}…` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: button }).click();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
}

test('each status shows its effect, and the next decision matches it', async () => {
  const page = await project.open('subscription');
  await expect(page.getByText('No traffic in 7 days: no forecast.')).toBeVisible();
  await expect(
    page.getByText('Calls are allowed if the key and a policy permit them'),
  ).toBeVisible();
  expect(await project.authorize(call)).toMatchObject({ allowed: true });

  await page.getByRole('button', { name: 'Change status' }).click();
  await page.getByRole('button', { name: 'Cancel subscription…' }).click();
  await expect(page.getByRole('alertdialog')).toContainText(
    'From the next decision on, all calls are denied as inactive_subscription.',
  );
  await page.getByRole('button', { name: 'Keep as it is' }).click();
  expect(await project.authorize(call)).toMatchObject({ allowed: true });

  for (const [button, word] of [
    ['Cancel subscription', 'canceled'],
    ['Mark past due', 'past due'],
  ] as const) {
    await changeState(page, button);
    await expect(page.getByText(`the subscription is ${word}. Reactivate`)).toBeVisible();
    expect(await project.authorize(call)).toMatchObject({
      denialReason: 'inactive_subscription',
    });
  }
  // After the end of the period, a status alone allows no calls.
  const endAt = (end: Date | null) => project.sql`update subscriptions
    set current_period_end = ${end} where project_id = ${project.projectId}`;
  await endAt(new Date(2020, 0));
  await gotoReady(page, project.at('subscription'));
  await expect(page.getByText('Reactivate it and set a later end, or none, to')).toBeVisible();
  await page.getByRole('button', { name: 'Change status' }).click();
  await page.getByRole('button', { name: 'Reactivate…' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('all calls stay denied until you also');
  await endAt(null);
  await gotoReady(page, project.at('subscription'));
  for (const button of ['Set trial', 'Reactivate']) {
    await changeState(page, button);
    await expect(
      page.getByText('Calls are allowed if the key and a policy permit them'),
    ).toBeVisible();
    expect(await project.authorize(call)).toMatchObject({ allowed: true });
  }
});

test('the pages of a key and of a customer say that the subscription denies its calls', async () => {
  const { projectId, sql } = project;
  const [customer] = await sql<{ id: string }[]>`
    insert into customers (project_id, external_id) values (${projectId}, 'acme-1') returning id`;
  const apiKeyId = await project.addKey('Server');
  const paths = [`keys/${apiKeyId}`, `customers/${customer?.id}`];
  const page = await project.open('');
  const wrong = page.getByRole('list', { name: 'What is wrong' });
  for (const [status, end, words] of [
    ['past_due', null, 'the subscription is past due'],
    ['canceled', null, 'the subscription is canceled'],
    ['active', new Date(2020, 0), 'the period of the subscription ended'],
  ] as const) {
    await sql`update subscriptions set status = ${status}, current_period_end = ${end}
      where project_id = ${projectId}`;
    for (const path of paths) {
      await gotoReady(page, project.at(path));
      await expect(wrong).toHaveText(
        new RegExp(`All calls are denied\\s*inactive_subscription: ${words}`),
      );
      await expect(wrong.getByRole('link', { name: 'Go to the subscription' })).toHaveAttribute(
        'href',
        project.at('subscription'),
      );
    }
  }
  await expectAccessible(page);
  // An ended key is denied for its own reason.
  await sql`update api_keys set status = 'revoked' where id = ${apiKeyId}`;
  await gotoReady(page, project.at(`keys/${apiKeyId}`));
  await expect(wrong).toHaveCount(0);
  await sql`update subscriptions set status = 'active', current_period_end = null
    where project_id = ${projectId}`;
  const customerPage = project.at(`customers/${customer?.id}`);
  await gotoReady(page, customerPage);
  await expect(wrong).toHaveCount(0);
  const [removed] =
    await sql`delete from subscriptions where project_id = ${projectId} returning *`;
  await gotoReady(page, customerPage);
  await expect(wrong).toContainText('the project has no subscription');
  await sql`insert into subscriptions ${sql({ ...removed })}`;
});

test('the pages of a key and of a customer say that the quota of the project is used up, as its overview does', async () => {
  const { projectId, sql } = project;
  const [customer] = await sql<{ id: string }[]>`
    insert into customers (project_id, external_id) values (${projectId}, 'acme-2') returning id`;
  const paths = [`keys/${await project.addKey('Server')}`, `customers/${customer?.id}`];
  await project.usePlan('Free');
  await sql`insert into usage_months (project_id, month, scope, incarnation, count)
    select ${projectId}, extract(year from now() at time zone 'UTC') * 12
      + extract(month from now() at time zone 'UTC') - 1, 'project', 'used up', 10000`;
  const page = await project.open('');
  const wrong = page.getByRole('list', { name: 'What is wrong' });
  // A call whose policy has no cost is allowed all the same.
  await expect(wrong).toContainText('Calls that cost something are denied');
  await expect(wrong).toContainText('quota_exceeded: all 10,000 requests of this month are used.');
  await expect(page.getByText('Used up: calls that cost something are denied')).toBeVisible();
  const onOverview = (await wrong.textContent()) ?? '';
  for (const path of paths) {
    await gotoReady(page, project.at(path));
    await expect(wrong).toHaveText(onOverview);
    await expect(wrong.getByRole('link', { name: 'Choose a larger plan' })).toHaveAttribute(
      'href',
      project.at('subscription#plan'),
    );
  }
  await expectAccessible(page);
  await project.usePlan('Starter');
  await gotoReady(page, project.at('subscription#plan'));
  await choosePlan(page.getByRole('dialog'), 'Free');
  // The tests before may have called as well.
  await expect(page.getByRole('dialog')).toContainText(
    /10,0\d\d are used this month already, so calls that cost something are denied until next month\./,
  );
  await project.usePlan('Free');
  await sql`update usage_months set count = 9000
    where project_id = ${projectId} and incarnation = 'used up'`;
  for (const path of paths) {
    await gotoReady(page, project.at(path));
    await expect(wrong).toHaveCount(0);
  }
  const small = `Five a day ${projectId}`;
  await sql`insert into plans ${sql({
    name: small,
    monthly_quota: 20_000,
    daily_quota: 5,
    rate_limit_per_minute: 60,
    active_key_cap: 10,
  })}`;
  await sql`insert into usage_quota_days (project_id, day, scope, incarnation, count)
    select ${projectId}, (now() at time zone 'UTC')::date + day, 'project@0', 'used up', 7
    from generate_series(0, 1) as day`;
  await gotoReady(page, project.at('subscription#plan'));
  await choosePlan(page.getByRole('dialog'), small);
  await expect(page.getByRole('dialog')).toContainText(
    '7 are used today (UTC) already, so calls that cost something are denied until tomorrow.',
  );
  await sql`delete from plans where name = ${small}`;
  await sql`delete from usage_quota_days
    where project_id = ${projectId} and incarnation = 'used up'`;
  await sql`delete from usage_months where project_id = ${projectId} and incarnation = 'used up'`;
});

test('what denies the calls of a customer is one list, worst first, each with its one step', async () => {
  const { projectId, sql } = project;
  const [plan] = await sql<{ id: string }[]>`
    insert into customer_plans (project_id, name) values (${projectId}, 'Team') returning id`;
  const [customer] = await sql<{ id: string }[]>`
    insert into customers ${sql({
      project_id: projectId,
      external_id: 'acme-3',
      plan_id: plan?.id ?? null,
      subscription_status: 'past_due',
      suspended_at: new Date(),
    })} returning id`;
  await sql`update subscriptions set status = 'past_due' where project_id = ${projectId}`;
  const page = await project.open(`customers/${customer?.id}`);
  const wrong = page.getByRole('list', { name: 'What is wrong' }).getByRole('listitem');
  await expect(wrong).toHaveText([
    /All calls are denied\s*inactive_subscription: the subscription is past due/,
    /All calls with its keys are denied\s*inactive_subscription: suspended since/,
    /All calls with its keys are denied\s*inactive_subscription: its plan is past due/,
  ]);
  await expect(wrong.getByRole('link')).toHaveText(['Go to the subscription']);
  await expect(wrong.getByRole('button')).toHaveText(['Resume customer', 'Renew its plan']);
  // The steps are in the notes alone, and no other banner is beside them.
  await expect(page.getByRole('button', { name: 'Resume customer' })).toHaveCount(1);
  await expect(page.getByText('are denied')).toHaveCount(3);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(wrong.getByText('suspended since')).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 800 });
  await sql`update subscriptions set status = 'active' where project_id = ${projectId}`;
  for (const [columns, note, step] of [
    [{ subscription_status: 'past_due' }, /All calls .*: its plan is past due/, 'Renew its plan'],
    [
      { subscription_status: 'active', current_period_end: new Date(2020, 0) },
      /All calls .*: its plan ended on 1 Jan 2020/,
      'Renew its plan',
    ],
    [
      { current_period_end: null, monthly_quota: 0 },
      /Calls that cost something are denied.*quota_exceeded: the quota of this month is 0\./,
      'Raise its limits',
    ],
  ] as const) {
    await sql`update customers set ${sql({
      suspended_at: null,
      ...columns,
    })} where id = ${customer?.id ?? null}`;
    await gotoReady(page, project.at(`customers/${customer?.id}`));
    await expect(wrong).toHaveText([note]);
    await wrong.getByRole('button', { name: step }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
  }
});

test('the page of a key says what of its customer and of its own quotas denies its calls', async () => {
  const { projectId, sql } = project;
  const [customer] = await sql<{ id: string }[]>`
    insert into customers ${sql({
      project_id: projectId,
      external_id: 'acme-4',
      suspended_at: new Date(),
      monthly_quota: 0,
    })} returning id`;
  const apiKeyId = await project.addKey('Of a customer', {
    customer_id: customer?.id,
    daily_quota: 5,
  });
  await sql`insert into usage_quota_days (project_id, day, scope, incarnation, count)
    select ${projectId}, (now() at time zone 'UTC')::date + day, ${`${apiKeyId}@0`}, 'e2e', 5
    from generate_series(0, 1) as day`;
  const page = await project.open(`keys/${apiKeyId}`);
  const wrong = page.getByRole('list', { name: 'What is wrong' }).getByRole('listitem');
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    const ofSize =
      size === PHONE ? [/^Its customer is suspended/, /^The quota of/, /^Its own/] : [];
    await expect(wrong).toHaveText([/inactive_sub/, /quota_exceeded/, /quota_exceeded/]);
    for (const [at, words] of [
      'inactive_subscription: its customer has been suspended since',
      'quota_exceeded: the quota of this month is 0 for its customer.',
      'quota_exceeded: all 5 requests of this day are used by this key, until',
    ].entries()) {
      await expect(wrong.nth(at).getByText(words)).toBeVisible();
      const short = ofSize[at];
      if (short) await expect(wrong.nth(at).getByText(short)).toBeVisible();
    }
  }
  await expect(wrong.getByText('All calls with this key are denied')).toHaveCount(1);
  await expect(wrong.getByText('Calls that cost something are denied')).toHaveCount(2);
  await expect(page.getByText('Used today5 of 5')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Raise its limits' }).click();
  await expect(page.getByRole('dialog').getByLabel('Requests per day')).toHaveValue('5');
  await page.keyboard.press('Escape');
  await wrong.getByRole('link', { name: 'Raise its limits' }).click();
  await page.waitForURL(`**${project.at(`customers/${customer?.id}`)}#limits`);
  await expect(page.getByRole('dialog')).toBeVisible();
  await sql`update customers set suspended_at = null, monthly_quota = null
    where id = ${customer?.id ?? null}`;
  await sql`update api_keys set daily_quota = 6 where id = ${apiKeyId}`;
  await gotoReady(page, project.at(`keys/${apiKeyId}`));
  await expect(page.getByText('Used today5 of 6')).toBeVisible();
  await expect(wrong).toHaveCount(0);
});

test('another plan applies from the next decision on', async () => {
  const page = await project.open('subscription');
  await page.getByRole('button', { name: 'Change plan' }).click();
  await expect(page.getByText('Plan changes apply immediately.')).toBeVisible();
  await choosePlan(page.getByRole('dialog'), 'Starter');
  await expect(page.getByText('300 requests per minute, 100,000 per month.')).toBeVisible();
  await page.getByRole('button', { name: 'Change to Starter' }).click();
  await expect(page.getByText('On the plan Starter.')).toBeVisible();
  expect(await project.authorize(call)).toMatchObject({
    limits: { rateLimitPerMinute: 300, monthlyQuota: 100_000 },
  });
});

test('a dialog has an address: it opens the dialog, and going back closes it', async () => {
  const page = await project.open('subscription');
  const dialog = page.getByRole('dialog', { name: 'Plan of the project' });
  const here = `**${project.at('subscription')}`;
  const button = page.getByRole('button', { name: 'Change plan' });
  await button.click();
  await expect(dialog).toBeVisible();
  await page.waitForURL(`${here}#plan`);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await page.waitForURL(here);
  await expect(button).toBeFocused();
  await button.click();
  await expect(dialog).toBeVisible();
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await page.waitForURL(here);
  await page.goForward();
  await expect(dialog).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toHaveCount(0);
  await page.waitForURL(here);

  const shared = await project.open('subscription#canceled');
  const question = shared.getByRole('alertdialog', { name: 'Cancel the subscription?' });
  await question.getByRole('button', { name: 'Keep as it is' }).click();
  await expect(question).toHaveCount(0);
  await shared.waitForURL(here);
});

test('the plan that the project has is refused beside the field', async () => {
  await project.usePlan('Starter');
  const page = await project.open('subscription#plan');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Change plan' }).click();
  await expect(dialog).toContainText('The project is on this plan already.');
  await choosePlan(dialog, 'Free');
  await dialog.getByRole('button', { name: 'Change to Free' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('On the plan Free.')).toBeVisible();
  await page.waitForURL(`**${project.at('subscription')}`);
});

test('the choice of a plan is a search by keyboard, with the plans of own projects first', async () => {
  const prefix = `Catalogue ${randomBytes(4).toString('hex')}`;
  await project.sql`insert into plans (name, active_key_cap, rate_limit_per_minute, monthly_quota)
    select ${prefix} || ' ' || lpad(n::text, 2, '0'), 5, n, 1 from generate_series(1, 30) as n`;
  await project.usePlan('Starter');
  const page = await project.open('subscription');
  await page.getByRole('button', { name: 'Change plan' }).click();
  const field = page.getByRole('combobox', { name: 'Plan', exact: true });
  await expect(field).toHaveValue('Starter');
  // The page holds the first plans alone.
  expect(await page.content()).not.toContain(`${prefix} 30`);
  await field.focus();
  await page.keyboard.press('ArrowDown');
  const list = page.getByRole('listbox', { name: 'Plans' });
  await expect(
    list.getByRole('group', { name: 'Plans of your projects' }).getByRole('option'),
  ).toHaveText([/^Starter300 requests per minute, 100,000 per month/]);
  await expect(list.getByRole('group', { name: 'Other plans' }).getByRole('option')).toHaveCount(9);
  await expectAccessible(page);
  await page.keyboard.type(prefix.toLowerCase());
  await page.keyboard.type(' 3');
  await expect(list.getByRole('option')).toHaveText([/30 requests per minute/]);
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue(`${prefix} 30`);
  await page.getByRole('button', { name: `Change to ${prefix} 30` }).click();
  await expect(page.getByText(`On the plan ${prefix} 30.`)).toBeVisible();

  await page.getByRole('button', { name: 'Change plan' }).click();
  await field.fill(prefix);
  await expect(list.getByRole('option')).toHaveCount(10);
  for (let row = 0; row < 9; row += 1) await page.keyboard.press('ArrowDown');
  await expect(list.getByRole('option').last()).toBeInViewport();
  await page.keyboard.press('Escape');
  await expect(field).toHaveValue(`${prefix} 30`);
  await field.fill('no plan is called so');
  await expect(page.getByText('No plan has this in its name.')).toBeVisible();
  await project.usePlan('Starter');
  await project.sql`delete from plans where starts_with(name, ${prefix})`;
});

test('a period that is over denies calls, and one without an end allows them', async () => {
  const page = await project.open('subscription');
  const periodEnd = page.locator('dl > div').filter({ hasText: 'Period end' });
  await expect(periodEnd).toContainText('never');
  await expect(page.getByLabel('Ends', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Set period end' }).click();
  await page.getByLabel('Ends', { exact: true }).selectOption('at');
  await page.getByRole('button', { name: 'Save period end' }).click();
  await expect(page.getByText('Fill this in.')).toBeVisible();
  await expect(page.getByLabel('Ends', { exact: true })).toHaveValue('at');
  await page.getByLabel('Date and time').fill('2020-01-31T12:00');
  await expect(page.getByText('This time is in the past')).toBeVisible();
  await page.getByRole('button', { name: 'Save period end' }).click();
  await expect(page.getByText('the period of the subscription ended')).toBeVisible();
  await expect(periodEnd).toContainText('31 Jan 2020');
  expect(await project.authorize(call)).toMatchObject({ denialReason: 'inactive_subscription' });
  await page.getByRole('button', { name: 'Set period end' }).click();
  await page.getByLabel('Ends', { exact: true }).selectOption('never');
  await page.getByRole('button', { name: 'Save period end' }).click();
  await expect(
    page.getByText('Calls are allowed if the key and a policy permit them'),
  ).toBeVisible();
  expect(await project.authorize(call)).toMatchObject({ allowed: true });
});

test('a quota that is nearly used shows when it will be used up', async () => {
  const month = await project.sql`select (extract(year from now() at time zone 'UTC') * 12
    + extract(month from now() at time zone 'UTC') - 1)::int as month`;
  const rows = { project_id: project.projectId, month: month[0]?.month, scope: 'project' };
  await project.usePlan('Free');
  await project.sql`insert into usage_months ${project.sql({ ...rows, incarnation: 'e2e', count: 10_000 })}`;
  const page = await project.open('subscription');
  await expect(page.getByText('The quota is used up.')).toBeVisible();
  await expect(page.getByText('quota_exceeded')).toBeVisible();
  await project.sql`update usage_months set count = 9000
    where project_id = ${project.projectId} and incarnation = 'e2e'`;
  await project.sql`insert into usage_hours ${project.sql({
    project_id: project.projectId,
    hour: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000),
    api_key_id: '00000000-0000-0000-0000-000000000000',
    policy_id: '00000000-0000-0000-0000-000000000000',
    outcome: 'allowed',
    incarnation: 'e2e',
    count: 100_000,
  })}`;
  await page.reload();
  await expect(page.getByText(/Used up on \d+ \w+ \d{4}/)).toBeVisible();
  await expectAccessible(page);
});
