import { expect, type Page, test } from '@playwright/test';
import { createKey, type OwnProject, ownProject } from './own-project.ts';
import { gotoReady, pressShortcut, reloadReady } from './support.ts';

let project: OwnProject;
let apiKey: string;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Policies');
  const page = await project.open('keys');
  apiKey = await createKey(page, project, 'Caller');
});
test.afterAll(() => project?.close());
test.beforeEach(async () => {
  await project.sql`delete from policies where project_id = ${project.projectId}`;
});

const rows = (page: Page) => page.getByRole('table').locator('tbody tr');
const standing = (page: Page) =>
  rows(page).evaluateAll((all) => all.map((one) => one.getAttribute('data-standing')));

test('a policy is added from the empty page, with a preview that follows the typing', async () => {
  const page = await project.open('policies');
  await expect(page.getByText('No policies yet, so every call is denied')).toBeVisible();
  await pressShortcut(page, 'n');
  await page.waitForURL('**/policies/new');
  await page.getByLabel('Path pattern').fill('/v1/reports*');
  const preview = page.getByRole('region', { name: 'Preview' });
  const listed = (title: string) =>
    preview.getByRole('heading', { name: title }).locator('xpath=following-sibling::ul');
  await expect(listed('These calls match')).toContainText('GET /v1/reports/42');
  await expect(listed('These calls do not match')).toContainText('GET /v1/reportsX');
  await expect(listed('These calls do not match')).toContainText('HEAD /v1/reports');
  await page.getByLabel('Try a path').fill('/v1/reports/7?full=1');
  await expect(preview).toContainText('Matches, and this policy wins.');
  await page.getByLabel('Try a path').fill('/v1/reports/../admin');
  await expect(preview).toContainText('Does not match: the path holds a dot segment');
  await page.getByRole('button', { name: 'Add policy' }).click();
  await expect(rows(page)).toContainText('/v1/reports*');
  expect(await project.authorize({ apiKey, method: 'GET', path: '/v1/reports/42' })).toMatchObject({
    allowed: true,
  });
});

test('a policy that is saved before its preview is loaded leads to the list', async () => {
  const page = await project.open('policies/new');
  const list = new URL(`/projects/${project.projectId}/policies`, page.url());
  const previewed = page.waitForRequest((one) => one.url().includes(`${list.pathname}/new?`));
  // The list loads last, however fast the form is.
  await page.route(
    ({ pathname }) => pathname === list.pathname,
    async (route) => {
      await previewed;
      await route.continue();
    },
  );
  await page.getByLabel('Path pattern').fill('/v1/reports*');
  await page.getByLabel('Path pattern').press('Enter');
  await expect(page.getByText('Policy added')).toBeVisible();
  await expect(rows(page)).toContainText('/v1/reports*');
  await expect(page).toHaveURL(list.href);
});

test('typing while a policy is saved does not navigate back to its form', async ({ page }) => {
  // A separate browser context, because the clock is paused in all of it.
  const signedIn = await project.open('policies');
  await page.context().addCookies(await signedIn.context().cookies());
  await gotoReady(page, project.at('policies/new'));
  const list = new URL(`/projects/${project.projectId}/policies`, page.url());
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const pattern = page.getByLabel('Path pattern');
  await page.route(
    ({ pathname }) => pathname.startsWith(list.pathname),
    async (route) => {
      // The key is pressed after the form is sent, and its timer fires before the list is loaded.
      if (route.request().method() === 'POST') await pattern.press('x');
      else if (new URL(route.request().url()).pathname === list.pathname) {
        await page.clock.runFor(1_000);
      }
      await route.continue();
    },
  );
  await pattern.fill('/v1/reports*');
  await pattern.press('Enter');
  await expect(page.getByText('Policy added')).toBeVisible();
  await expect(rows(page)).toContainText('/v1/reports*');
  await expect(page).toHaveURL(list.href);
});

test('a pattern that can never match is refused with the reason, while typing and on saving', async () => {
  const page = await project.open('policies/new');
  const reasons = {
    'v1/reports': 'Must start with / (or be a single *).',
    '/v1/*/reports': 'May hold a * only as its last character.',
    '/v1/reports?page=1': 'Must not hold a query',
    '/v1/../admin': 'Must not hold a dot segment',
    'https://example.com/v1': 'Must be a path alone, without scheme and host',
  };
  for (const [pattern, reason] of Object.entries(reasons)) {
    await page.getByLabel('Path pattern').fill(pattern);
    await expect(page.getByText(reason)).toBeVisible();
  }
  await page.getByRole('button', { name: 'Add policy' }).click();
  // The focus moves to the refused field when the answer arrives.
  await expect(page.getByLabel('Path pattern')).toBeFocused();
  await expect(page.getByLabel('Path pattern')).toHaveValue('https://example.com/v1');
  await page.getByLabel('Path pattern').fill('/v1/reports');
  await page.getByLabel('Method').selectOption('Other method');
  await expect(page.getByText(/^Must be one HTTP method/)).toBeVisible();
  await expect(page.getByLabel('Other method')).toHaveValue('');
  await page.getByLabel('Other method').fill('get');
  await expect(page.getByText('write GET')).toBeVisible();
  await page.getByRole('button', { name: 'Add policy' }).click();
  await expect(page.getByLabel('Method', { exact: true })).toBeFocused();
  await expect(page.getByText('write GET')).toBeVisible();
  const saved = await project.sql`select 1 from policies where project_id = ${project.projectId}`;
  expect(saved).toHaveLength(0);
});

