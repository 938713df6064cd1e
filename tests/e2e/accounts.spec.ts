import { expect, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { gotoReady, newAccount, newUser, postToAuth, signIn, signUp } from './support.ts';

test('a new user signs up, signs out and signs in again', async ({ page }) => {
  const account = await signUp(page);
  await gotoReady(page, '/account');
  await expect(page.getByText(account.email).first()).toBeVisible();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await page.goto('/projects');
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, account);
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
});

test('a page that needs a session leads back to itself after signing in', async ({ page }) => {
  const account = await newUser(page);
  await page.context().clearCookies();
  await page.goto('/account?from=test');
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/account?from=test');
});

test('a form that was signed out links to sign-in, and works after it with what was typed', async ({
  page,
}) => {
  const account = await newUser(page);
  await gotoReady(page, '/projects/new');
  await page.getByLabel('Name').fill('Kept');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create project' }).click();
  const error = page.getByRole('alert').filter({ hasText: 'You are signed out.' });
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    error.getByRole('link', { name: 'Sign in' }).click(),
  ]);
  await expectAccessible(page);
  await tab.getByLabel('E-mail').fill(account.email);
  await tab.getByLabel('Password', { exact: true }).fill(account.password);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await expect(tab.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
  await page.getByRole('button', { name: 'Create project' }).click();
  await expect(page.getByRole('heading', { name: 'Kept is created' })).toBeVisible();
});

