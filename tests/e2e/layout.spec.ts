import { expect, type Locator, type Page, test } from '@playwright/test';
import { addDecisions } from './decisions.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { gotoReady } from './support.ts';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

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

test('the page of a key in use fits two screens', async () => {
  const { projectId, sql } = project;
  const [customer] = await sql<{ id: string }[]>`
    insert into customers ${sql({ project_id: projectId, external_id: 'acme' })} returning id`;
  const apiKeyId = await project.addKey('Mobile app, iOS', {
    customer_id: customer?.id ?? null,
    rate_limit_per_minute: 300,
    monthly_quota: 60_000,
    metadata: { crm: '42', team: 'mobile' },
    last_used_at: new Date(),
  });
  const key = { projectId, apiKeyId };
  for (const outcome of ['allowed', 'rate_limited', 'policy_no_match', 'expired_api_key']) {
    for (const days of [0, 1, 2, 7, 8]) {
      await sql`insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome,
          incarnation, count)
        select ${projectId}, date_trunc('hour', now()) - make_interval(days => ${days}),
          ${apiKeyId}, '00000000-0000-0000-0000-000000000000', ${outcome}, 'e2e', 1000`;
    }
  }
  await addDecisions(projectId, [
    { ...key, outcome: 'policy_no_match', path: '/v1/orders' },
    { ...key, outcome: 'rate_limited', path: '/v1/reports' },
  ]);
  const page = await project.open(`keys/${apiKeyId}`);
  await page.setViewportSize(DESKTOP);
  await expect(
    page.getByRole('list', { name: 'Denial reasons' }).getByRole('listitem'),
  ).toHaveCount(3);
  await expect(
    page.getByRole('list', { name: 'Most denied calls' }).getByRole('listitem'),
  ).toHaveCount(2);
  expect(await heightOf(page)).toBeLessThanOrEqual(2 * DESKTOP.height);
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