test('the list is in match order, and a tried call highlights the winner', async () => {
  for (const [method, pattern] of [
    ['*', '*'],
    ['GET', '/v1*'],
    ['GET', '/v1/reports*'],
    ['GET', '/v1/reports/export'],
    ['POST', '/v1/reports'],
  ] as const) {
    await project.addPolicy(method, pattern);
  }
  const page = await project.open('policies');
  await expect(rows(page).locator('td:nth-child(3) > div code').first()).toBeVisible();
  expect(await rows(page).locator('td:nth-child(3) > div code').allInnerTexts()).toEqual([
    '/v1/reports',
    '/v1/reports/export',
    '/v1/reports*',
    '/v1*',
    '*',
  ]);
  await pressShortcut(page, '/');
  await page.keyboard.type('/v1/reports/export?format=csv');
  await expect(rows(page).nth(1)).toContainText('Wins');
  expect(await standing(page)).toEqual(['does_not_match', 'wins', 'matches', 'matches', 'matches']);
  await reloadReady(page);
  await expect(rows(page).nth(1)).toContainText('Wins');
  await page.getByLabel('Method to try').selectOption('POST');
  await page.getByLabel('Path to try').fill('/v1//reports');
  await expect(rows(page).nth(4)).toContainText('Wins');
  const answer = await project.authorize({ apiKey, method: 'POST', path: '/v1//reports' });
  expect(answer.access?.policy).toMatchObject({ method: '*', pathPattern: '*' });
});

test('a policy that another one covers is marked in the list and in the preview', async () => {
  await project.addPolicy('*', '/v1*');
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('policies');
  await expect(rows(page).first()).toContainText('Also covered by ANY /v1*');
  await gotoReady(page, project.at('policies/new'));
  await page.getByLabel('Path pattern').fill('/v1/reports/42');
  await expect(page.getByText('Already covered by')).toBeVisible();
  await page.getByLabel('Path pattern').fill('/v1/*');
  await expect(page.getByText(/^Also covers GET\s*\/v1\/reports\*$/)).toBeVisible();
});