test('sign-in never leads to another site', async ({ page, baseURL }) => {
  const account = await newUser(page);
  await page.context().clearCookies();
  await page.goto('/sign-in?next=//evil.example/x');
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${baseURL}/projects`);
});

test('a sign-in link with any error and notice shows the form', async ({ page }) => {
  for (const word of ['constructor', '__proto__', 'unknown']) {
    await page.goto(`/sign-in?error=${word}&notice=${word}`);
    await expect(page.getByRole('main').getByRole('alert')).toContainText(
      'Signing in with this provider failed.',
    );
    await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  }
});

test('a copied cookie is invalid after signing out', async ({ page, playwright, baseURL }) => {
  await newUser(page);
  const cookies = await page.context().storageState();
  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
  const copy = await playwright.request.newContext({
    storageState: cookies,
    ...(baseURL === undefined ? {} : { baseURL }),
  });
  const asked = await copy.get('/api/auth/session');
  expect(await asked.json()).toEqual({});
  const kept = (await copy.storageState()).cookies.map(({ name }) => name);
  expect(kept.filter((name) => name.includes('session-token'))).toEqual([]);
  await copy.dispose();
  const again = await playwright.request.newContext({
    storageState: cookies,
    ...(baseURL === undefined ? {} : { baseURL }),
  });
  const response = await again.get('/projects', { maxRedirects: 0 });
  expect(response.status()).toBe(307);
  expect(response.headers().location).toContain('/sign-in');
  await again.dispose();
});

test('signing out everywhere ends the sessions of other browsers', async ({ page, browser }) => {
  const account = await newUser(page);
  const other = await browser.newContext();
  const elsewhere = await other.newPage();
  await signIn(elsewhere, account);
  await expect(elsewhere.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  // The dialog has the same words before the action has ended.
  await page.waitForURL('**/sign-in?*');
  await expect(page.getByText('You are signed out in every browser')).toBeVisible();
  await elsewhere.goto('/projects');
  await expect(elsewhere).toHaveURL(/\/sign-in/);
  await other.close();
});

test('a changed password ends every session and is the only one that works', async ({ page }) => {
  const account = await newUser(page);
  await gotoReady(page, '/account');
  const newPassword = 'another passphrase altogether';
  await page.getByRole('button', { name: 'Change password…' }).click();
  const dialog = page.getByRole('dialog');
  await expectAccessible(page);
  await dialog.getByLabel('Current password').fill('not the present one');
  await dialog.getByLabel('New password').fill(newPassword);
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('This is not your current password.')).toBeVisible();
  await expect(dialog.getByLabel('New password')).toHaveValue(newPassword);
  await dialog.getByLabel('Current password').fill(account.password);
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Your password is changed')).toBeVisible();
  await signIn(page, account);
  await expect(page.getByText('The e-mail address or the password is wrong.')).toBeVisible();
  await signIn(page, { ...account, password: newPassword });
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
});

test('sign-in shows errors beside the fields and keeps the input', async ({ page }) => {
  await page.goto('/sign-in');
  const email = page.getByLabel('E-mail');
  const password = page.getByLabel('Password', { exact: true });
  const press = () => page.getByRole('button', { name: 'Sign in' }).click();
  await email.fill('typed');
  await press();
  await expect(email).toHaveAccessibleDescription('Must be an e-mail address.');
  await expect(email).toBeFocused();
  await expect(password).toHaveAccessibleDescription('Fill this in.');
  await email.fill('typed@example.com');
  await press();
  await expect(password).toBeFocused();
  await expect(email).toHaveAccessibleDescription('');
  await expect(email).toHaveValue('typed@example.com');
  await password.fill('a wrong password');
  await press();
  await expect(page.getByText('The e-mail address or the password is wrong.')).toBeVisible();
  await expect(password).toHaveAccessibleDescription('');
  await expect(email).toHaveValue('typed@example.com');
});

test('sign-in works if it is submitted before the scripts load, and the URL stays empty', async ({
  page,
}) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/_next/static/**/*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/sign-in', { waitUntil: 'commit' });
  const email = page.getByLabel('E-mail');
  await email.fill('early@example.com');
  await page.getByLabel('Password', { exact: true }).fill('a wrong password');
  await page.getByRole('button', { name: 'Sign in' }).click({ noWaitAfter: true });
  release();
  await expect(page.getByText('The e-mail address or the password is wrong.')).toBeVisible();
  await expect(email).toHaveValue('early@example.com');
  expect(new URL(page.url()).search).toBe('');
});

test('pages with forms ask for JavaScript if it is off', async ({ page, browser, baseURL }) => {
  await newUser(page);
  await page.goto('/projects');
  const withoutScripts = {
    javaScriptEnabled: false,
    ...(baseURL === undefined ? {} : { baseURL }),
  };
  const anonymous = await browser.newContext(withoutScripts);
  const storageState = await page.context().storageState();
  const signedIn = await browser.newContext({ ...withoutScripts, storageState });
  for (const [context, path, isAsked] of [
    [anonymous, '/', false],
    [anonymous, '/status', false],
    [anonymous, '/sign-in', true],
    [anonymous, '/sign-up', true],
    [signedIn, '/projects', true],
  ] as const) {
    const opened = await context.newPage();
    await opened.goto(path);
    await expect(opened.getByRole('heading', { level: 1 })).toBeVisible();
    const notice = opened.getByText('The console needs JavaScript', { exact: true });
    await expect(notice).toBeVisible({ visible: isAsked });
  }
  await expect(page.getByText('The console needs JavaScript')).toHaveCount(0);
  await anonymous.close();
  await signedIn.close();
});

test('a known and an unknown e-mail address get the same answers and the same limit', async ({
  page,
}) => {
  const known = await newUser(page);
  await page.context().clearCookies();
  const answers = new Set<string>();
  const attempt = async (email: string) => {
    await signIn(page, { email, password: 'a wrong password' });
    return page.getByRole('alert').filter({ hasText: '.' }).innerText();
  };
  const refusal = 'The e-mail address or the password is wrong.';
  // Sign-up counts as one attempt, which its sign-in resets.
  for (const email of [known.email, newAccount().email]) {
    expect(await attempt(email)).toBe(refusal);
    for (let n = 0; n < 8; n += 1) {
      const form = { email, password: 'a wrong password' };
      answers.add(await postToAuth(page.request, 'callback/credentials', form));
    }
    expect(await attempt(email)).toBe(refusal);
    expect(await attempt(email)).toMatch(/^Too many attempts\. Try again in \d+ minutes\.$/);
  }
  expect([...answers]).toEqual([expect.stringContaining('error=CredentialsSignin')]);
});
