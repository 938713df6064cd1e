import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import postgres from 'postgres';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';
import { expectAccessible } from './expect-accessible.ts';
import { type OpenIdIssuer, startOpenIdIssuer } from './openid-issuer.ts';
import {
  addAuthenticator,
  createAdministrator,
  gotoReady,
  newAccount,
  setupToken,
  submitSignUp,
} from './support.ts';

let issuer: OpenIdIssuer;
let database: TestDatabase;
let app: ConsoleProcess;

test.beforeAll(async () => {
  issuer = await startOpenIdIssuer();
  database = await createTestDatabase();
  await createAdministrator(database.url);
  app = await startConsoleWithIssuer(database.url);
});
test.afterAll(async () => {
  await app?.stop();
  await database?.drop();
  await issuer?.stop();
});

const startConsoleWithIssuer = (databaseUrl: string) =>
  startConsole({
    DATABASE_URL: databaseUrl,
    SIGN_UP: 'open',
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: issuer.clientId,
    OIDC_CLIENT_SECRET: issuer.clientSecret,
    OIDC_NAME: 'Example Login',
  });

test('the first account by a provider takes the setup token too', async ({ page }) => {
  const empty = await createTestDatabase();
  const first = await startConsoleWithIssuer(empty.url);
  const sql = postgres(empty.url, { max: 1 });
  try {
    issuer.claims = { sub: randomUUID(), email: newAccount().email, email_verified: true };
    const throughProvider = page.getByRole('button', { name: 'Continue with Example Login' });
    await page.goto(`${first.url}/sign-in`);
    await throughProvider.click();
    await expect(page.getByText('There is no administrator yet.')).toBeVisible();
    await page.goto(`${first.url}/sign-up`);
    await page.getByLabel('Setup token').fill('wrong');
    await throughProvider.click();
    await expect(page.getByText('Enter the setup token that')).toBeVisible();
    expect([...(await sql`select email from users`)]).toEqual([]);

    await page.getByLabel('Setup token').fill(await setupToken(empty.url));
    await throughProvider.click();
    await page.waitForURL(`${first.url}/projects`);
    await page.goto(`${first.url}/account`);
    await expect(page.getByText('Administrator', { exact: true })).toBeVisible();
    const kept = (await page.context().cookies()).map(({ name }) => name);
    expect(kept.filter((name) => name.endsWith('.setup-token'))).toEqual([]);
  } finally {
    await sql.end();
    await first.stop();
    await empty.drop();
  }
});

test('an identity creates an account once, and signs in to the same account again', async ({
  page,
  browser,
}) => {
  const claims = { sub: randomUUID(), email: newAccount().email, email_verified: true };
  issuer.claims = claims;
  await page.goto(`${app.url}/sign-in?next=/account`);
  await page.getByRole('button', { name: 'Continue with Example Login' }).click();
  await page.waitForURL(`${app.url}/account`);
  await expect(page.getByRole('main').getByText(claims.email)).toBeVisible();
  await expect(page.getByText('Current password')).toHaveCount(0);

  // The e-mail address at the provider may change; the subject identifies the user.
  issuer.claims = { ...claims, email: newAccount().email };
  const again = await (await browser.newContext()).newPage();
  await again.goto(`${app.url}/sign-in?next=/account`);
  await again.getByRole('button', { name: 'Continue with Example Login' }).click();
  await expect(again.getByRole('main').getByText(claims.email)).toBeVisible();
  await again.context().close();
});

test('an identity is never linked to an account by its e-mail address', async ({ page }) => {
  const owner = newAccount();
  await page.goto(`${app.url}/sign-up`);
  await submitSignUp(page, owner);
  await page.waitForURL(`${app.url}/projects`);
  await page.context().clearCookies();

  issuer.claims = { sub: randomUUID(), email: owner.email.toUpperCase(), email_verified: true };
  await page.goto(`${app.url}/sign-in`);
  await page.getByRole('button', { name: 'Continue with Example Login' }).click();
  await expect(page.getByText('a matching address alone does not link accounts')).toBeVisible();
  await page.goto(`${app.url}/projects`);
  await expect(page).toHaveURL(/\/sign-in/);
});

test('an unverified or missing e-mail address is refused', async ({ page }) => {
  issuer.claims = { sub: randomUUID(), email: newAccount().email, email_verified: false };
  await page.goto(`${app.url}/sign-in`);
  await page.getByRole('button', { name: 'Continue with Example Login' }).click();
  await expect(page.getByText('has not verified this e-mail address')).toBeVisible();

  issuer.claims = { sub: randomUUID() };
  await page.getByRole('button', { name: 'Continue with Example Login' }).click();
  await expect(page.getByText('The provider did not share an e-mail address')).toBeVisible();
});

test('a user without a password changes how they sign in only right after signing in', async ({
  page,
}) => {
  const email = newAccount().email;
  issuer.claims = { sub: randomUUID(), email, email_verified: true };
  await page.goto(`${app.url}/sign-in?next=/account`);
  await page.getByRole('button', { name: 'Continue with Example Login' }).click();
  await page.waitForURL(`${app.url}/account`);
  await expect(page.getByRole('region', { name: 'Second factor' })).toHaveCount(0);
  const sql = postgres(database.url, { max: 1 });
  const signedInAgo = (minutes: number) => sql`
    update sessions set created_at = now() - ${minutes} * interval '1 minute'
    where user_id = (select id from users where email = ${email})`;
  const dialog = page.getByRole('dialog');
  const isTooLate = dialog.getByText('You signed in more than 10 minutes ago');
  const open = async (name: string) => {
    await gotoReady(page, `${app.url}/account`);
    await page.getByRole('button', { name }).click();
  };
  try {
    await addAuthenticator(page);
    await open('Add passkey…');
    await dialog.getByLabel('Name').fill('Laptop');
    await expect(dialog.getByLabel('Your password')).toHaveCount(0);
    await signedInAgo(11);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await expect(isTooLate).toBeVisible();
    // From then on the dialogs say so before anything is typed.
    for (const name of ['Add passkey…', 'Delete account…']) {
      await open(name);
      await expect(isTooLate).toBeVisible();
      await expect(dialog.getByRole('textbox')).toHaveCount(0);
      await expect(dialog.getByRole('button', { name: 'Sign out' })).toBeVisible();
      await expectAccessible(page);
    }
    await signedInAgo(0);
    await open('Delete account…');
    await dialog.getByLabel(/to confirm/).fill(email);
    await signedInAgo(11);
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await expect(isTooLate).toBeVisible();
    await signedInAgo(0);
    await open('Add passkey…');
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await expect(page.getByRole('list', { name: 'Passkeys' })).toContainText('Laptop');
  } finally {
    await sql.end();
  }
});
