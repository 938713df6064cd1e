import { randomBytes } from 'node:crypto';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { chooseAction, gotoReady, newAccount, newUser } from './support.ts';

let project: OwnProject;
let context: BrowserContext;
let page: Page;
let email: string;
let password: string;

/** Another test may own the first account of the installation, so SQL makes this one administrator. */
test.beforeAll(async ({ browser, baseURL }) => {
  project = await ownProject(browser, 'Reports');
  context = await browser.newContext({ baseURL: baseURL ?? '' });
  page = await context.newPage();
  ({ email, password } = await newUser(page));
  await project.sql`update users set is_administrator = true where email = ${email}`;
});
test.afterAll(async () => {
  await project.sql`update users set is_administrator = false where email = ${email}`;
  await context?.close();
  await project?.close();
});

test('other users see neither the page nor a link to it', async () => {
  const stranger = await project.open('');
  await expect(stranger.getByRole('link', { name: 'Administration' })).toHaveCount(0);
  expect((await stranger.goto('/admin'))?.status()).toBe(404);
  expect((await stranger.goto('/admin/audit'))?.status()).toBe(404);
});

test('a plan is added, changed and deleted, and errors are beside their fields', async () => {
  const name = `Tiny ${randomBytes(4).toString('hex')}`;
  await gotoReady(page, '/projects');
  await page.getByRole('link', { name: 'Administration' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Administration');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Add plan' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Free');
  await dialog.getByLabel('Requests per month').fill('1,000');
  await dialog.getByLabel('Requests per minute').fill('lots');
  await dialog.getByLabel('Active keys').fill('2');
  await dialog.getByRole('button', { name: 'Add plan' }).click();
  await expect(dialog.getByText('Must be a whole number, 0 or more.')).toBeVisible();
  await dialog.getByLabel('Requests per minute').fill('10');
  await dialog.getByRole('button', { name: 'Add plan' }).click();
  await expect(dialog.getByText('There is a plan with this name already.')).toBeVisible();
  await expect(dialog.getByLabel('Requests per month')).toHaveValue('1,000');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Add plan' }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('1,000');

  await row.getByRole('button', { name: `Change ${name}` }).click();
  await dialog.getByLabel('Requests per month').fill('2000');
  await dialog.getByRole('button', { name: 'Save plan' }).click();
  await expect(row).toContainText('2,000');

  // No owner's log has it, because it belongs to no project.
  await page.getByRole('link', { name: 'Audit', exact: true }).last().click();
  await page.waitForURL('**/admin/audit');
  const change = page.getByRole('listitem').filter({ hasText: `changed plan ${name}` });
  await expect(change).toContainText(email);
  const ofProjects = page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ hasText: 'created project' });
  await expect(ofProjects).toHaveCount(0);
  await change.locator('summary').click();
  await expect(change.getByRole('insertion')).toHaveText('2,000');
  await expectAccessible(page);
  await page.getByLabel('Type').selectOption('Plans');
  await expect(page).toHaveURL(/admin\/audit\?.*kind=plan/);
  await expect(change).toBeVisible();
  await gotoReady(page, '/admin');

  await project.usePlan(name);
  await row.getByRole('button', { name: `Delete ${name}` }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Delete plan' }).click();
  await expect(question.getByRole('alert')).toContainText(
    '1 project chose this plan in the meantime',
  );
  await question.getByRole('button', { name: 'Keep plan' }).click();
  await project.usePlan('Free');
  await gotoReady(page, '/admin');
  await row.getByRole('button', { name: `Delete ${name}` }).click();
  await question.getByRole('button', { name: 'Delete plan' }).click();
  await expect(row).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Delete Free' })).toBeDisabled();
});

test('an account becomes an administrator, and is deleted only by its e-mail address', async ({
  browser,
}) => {
  const other = newAccount();
  const elsewhere = await (await browser.newContext()).newPage();
  await newUser(elsewhere, other);
  await gotoReady(page, `/admin?tab=users&q=${other.email}`);
  const row = page.getByRole('row').filter({ hasText: other.email });
  await expectAccessible(page);
  await chooseAction(page, other.email, 'Make administrator');
  const question = page.getByRole('alertdialog');
  const own = question.getByLabel('Your password', { exact: true });
  await expectAccessible(page);
  await own.fill('a wrong password');
  await question.getByRole('button', { name: 'Make administrator' }).click();
  await expect(question.getByText('This is not your current password.')).toBeVisible();
  await own.fill(password);
  await question.getByRole('button', { name: 'Make administrator' }).click();
  await expect(row.getByText('Administrator', { exact: true })).toBeVisible();
  expect((await elsewhere.goto('/admin'))?.status()).toBe(200);

  await page.getByRole('button', { name: `Actions for ${other.email}` }).click();
  await expect(page.getByRole('button', { name: 'Remove administrator' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog');
  await expectAccessible(page);
  await expect(dialog.getByRole('button', { name: 'Delete account' })).toBeDisabled();
  await dialog.getByLabel(/to confirm/).fill(other.email);
  await dialog.getByLabel('Your password', { exact: true }).fill('a wrong password');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await expect(dialog.getByText('This is not your current password.')).toBeVisible();
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await expect(page.getByText('Account deleted')).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('No e-mail address contains this text.')).toBeVisible();
  await elsewhere.goto('/projects');
  await expect(elsewhere).toHaveURL(/\/sign-in/);
  await elsewhere.context().close();
});

test('retention is refused outside its bounds, and saved within them', async () => {
  await gotoReady(page, '/admin?tab=retention');
  await expectAccessible(page);
  await page.getByLabel('Days of usage').fill('7');
  await page.getByRole('button', { name: 'Save retention' }).click();
  await expect(page.getByText('Must be from 31 to 3,650 days, or empty.')).toBeVisible();
  await page.getByLabel('Days of usage').fill('3,650');
  await page.getByLabel('Days of recorded requests').fill('91');
  await page.getByRole('button', { name: 'Save retention' }).click();
  await expect(page.getByText('Must be from 1 to 90 days.')).toBeVisible();
  await page.getByLabel('Days of recorded requests').fill('7');
  await page.getByRole('button', { name: 'Save retention' }).click();
  await expect(page.getByText('Retention saved')).toBeVisible();
  await gotoReady(page, '/admin?tab=retention');
  await expect(page.getByLabel('Days of usage')).toHaveValue('3650');
  await page.getByLabel('Days of usage').fill('');
  await page.getByRole('button', { name: 'Save retention' }).click();
  await expect
    .poll(async () => (await project.sql`select usage_retention_days as days from settings`)[0])
    .toEqual({ days: null });
});
