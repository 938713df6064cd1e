import { expect, test } from '@playwright/test';
import { callAction, readBuiltActions } from './call-action.ts';
import { newAccount, signIn, signUp } from './support.ts';

test('a new person signs up, signs out and signs in again', async ({ page }) => {
  const account = await signUp(page);
  await page.goto('/account');
  await expect(page.getByText(account.email).first()).toBeVisible();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await page.goto('/projects');
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, account);
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
});

test('a page that needs a session leads back to itself after signing in', async ({ page }) => {
  const account = await signUp(page);
  await page.context().clearCookies();
  await page.goto('/account?from=test');
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/account?from=test');
});

test('sign-in never leads to another site', async ({ page, baseURL }) => {
  const account = await signUp(page);
  await page.context().clearCookies();
  await page.goto('/sign-in?next=//evil.example/x');
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${baseURL}/projects`);
});

test('a copied cookie is worth nothing after signing out', async ({
  page,
  playwright,
  baseURL,
}) => {
  await signUp(page);
  const cookies = await page.context().storageState();
  await page.goto('/account');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
  const thief = await playwright.request.newContext({
    storageState: cookies,
    ...(baseURL === undefined ? {} : { baseURL }),
  });
  const asked = await thief.get('/api/auth/session');
  expect(await asked.json()).toEqual({});
  const kept = (await thief.storageState()).cookies.map(({ name }) => name);
  expect(kept.filter((name) => name.includes('session-token'))).toEqual([]);
  await thief.dispose();
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
  const account = await signUp(page);
  const other = await browser.newContext();
  const elsewhere = await other.newPage();
  await signIn(elsewhere, account);
  await expect(elsewhere.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
  await page.goto('/account');
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page.getByText('You are signed out in every browser')).toBeVisible();
  await elsewhere.goto('/projects');
  await expect(elsewhere).toHaveURL(/\/sign-in/);
  await other.close();
});

test('a changed password ends every session and is the only one that works', async ({ page }) => {
  const account = await signUp(page);
  await page.goto('/account');
  const newPassword = 'another passphrase altogether';
  await page.getByLabel('Current password').fill('not the present one');
  await page.getByLabel('New password').fill(newPassword);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('This is not your current password.')).toBeVisible();
  await page.getByLabel('Current password').fill(account.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Your password is changed')).toBeVisible();
  await signIn(page, account);
  await expect(page.getByText('The e-mail address or the password is wrong.')).toBeVisible();
  await signIn(page, { ...account, password: newPassword });
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
});

test('of two tabs that change the password at once one does, and the other is told so', async ({
  page,
  baseURL,
}) => {
  const account = await signUp(page);
  const id = readBuiltActions().find(({ name }) => name.endsWith('changePassword'))?.id ?? '';
  const answers = await Promise.all(
    ['one new passphrase', 'other new passphrase'].map(async (newPassword) => {
      const fields = { currentPassword: account.password, newPassword };
      const headers = { origin: baseURL ?? '' };
      const call = { id, path: '/account', fields, headers };
      return { newPassword, ...(await callAction(page.request, call)) };
    }),
  );
  const changed = answers.filter(({ redirect }) => redirect?.startsWith('/sign-in'));
  const refused = answers.filter(({ state }) => state?.code === 'signed_out');
  expect([changed.length, refused.length]).toEqual([1, 1]);
  await signIn(page, { ...account, password: changed[0]?.newPassword ?? '' });
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
});

test('sign-up keeps what was typed and says how to mend it', async ({ page }) => {
  await page.goto('/sign-up');
  await page.getByLabel('E-mail').fill('somebody@example.com');
  await page.getByLabel('Password', { exact: true }).fill('too short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('The password must be at least 12 characters')).toBeVisible();
  await expect(page.getByLabel('E-mail')).toHaveValue('somebody@example.com');
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('too short');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
});

test('sign-up refuses an address that has an account', async ({ page }) => {
  const account = await signUp(page);
  await page.context().clearCookies();
  await page.goto('/sign-up');
  await page.getByLabel('E-mail').fill(account.email.toUpperCase());
  await page.getByLabel('Password', { exact: true }).fill('a passphrase of some length');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('An account with this address exists already')).toBeVisible();
});

test('sign-in says beside a field what is wrong with it, and keeps what was typed', async ({
  page,
}) => {
  await page.goto('/sign-in');
  const email = page.getByLabel('E-mail');
  const password = page.getByLabel('Password', { exact: true });
  const press = () => page.getByRole('button', { name: 'Sign in' }).click();
  await email.fill('somebody');
  await press();
  await expect(email).toHaveAccessibleDescription('Must be an e-mail address.');
  await expect(email).toBeFocused();
  await expect(password).toHaveAccessibleDescription('Fill this in.');
  await email.fill('somebody@example.com');
  await press();
  await expect(password).toBeFocused();
  await expect(email).toHaveAccessibleDescription('');
  await expect(email).toHaveValue('somebody@example.com');
  await password.fill('a wrong password');
  await press();
  await expect(page.getByText('The e-mail address or the password is wrong.')).toBeVisible();
  await expect(password).toHaveAccessibleDescription('');
  await expect(email).toHaveValue('somebody@example.com');
});

test('sign-in that is pressed before the scripts are there is not lost, nor in the address', async ({
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
  await email.fill('nobody@example.com');
  await page.getByLabel('Password', { exact: true }).fill('a wrong password');
  await page.getByRole('button', { name: 'Sign in' }).click({ noWaitAfter: true });
  release();
  await expect(page.getByText('The e-mail address or the password is wrong.')).toBeVisible();
  await expect(email).toHaveValue('nobody@example.com');
  expect(new URL(page.url()).search).toBe('');
});

test('without scripts each page says that it needs them, and public ones do not', async ({
  page,
  browser,
  baseURL,
}) => {
  await signUp(page);
  const withoutScripts = {
    javaScriptEnabled: false,
    ...(baseURL === undefined ? {} : { baseURL }),
  };
  const anonymous = await browser.newContext(withoutScripts);
  const storageState = await page.context().storageState();
  const signedIn = await browser.newContext({ ...withoutScripts, storageState });
  for (const [context, path, isTold] of [
    [anonymous, '/', false],
    [anonymous, '/status', false],
    [anonymous, '/sign-in', true],
    [anonymous, '/sign-up', true],
    [signedIn, '/projects', true],
  ] as const) {
    const opened = await context.newPage();
    await opened.goto(path);
    await expect(opened.getByRole('heading', { level: 1 })).toBeVisible();
    const told = opened.getByText('The console needs JavaScript', { exact: true });
    await expect(told).toBeVisible({ visible: isTold });
  }
  await expect(page.getByText('The console needs JavaScript')).toHaveCount(0);
  await anonymous.close();
  await signedIn.close();
});

test('a known and an unknown address are answered alike, and both are limited', async ({
  page,
}) => {
  const known = await signUp(page);
  await page.context().clearCookies();
  for (const email of [known.email, newAccount().email]) {
    const answers: string[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      await signIn(page, { email, password: 'a wrong password' });
      answers.push(await page.getByRole('alert').filter({ hasText: '.' }).innerText());
    }
    // The known one has made one attempt by signing up, which its first sign-in forgave.
    expect(new Set(answers.slice(0, 10))).toEqual(
      new Set(['The e-mail address or the password is wrong.']),
    );
    expect(answers[10]).toMatch(/^Too many attempts\. Try again in 15 minutes\.$/);
  }
});

test('the session cookie is out of reach of scripts and of other sites', async ({ page }) => {
  await signUp(page);
  const cookies = await page.context().cookies();
  const session = cookies.find(({ name }) => name.endsWith('next-auth.session-token'));
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
});
