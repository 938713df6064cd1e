import { expect, type Page, test } from '@playwright/test';
import postgres from 'postgres';
import { expectAccessible } from './expect-accessible.ts';
import { type Account, addAuthenticator, gotoReady, newUser } from './support.ts';

let sql: postgres.Sql;
test.beforeAll(() => {
  if (!process.env.DATABASE_URL) throw new Error('needs the DATABASE_URL of a stack');
  sql = postgres(process.env.DATABASE_URL, { max: 1 });
});
test.afterAll(() => sql.end());

async function addPasskey(page: Page, { password }: Account, name = 'Test laptop') {
  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Add passkey…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  await expect(page.getByRole('list', { name: 'Passkeys' }).getByText(name).first()).toBeVisible();
}

async function usePasskey(page: Page) {
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
}

const expectSignedIn = (page: Page) =>
  expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
const REFUSED = 'This passkey does not sign in here';

test('a passkey is added with the password, signs in without one, is renamed and removed', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const account = await newUser(page);
  await addAuthenticator(page);
  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Add passkey…' }).click();
  const dialog = page.getByRole('dialog');
  await expectAccessible(page);
  await dialog.getByLabel('Name').fill('Test laptop');
  await dialog.getByLabel('Your password', { exact: true }).fill('a wrong password');
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  await expect(dialog.getByText('This is not your current password.')).toBeVisible();
  await dialog.getByLabel('Your password', { exact: true }).fill(account.password);
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  const list = page.getByRole('list', { name: 'Passkeys' });
  await expect(list.getByText('never used')).toBeVisible();
  await expectAccessible(page);

  await page.context().clearCookies();
  await usePasskey(page);
  await expectSignedIn(page);
  await gotoReady(page, '/account');
  await expect(page.getByText(account.email).first()).toBeVisible();
  await expect(list.getByText('last used')).toBeVisible();

  await list.getByRole('button', { name: 'Rename… Test laptop' }).click();
  await dialog.getByLabel('Name').fill('Desk');
  await dialog.getByRole('button', { name: 'Rename passkey' }).click();
  await list.getByRole('button', { name: 'Remove… Desk' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByLabel('Your password', { exact: true }).fill(account.password);
  await question.getByRole('button', { name: 'Remove passkey' }).click();
  await expect(page.getByText('Passkey removed')).toBeVisible();
  await expect(list).toHaveCount(0);
  await page.context().clearCookies();
  await usePasskey(page);
  await expect(page.getByText(REFUSED)).toBeVisible();
});

test('a passkey signs in only if its authenticator verified the user', async ({ page }) => {
  test.setTimeout(120_000);
  const account = await newUser(page);
  const { session, authenticatorId } = await addAuthenticator(page);
  await addPasskey(page, account);
  await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.context().clearCookies();
  await usePasskey(page);
  await expect(page.getByText('No passkey was used.')).toBeVisible();

  // A browser that does not pass on what the console requires gets no further.
  await page.addInitScript(() => {
    const get = navigator.credentials.get.bind(navigator.credentials);
    navigator.credentials.get = (options) => {
      if (options?.publicKey) options.publicKey.userVerification = 'discouraged';
      return get(options);
    };
  });
  await usePasskey(page);
  await expect(page.getByText(REFUSED)).toBeVisible();
});

/** What the browser answers to the console's challenge. It is kept from the console, so it is unused. */
async function captureAnswer(page: Page): Promise<{ csrfToken: string; answer: string }> {
  const captured = new Promise<URLSearchParams>((resolve) => {
    void page.route(/\/callback\/passkey/, async (route) => {
      await route.abort();
      resolve(new URLSearchParams(route.request().postData() ?? ''));
    });
  });
  await usePasskey(page);
  const form = await captured;
  return { csrfToken: form.get('csrfToken') ?? '', answer: form.get('answer') ?? '' };
}

test('an answer whose ID is no base64url is refused, and not taken for an outage', async ({
  page,
  baseURL,
}) => {
  test.setTimeout(120_000);
  const account = await newUser(page);
  await addAuthenticator(page);
  await addPasskey(page, account);
  await page.context().clearCookies();
  const { csrfToken, answer } = await captureAnswer(page);
  const parsed = JSON.parse(answer);
  const response = await page.request.post('/api/auth/callback/passkey', {
    headers: { origin: baseURL ?? '' },
    form: { csrfToken, json: 'true', answer: JSON.stringify({ ...parsed, id: 'a\u0000b' }) },
  });
  expect(await response.text()).toContain('error=CredentialsSignin');
});

test('the answer to a challenge works once, and in the browser that asked alone', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(120_000);
  const account = await newUser(page);
  await addAuthenticator(page);
  await addPasskey(page, account);
  await page.context().clearCookies();
  const headers = { origin: baseURL ?? '' };
  const { csrfToken, answer } = await captureAnswer(page);

  const thief = await browser.newContext();
  const theirs = await (await thief.request.get('/api/auth/csrf')).json();
  const stolen = await thief.request.post('/api/auth/callback/passkey', {
    headers,
    form: { csrfToken: theirs.csrfToken, json: 'true', answer },
  });
  expect(await stolen.text()).toContain('error=expired');
  await thief.close();

  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`);
  const send = async () => {
    const response = await fetch(`${baseURL}/api/auth/callback/passkey`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, cookie: cookie.join('; ') },
      body: new URLSearchParams({ csrfToken, json: 'true', answer }),
    });
    return response.headers.getSetCookie().some((line) => line.includes('session-token=e'));
  };
  expect(await send()).toBe(true);
  // As with a passkey that does not count: the challenge alone refuses the second use.
  await sql`update passkeys set counter = 0
    where user_id = (select id from users where email = ${account.email})`;
  expect(await send()).toBe(false);
});
