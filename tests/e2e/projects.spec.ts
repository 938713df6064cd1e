import { expect, test } from '@playwright/test';
import { createProject, gotoReady, newUser, pressShortcut } from './support.ts';

test('a new project shows its secret once, with snippets that work when pasted', async ({
  page,
}) => {
  await newUser(page);
  await gotoReady(page, '/projects/new');
  await page.getByLabel('Name').fill('Reports');
  await page.getByRole('button', { name: 'Create project' }).click();
  const secret = await page.getByRole('status').filter({ hasText: 'ceiba_secret_' }).innerText();
  expect(secret.trim()).toMatch(/^ceiba_secret_[0-9A-Za-z]{49}$/);
  await expect(page.locator('pre').first()).toContainText(`CEIBA_PROJECT_SECRET=${secret.trim()}`);
  await page.getByRole('radio', { name: 'Express' }).check();
  await expect(page.locator('pre:visible')).toContainText('createExpressMiddleware');
  await page.getByRole('radio', { name: 'Fastify' }).check();
  await expect(page.locator('pre:visible')).toContainText('createFastifyPreHandler');
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
