import { expect, type Locator, type Page, test } from '@playwright/test';
import { addDecisions } from './decisions.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { gotoReady } from './support.ts';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const NO_ID = '00000000-0000-0000-0000-000000000000';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Layout');
});
test.afterAll(() => project?.close());

async function boxOf(part: Locator) {
  const box = await part.boundingBox();
  if (box === null) throw new Error('it is not shown');
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

const heightOf = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);

const sectionOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

// The first test, because the others take the steps.
test('the next step fits a phone, also with a long name', async () => {
  const page = await project.open('keys');
  const step = page.getByRole('complementary', { name: 'Your first allowed call' });
  const link = step.getByRole('link', { name: 'Create the project and store its secret' });
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    expect((await boxOf(link)).right).toBeLessThan((await boxOf(step)).right);
  }
});

test.describe('the pages of a key and of its customer', () => {
  const SCREEN = { width: 1280, height: 900 };
  let [apiKeyId, customerId] = ['', ''];

  test.beforeAll(async () => {
    ({ apiKeyId, customerId } = await addCallers());
  });

  test('fit two screens where calls are denied in five ways and ten events are known', async () => {
    for (const path of [`keys/${apiKeyId}`, `customers/${customerId}`]) {
      const page = await project.open(path);
      await page.setViewportSize(SCREEN);
      for (const [list, items] of [
        [page.getByRole('list', { name: 'Most denied calls' }), 5],
        [sectionOf(page, 'History').getByRole('list'), 10],
      ] as const) {
        await expect(list.getByRole('listitem')).toHaveCount(items);
      }
      expect(await heightOf(page)).toBeLessThanOrEqual(2 * SCREEN.height);
    }
  });

  test('have the history beside the denied calls, and on a phone below them', async () => {
    for (const path of [`keys/${apiKeyId}`, `customers/${customerId}`]) {
      const page = await project.open(path);
      const [denied, history] = [sectionOf(page, 'Most denied calls'), sectionOf(page, 'History')];
      await page.setViewportSize(SCREEN);
      expect((await boxOf(history)).x).toBeGreaterThan((await boxOf(denied)).right);
      for (const width of [PHONE.width, 320]) {
        await page.setViewportSize({ ...PHONE, width });
        expect((await boxOf(history)).y).toBeGreaterThanOrEqual((await boxOf(denied)).bottom);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
    }
  });

  test('say of their own changes what was done, and opened, from which address', async () => {
    const page = await project.open(`keys/${apiKeyId}`);
    const change = sectionOf(page, 'History').getByRole('listitem').first();
    const summary = change.locator('summary');
    await expect(summary).toContainText('set the limits of this key');
    await expect(summary).not.toContainText('192.0.2.4');
    await summary.click();
    await expect(change.getByText('from 192.0.2.4')).toBeVisible();
    const ofCustomer = await project.open(`customers/${customerId}`);
    await expect(
      sectionOf(ofCustomer, 'History').getByRole('listitem').first().locator('summary'),
    ).toContainText('set the limits of key Mobile app, iOS');
  });
});

/** A key with its customer that calls of all kinds were denied to, and that was changed ten times. */
async function addCallers() {
  const { projectId, sql } = project;
  const [customer] = await sql<{ id: string }[]>`
    insert into customers ${sql({ project_id: projectId, external_id: 'acme' })} returning id`;
  const customerId = customer?.id ?? '';
  const apiKeyId = await project.addKey('Mobile app, iOS', {
    customer_id: customerId,
    rate_limit_per_minute: 300,
    monthly_quota: 60_000,
    metadata: { crm: '42', team: 'mobile' },
    last_used_at: new Date(),
    created_at: new Date(2020, 0),
  });
  for (const outcome of ['allowed', ...DENIALS]) {
    for (const days of [0, 1, 2, 7, 8]) {
      await sql`insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome,
          incarnation, count)
        select ${projectId}, date_trunc('hour', now()) - make_interval(days => ${days}),
          ${apiKeyId}, ${NO_ID}, ${outcome}, 'e2e', 1000`;
    }
  }
  await addDecisions(
    projectId,
    DENIALS.map((outcome) => ({ apiKeyId, customerId, outcome, path: `/v1/${outcome}` })),
  );
  await sql`insert into audit_log (owner_id, project_id, actor_kind, actor_label, action,
      target_kind, target_id, target_label, client_address)
    select owner_id, id, 'user', 'owner@example.com', 'api_key.set_limits', 'api_key', ${apiKeyId},
      'Mobile app, iOS', '192.0.2.4'
    from projects, generate_series(1, 10) where id = ${projectId}`;
  return { apiKeyId, customerId };
}

const DENIALS = [
  'rate_limited',
  'policy_no_match',
  'expired_api_key',
  'quota_exceeded',
  'inactive_subscription',
] as const;

test('many labels and long metadata are folded, and open without scripts and with the keyboard', async ({
  browser,
  baseURL,
}) => {
  const { projectId, sql } = project;
  const scopes = Array.from({ length: 64 }, (_, index) => `label-${index}`);
  const metadata = { x: 'x'.repeat(4_000), zz: 'the end of it' };
  const [plan] = await sql<{ id: string }[]>`
    insert into customer_plans ${sql({ project_id: projectId, name: 'All', scopes })} returning id`;
  const [customer] = await sql<{ id: string }[]>`
    insert into customers ${sql({
      project_id: projectId,
      external_id: 'labels',
      plan_id: plan?.id,
      subscription_status: 'active',
      metadata,
    })} returning id`;
  const apiKeyId = await project.addKey('Labels', { scopes, metadata });
  const few = await project.addKey('Few labels', {
    scopes: scopes.slice(0, 10),
    metadata: { team: 'x'.repeat(200) },
  });
  const policyId = await project.addPolicy('GET', '/v1/labels');
  await sql`update policies set scopes = ${scopes} where id = ${policyId}`;
  const opened = await project.open(`keys/${few}`);
  await expect(opened.getByText('label-9', { exact: true })).toBeVisible();
  await expect(opened.getByText(/^Show all/)).toHaveCount(0);

  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ ...(baseURL && { baseURL }), javaScriptEnabled });
    await context.addCookies(await opened.context().cookies());
    const page = await context.newPage();
    await page.setViewportSize(PHONE);
    for (const [path, screens, hasMetadata] of [
      [`keys/${apiKeyId}`, 2, true],
      [`customers/${customer?.id}`, 2.5, true],
      ['plans', 1, false],
      ['policies', 1.2, false],
    ] as const) {
      await page.goto(project.at(path));
      const labels = page.locator('summary', { hasText: 'Show all 64 labels' });
      await expect(labels).toBeVisible();
      await expect(page.getByText('label-7', { exact: true })).toBeVisible();
      await expect(page.getByText('label-8', { exact: true })).toBeHidden();
      expect(await heightOf(page), path).toBeLessThanOrEqual(screens * PHONE.height);
      await labels.press('Enter');
      await expect(page.getByText('label-63', { exact: true })).toBeVisible();
      await expect(page.getByText('Show fewer labels')).toBeVisible();
      if (!hasMetadata) continue;
      const rest = page.locator('summary', { hasText: 'Show all of the metadata' });
      await expect(page.getByText('the end of it')).toBeHidden();
      await rest.press('Enter');
      await expect(page.getByText('the end of it')).toBeVisible();
      await expect(page.getByText(/^\{ "x"/).locator('visible=true')).toHaveCount(1);
    }
    await context.close();
  }
});