test('a changed policy applies to the next call, keeps its ID, and cannot duplicate another', async () => {
  const policyId = await project.addPolicy('GET', '/v1/reports*');
  await project.addPolicy('GET', '/v1/billing');
  const page = await project.open('policies');
  await page.getByRole('link', { name: 'Edit GET /v1/reports*' }).click();
  await page.waitForURL(`**/policies/${policyId}`);
  await page.getByLabel('Path pattern').fill('');
  await expect(page.getByText('Must start with /')).toBeVisible();
  await expect(page.getByLabel('Path pattern')).toHaveValue('');
  await page.getByLabel('Path pattern').fill('/v1/billing/');
  await expect(page.getByText('This policy exists already')).toBeVisible();
  await page.getByRole('button', { name: 'Save policy' }).click();
  await expect(
    page.getByText('This project already has a policy with this method and pattern'),
  ).toBeVisible();
  await page.getByLabel('Path pattern').fill('/v2/reports/*');
  await expect(page.getByText('GET /v2/reports/42', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Save policy' }).click();
  await expect(rows(page).filter({ hasText: '/v2/reports*' })).toBeVisible();
  const [saved] =
    await project.sql`select path_pattern as pattern from policies where id = ${policyId}`;
  expect(saved?.pattern).toBe('/v2/reports*');
  const ask = (path: string) => project.authorize({ apiKey, method: 'GET', path });
  expect(await ask('/v1/reports')).toMatchObject({ denialReason: 'policy_no_match' });
  expect(await ask('/v2/reports')).toMatchObject({ allowed: true });
});

test('deleting a policy explains the effect and denies the next call, and a stale tab reports it', async () => {
  await project.addPolicy('GET', '/v1/reports*');
  await project.addPolicy('GET', '/v1/billing');
  const page = await project.open('policies');
  const stale = await project.open('policies');
  await page.getByRole('button', { name: 'Delete GET /v1/reports*' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('denied from the next request on');
  await question.getByRole('button', { name: 'Delete policy' }).click();
  await expect(page.getByText('Policy deleted')).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  expect(await project.authorize({ apiKey, method: 'GET', path: '/v1/reports' })).toMatchObject({
    denialReason: 'policy_no_match',
  });

  await stale.getByRole('button', { name: 'Delete GET /v1/reports*' }).click();
  await stale.getByRole('button', { name: 'Delete policy' }).click();
  await expect(stale.getByText('The policy was deleted in the meantime')).toBeVisible();
  await stale.getByRole('button', { name: 'Keep policy' }).click();
  await expect(rows(stale)).toHaveCount(1);
});

test('saving a policy that another tab deleted is refused, and keeps what was typed', async () => {
  const policyId = await project.addPolicy('GET', '/v1/reports*');
  const stale = await project.open(`policies/${policyId}`);
  await stale.getByLabel('Path pattern').fill('/v1/other*');
  await expect(stale.getByText('GET /v1/other/42', { exact: true })).toBeVisible();
  await project.sql`delete from policies where id = ${policyId}`;
  await stale.getByRole('button', { name: 'Save policy' }).click();
  await expect(stale.getByText('The policy was deleted in the meantime')).toBeVisible();
  await expect(stale.getByLabel('Path pattern')).toHaveValue('/v1/other*');
  const saved = await project.sql`select 1 from policies where project_id = ${project.projectId}`;
  expect(saved).toHaveLength(0);
});

test('a second tab overwrites no change that it has not seen: it shows both', async () => {
  const policyId = await project.addPolicy('GET', '/v1/reports*');
  const saved = async () => {
    const [row] =
      await project.sql`select path_pattern as pattern from policies where id = ${policyId}`;
    return row?.pattern;
  };
  const [first, second] = [
    await project.open(`policies/${policyId}`),
    await project.open(`policies/${policyId}`),
  ];
  await second.getByLabel('Path pattern').fill('/v1/second*');
  await expect(second.getByText('GET /v1/second/42', { exact: true })).toBeVisible();
  await first.getByLabel('Path pattern').fill('/v1/first*');
  await first.getByRole('button', { name: 'Save policy' }).click();
  await expect(rows(first)).toContainText('/v1/first*');

  await second.getByRole('button', { name: 'Save policy' }).click();
  await expect(second.getByText('This policy was changed in the meantime')).toBeVisible();
  await expect(second.getByRole('definition')).toHaveText(['GET /v1/first*', 'GET /v1/second*']);
  await expect(second.getByLabel('Path pattern')).toHaveValue('/v1/second*');
  expect(await saved()).toBe('/v1/first*');

  await second.getByRole('button', { name: 'Keep mine' }).click();
  await expect(second.getByText('This policy was changed in the meantime')).toHaveCount(0);
  await second.getByRole('button', { name: 'Save policy' }).click();
  await expect(rows(second)).toContainText('/v1/second*');
  expect(await saved()).toBe('/v1/second*');
});

test('a long list is filtered and sorted by use, and a tried call shows the page of its winner', async () => {
  await project.sql`
    insert into policies (project_id, method, path_pattern)
    select ${project.projectId}, 'GET', '/v1/items/' || lpad(n::text, 3, '0')
    from generate_series(1, 120) n`;
  const used = await project.addPolicy('POST', '/v1/orders*');
  await project.sql`
    insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
    values (${project.projectId}, date_trunc('hour', now()), gen_random_uuid(), ${used},
      'allowed', 'test', 1234)`;
  const page = await project.open('policies');
  await expect(rows(page)).toHaveCount(50);
  await page.getByLabel('Path to try').fill('/v1/items/119');
  const winner = rows(page).filter({ hasText: 'Wins' });
  await expect(winner).toContainText('/v1/items/119');
  await expect(winner).toBeVisible();
  await expect(page.getByText('101–121 of 121 policies')).toBeVisible();
  await page.getByRole('link', { name: 'Previous' }).click();
  await expect(page.getByText('51–100 of 121 policies')).toBeVisible();
  await gotoReady(page, project.at('policies?page=4'));
  await expect(page.getByText('101–121 of 121 policies')).toBeVisible();

  await gotoReady(page, project.at('policies'));
  await page.getByRole('link', { name: 'Hits this month' }).click();
  await expect(rows(page).first()).toContainText('1,234');
  await expect(page.getByRole('columnheader', { name: 'Hits this month' })).toHaveAttribute(
    'aria-sort',
    'descending',
  );
  await page.getByLabel('Filter policies').fill('get /v1/items/07');
  await expect(rows(page)).toHaveCount(10);
  await expect(rows(page).first()).toContainText('70');
  await reloadReady(page);
  await expect(rows(page)).toHaveCount(10);
  await page.getByLabel('Filter policies').fill('nothing');
  await expect(page.getByText('No policy has “nothing” in its method or pattern.')).toBeVisible();
});

test('a pattern with a parameter of a router, or a bare *, has a warning while typing, and in the list', async () => {
  const page = await project.open('policies/new');
  const preview = page.getByRole('region', { name: 'Preview' });
  await page.getByLabel('Path pattern').fill('*');
  await expect(preview).toContainText('A bare * matches every path, even an ambiguous one');
  await page.getByLabel('Path pattern').fill('/v1/users/{id}');
  const warning = '{id} matches only this text. To match any value there, write /v1/users/*.';
  await expect(preview).toContainText(warning);
  await page.getByRole('button', { name: 'Add policy' }).click();
  await expect(rows(page)).toContainText(warning);
  await project.addPolicy('GET', '*');
  await gotoReady(page, project.at('policies'));
  await expect(page.locator('tbody')).toContainText('A bare * matches every path');
});
