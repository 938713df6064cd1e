import { expect, type Page, test } from '@playwright/test';
import { ownProject } from './own-project.ts';
import {
  createProject,
  gotoReady,
  newAccount,
  newUser,
  pressShortcut,
  register,
} from './support.ts';

test('a new project shows its secret once, as the file that a host reads', async ({ page }) => {
  await newUser(page);
  await gotoReady(page, '/projects/new');
  await page.getByLabel('Name').fill('Reports');
  await page.getByRole('button', { name: 'Create project' }).click();
  const secret = await page.getByRole('status').filter({ hasText: 'ceiba_secret_' }).innerText();
  expect(secret.trim()).toMatch(/^ceiba_secret_[0-9A-Za-z]{49}$/);
  await expect(page.locator('pre').first()).toContainText(`CEIBA_PROJECT_SECRET=${secret.trim()}`);
  // The download has the name that the commands read.
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download ceiba.env' }).click();
  expect((await downloading).suggestedFilename()).toBe('ceiba.env');
});

test('a past-due project is led to its subscription, and not to a command that must fail', async ({
  browser,
}) => {
  const project = await ownProject(browser, 'Past due');
  await project.addPolicy('GET', '/v1/reports*');
  await project.sql`update subscriptions set status = 'past_due' where project_id = ${project.projectId}`;
  const page = await project.open('keys/new');
  await page.getByLabel('Name').fill('Too early');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByText('denied for now: the subscription is past due.')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'curl' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await page.waitForURL('**/keys');

  await gotoReady(page, project.at(''));
  await page.getByRole('button', { name: 'I have it' }).click();
  const step = page.locator('[aria-current=step]');
  await expect(step).toContainText('because the subscription is past due');
  await expect(step.locator('pre')).toHaveCount(0);
  await step.getByRole('link', { name: 'Go to the subscription' }).click();
  await page.waitForURL('**/subscription');
  await project.close();
});

test('a project at its quota is first in the list, and leads its owner to a larger plan', async ({
  browser,
}) => {
  const project = await ownProject(browser, 'Zulu');
  const page = await project.open('');
  await createProject(page, 'Alpha');
  await project.sql`insert into usage_months (project_id, month, scope, incarnation, count)
    select ${project.projectId}, extract(year from at) * 12 + extract(month from at) - 1, 'project',
      'test', 10000 from (select now() at time zone 'UTC' as at) clock`;
  const firstOf = (shown: Page) => shown.getByRole('main').getByRole('listitem').first();
  await gotoReady(page, '/projects');
  await expect(firstOf(page)).toContainText('Zulu');
  await expect(firstOf(page)).toContainText('Quota used up');
  await expect(page.getByText('Quota used up')).toHaveCount(1);
  await firstOf(page).getByRole('link', { name: 'Choose a larger plan' }).click();
  await page.waitForURL(`**${project.at('subscription#plan')}`);
  await expect(page.getByRole('dialog', { name: 'Plan of the project' })).toBeVisible();

  await gotoReady(page, project.at(''));
  const wrong = (shown: Page) => shown.getByRole('list', { name: 'What is wrong' });
  await expect(wrong(page)).toContainText('all 10,000 requests of this month are used');
  // A line each; on a phone a few, so that five of them and what is below fit on one screen.
  for (const [width, most] of [
    [1280, 48],
    [390, 100],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await expect(wrong(page).getByText('requests of this month are used.')).toBeVisible();
    const line = await wrong(page).getByRole('listitem').first().boundingBox();
    expect(line?.height).toBeLessThanOrEqual(most);
  }
  const step = wrong(page).getByRole('link', { name: 'Choose a larger plan' });
  await expect(step).toHaveAttribute('href', project.at('subscription#plan'));

  const context = await browser.newContext();
  const viewer = newAccount();
  await register(context.request, viewer);
  await project.sql`insert into project_members (project_id, user_id, role)
    select ${project.projectId}, id, 'viewer' from users where email = ${viewer.email}`;
  const viewed = await context.newPage();
  for (const path of ['/projects', project.at('')]) {
    await gotoReady(viewed, path);
    await expect(wrong(viewed)).toBeVisible();
    await expect(viewed.getByRole('link', { name: 'Choose a larger plan' })).toHaveCount(0);
  }
  await context.close();
  await project.close();
});

test('the warning of a key that expires leads to the dialog that sets a later expiry', async ({
  browser,
}) => {
  const project = await ownProject(browser, 'Expiring');
  const { projectId, sql } = project;
  // Beyond the first steps, which the page of a new project shows.
  await sql`update projects set first_allowed_at = now() - interval '2 days'
    where id = ${projectId}`;
  const use = { project_id: projectId, month: 2025 * 12, scope: 'project', incarnation: 'e2e' };
  await sql`insert into usage_months ${sql({ ...use, count: 1 })}`;
  const expires_at = new Date(Date.now() + 3 * 86_400_000);
  const apiKeyId = await project.addKey('Nightly export', { expires_at });
  const page = await project.open('');
  await page.getByRole('link', { name: 'Set a later expiry' }).click();
  await page.waitForURL(`**${project.at(`keys/${apiKeyId}#expiry`)}`);
  await expect(page.getByRole('dialog', { name: /Nightly export/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Set expiry' }).last()).toBeInViewport();
  await project.close();
});

test('the list is filtered by keyboard, and the filter is in the URL', async ({ page }) => {
  await newUser(page);
  await createProject(page, 'Alpha');
  await createProject(page, 'Bravo');
  await page.goto('/projects');
  await pressShortcut(page, '/');
  await page.keyboard.type('brav');
  await expect(page).toHaveURL(/\?q=brav$/);
  const list = page.getByRole('main').getByRole('listitem');
  await expect(list).toHaveCount(1);
  await page.reload();
  await expect(list).toHaveCount(1);
  await expect(list).toContainText('Bravo');
});

test('the palette, the list of shortcuts and n work by keyboard', async ({ page }) => {
  await newUser(page);
  await gotoReady(page, '/projects');
  await pressShortcut(page, '?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await pressShortcut(page, 'n');
  await page.waitForURL('**/projects/new');
  await pressShortcut(page, 'Control+k');
  await expect(page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('acco');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/account');
});
