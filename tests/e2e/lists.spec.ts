import { expect, type Page, test } from '@playwright/test';
import { addDestination } from './alerts.ts';
import { addDecisions } from './decisions.ts';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Lists');
  const { projectId, sql } = project;
  // Beyond the first steps, which the pages of a new project show.
  await sql`update projects set first_allowed_at = now() - interval '2 days'
    where id = ${projectId}`;
  const use = { project_id: projectId, month: 2025 * 12, scope: 'project', incarnation: 'e2e' };
  await sql`insert into usage_months ${sql({ ...use, count: 1 })}`;
  await project.addKey('Idle', { created_at: new Date(2020, 0) });
  await project.addKey('Expired', { expires_at: new Date(2020, 0) });
  await project.addPolicy('GET', '/v1/reports*');
  const plan = { project_id: projectId, name: 'Team' };
  await sql`insert into customer_plans ${sql(plan)}`;
  await sql`insert into customers ${sql({ project_id: projectId, external_id: 'acme' })}`;
  await addDecisions(projectId, [{ outcome: 'policy_no_match' }]);
  await addDestination(projectId);
});
test.afterAll(() => project?.close());

const firstRow = (page: Page) => page.getByRole('main').locator('tbody tr, ul.panel > li').first();
const FROM_THE_TOP_MAX = 250;

for (const path of [
  'keys',
  'customers',
  'plans',
  'policies',
  'requests',
  'requests/groups',
  'alerts',
  'members',
]) {
  test(`the first row of ${path} is within ${FROM_THE_TOP_MAX} px of the top`, async () => {
    const page = await project.open(path);
    await page.setViewportSize({ width: 1280, height: 800 });
    const box = await firstRow(page).boundingBox();
    expect(box?.y).toBeLessThanOrEqual(FROM_THE_TOP_MAX);
  });
}

test('the first key is in the upper 40% of a phone, below its hints', async () => {
  const page = await project.open('keys');
  await page.setViewportSize({ width: 390, height: 844 });
  expect((await firstRow(page).boundingBox())?.y).toBeLessThanOrEqual(844 * 0.4);
  await expect(page.getByRole('link', { name: 'How keys work' })).toBeInViewport();
});

test('the buttons of every row are seen, wherever the pointer is, and work by keyboard', async () => {
  const page = await project.open('keys');
  await page.mouse.move(0, 0);
  for (const menu of await page.getByRole('button', { name: /^Actions for / }).all()) {
    await expect(menu).toHaveCSS('opacity', '1');
  }
  const row = firstRow(page);
  await row.getByRole('link').first().focus();
  await page.keyboard.press('Tab');
  await expect(row.getByRole('button', { name: /^Actions for / })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('navigation', { name: /^Actions for / })).toBeVisible();
});

/** The pages of a project by the headings of the navigation. */
const GROUPS = {
  Access: ['Keys', 'Customers', 'Plans', 'Policies'],
  Traffic: ['Usage', 'Requests', 'Simulator', 'Alerts'],
  Project: ['Subscription', 'Members', 'Audit', 'Settings'],
};

test('the navigation of a project has named groups, in view on a desktop, and marks the current page', async () => {
  const page = await project.open('requests');
  await page.setViewportSize({ width: 1280, height: 800 });
  const navigation = page.getByRole('navigation', { name: 'Project', exact: true });
  await expect(navigation.getByRole('link', { name: 'Overview' })).toBeInViewport();
  for (const [name, pages] of Object.entries(GROUPS)) {
    const group = navigation.getByRole('group', { name, exact: true });
    await expect(group.getByRole('link')).toHaveText(pages);
    for (const link of await group.getByRole('link').all()) {
      await expect(link).toBeInViewport({ ratio: 1 });
    }
  }
  await expect(navigation.locator('[aria-current=page]')).toHaveText(['Requests']);
  await expect(page.getByRole('link', { name: 'Account', exact: true })).toBeInViewport();
});

test('a phone has the other pages of a project under "More", in the same groups', async () => {
  const page = await project.open('alerts');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: /^More/ }).click();
  const more = page.getByRole('navigation', { name: 'More pages' });
  const inBar = ['Overview', 'Keys', 'Policies', 'Usage'];
  for (const [name, pages] of Object.entries(GROUPS)) {
    await expect(more.getByRole('group', { name, exact: true }).getByRole('link')).toHaveText(
      pages.filter((one) => !inBar.includes(one)),
    );
  }
  await expect(more.locator('[aria-current=page]')).toHaveText(['Alerts']);
  await expectAccessible(page);
});