test('on a phone counts from a billion do not overlap, and screen readers get all of them', async () => {
  const { projectId, sql } = project;
  const apiKeyId = await project.addKey('Large');
  const rows = ['allowed', 'rate_limited', 'policy_no_match'].flatMap((outcome) =>
    [0, 25].map((hours) => ({
      project_id: projectId,
      hour: new Date(Math.floor(Date.now() / 3_600_000 - hours) * 3_600_000),
      api_key_id: apiKeyId,
      policy_id: NO_ID,
      outcome,
      incarnation: 'large',
      count: 1_234_567_890,
    })),
  );
  await sql`insert into usage_hours ${sql(rows)}`;
  for (const path of ['', `keys/${apiKeyId}?range=24h`]) {
    const page = await project.open(path);
    await page.setViewportSize(PHONE);
    // The other tests add some thousands to those of the project.
    await expect(page.getByTitle(/^1,234,\d{3},\d{3}$/).first()).toHaveText('1.2B');
    const legend = page.locator('figcaption');
    await expect(legend).toContainText(/Allowed1\.2B1,234,\d{3},\d{3}/);
    for (const cell of await legend.locator('> div').all()) {
      expect(
        await cell.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      ).toBeLessThanOrEqual(0);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  }
  await sql`delete from usage_hours where project_id = ${projectId} and incarnation = 'large'`;
});

test('a long path takes two lines of the most denied calls, with all of it on hover', async () => {
  const apiKeyId = await project.addKey('Long path');
  const path = `/v1/${'a-segment-of-a-path/'.repeat(15)}end`;
  await addDecisions(project.projectId, [{ apiKeyId, outcome: 'policy_no_match', path }]);
  const page = await project.open(`keys/${apiKeyId}`);
  await page.setViewportSize(PHONE);
  const call = page.getByRole('list', { name: 'Most denied calls' }).getByTitle(path);
  await expect(call).toHaveText(path);
  expect((await boxOf(call)).height).toBeLessThanOrEqual(44);
});

test('on a desktop the settings of a project fit two and a half screens', async () => {
  const page = await project.open('settings');
  await page.setViewportSize(DESKTOP);
  expect(await heightOf(page)).toBeLessThanOrEqual(2.5 * DESKTOP.height);
});

test('the button of a short form is on the line of its fields, and on a phone below them', async () => {
  for (const [path, part, label, button] of [
    ['settings', 'Name', 'Project name', 'Rename project'],
    ['settings', 'Default rate for each key', 'Requests per minute', 'Save default rate'],
    ['members', 'Invite', 'For', 'Create invitation'],
    ['members', 'Invite', 'Role', 'Create invitation'],
  ] as const) {
    const page = await project.open(path);
    const section = sectionOf(page, part);
    const field = section.getByLabel(label);
    const press = section.getByRole('button', { name: button });
    await page.setViewportSize(DESKTOP);
    expect((await boxOf(press)).y).toBe((await boxOf(field)).y);
    await page.setViewportSize(PHONE);
    expect((await boxOf(press)).y).toBeGreaterThan((await boxOf(field)).bottom);
    await page.close();
  }
});

test('the buttons of the account are beside the headings of their parts, and on a phone below its address', async () => {
  const page = await project.open('');
  await gotoReady(page, '/account');
  await page.setViewportSize(DESKTOP);
  for (const [part, button] of [
    ['E-mail address', 'Change address…'],
    ['Second factor', 'Set up authenticator app…'],
    ['Passkeys', 'Add passkey…'],
    ['Access tokens', 'Create access token…'],
  ] as const) {
    const section = sectionOf(page, part);
    const press = await boxOf(section.getByRole('button', { name: button }));
    const heading = await boxOf(section.getByRole('heading'));
    expect(press.y).toBeLessThan(heading.bottom);
    expect(press.x).toBeGreaterThan(heading.right);
  }
  await page.setViewportSize(PHONE);
  const email = sectionOf(page, 'E-mail address');
  const address = await boxOf(email.getByText('@example.com'));
  expect((await boxOf(email.getByRole('button'))).y).toBeGreaterThan(address.bottom);
});

test('the line above a part of a page is as long as the lines of its list', async () => {
  const page = await project.open('members');
  await page.setViewportSize(DESKTOP);
  const line = await boxOf(sectionOf(page, 'Invite'));
  const list = await boxOf(sectionOf(page, 'Members'));
  expect([line.x, line.right]).toEqual([list.x, list.right]);
});

test('in the dark, a checkbox looks like the other fields', async () => {
  await project.addKey('Selectable');
  const page = await project.open('keys');
  await page.emulateMedia({ colorScheme: 'dark' });
  const colorOf = (field: Locator) =>
    field.evaluate((one) => getComputedStyle(one).backgroundColor);
  const box = page.getByRole('checkbox', { name: 'Select Selectable' }).first();
  const colorOfField = await colorOf(page.getByRole('searchbox'));
  expect(await colorOf(box)).toBe(colorOfField);
  await box.check();
  expect(await colorOf(box)).not.toBe(colorOfField);
});
