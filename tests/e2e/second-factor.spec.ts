import { expect, type Page, test } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import postgres from 'postgres';
import { expectAccessible } from './expect-accessible.ts';
import { consoleLog } from './own-project.ts';
import { type Account, addAuthenticator, gotoReady, newUser, signIn } from './support.ts';

let sql: postgres.Sql;
test.beforeAll(() => {
  if (!process.env.DATABASE_URL) throw new Error('needs the DATABASE_URL of a stack');
  sql = postgres(process.env.DATABASE_URL, { max: 1 });
});
test.afterAll(() => sql.end());

/** The code of a step from now, which the test passes on to Postgres's memory of used steps. */
const codeAt = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

/** So that the codes of this moment count as unused. */
const forgetSteps = ({ email }: Account) => sql`
  update authenticators set last_step = null
  where user_id = (select id from users where email = ${email})`;

/** Opens the set-up of an authenticator app on the account page. */
async function startSetUp(page: Page, password: string) {
  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Set up authenticator app…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByLabel('Code')).toBeFocused();
  return page.getByRole('region', { name: 'Second factor' });
}

/** Turns the second factor on through the account page. */
async function turnOn(page: Page, { password }: Account) {
  const part = await startSetUp(page, password);
  await expect(part.getByRole('img', { name: 'QR code of the secret' })).toBeVisible();
  const secret = (await part.locator('code').innerText()).replaceAll(/\s/g, '');
  await expectAccessible(page);
  await part.getByLabel('Code').fill('000000');
  await part.getByRole('button', { name: 'Turn on' }).click();
  await expect(part.getByText('This code is wrong')).toBeVisible();
  await part.getByLabel('Code').fill(codeAt(secret));
  await part.getByRole('button', { name: 'Turn on' }).click();
  const shown = part.getByRole('status').filter({ hasText: '-' });
  const recoveryCodes = (await shown.innerText()).trim().split(/\s+/);
  expect(recoveryCodes).toHaveLength(10);
  await expectAccessible(page);
  await part.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await expect(part.getByText('10 recovery codes left')).toBeVisible();
  return { secret, recoveryCodes };
}

async function typeCode(page: Page, code: string) {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const expectSignedIn = (page: Page) =>
  expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
const sessionCookie = async (page: Page) =>
  (await page.context().cookies()).filter(({ name }) => name.includes('session-token'));

test('a second factor is asked for after the password, and nothing opens before it', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const account = await newUser(page);
  const { secret, recoveryCodes } = await turnOn(page, account);
  await page.context().clearCookies();

  await signIn(page, { ...account, password: 'a wrong password' });
  await expect(page.getByText('The e-mail address or the password is wrong.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Create one' })).toBeVisible();
  await signIn(page, account);
  await expect(page.getByLabel('Code')).toBeFocused();
  await expect(page.getByRole('link', { name: 'Create one' })).toHaveCount(0);
  await expectAccessible(page);
  expect(await sessionCookie(page)).toEqual([]);
  expect((await page.request.get('/projects', { maxRedirects: 0 })).status()).toBe(307);
  const token = (await page.context().cookies()).find(({ name }) =>
    name.endsWith('.second-factor'),
  );
  expect(token).toMatchObject({ httpOnly: true, sameSite: 'Strict' });

  // The code that turned it on is used up, and no guess is right.
  await typeCode(page, '123456');
  await expect(page.getByText('This code is wrong')).toBeVisible();
  await forgetSteps(account);
  const code = codeAt(secret);
  await typeCode(page, code);
  await expectSignedIn(page);

  // The same code again, in another sign-in.
  await page.context().clearCookies();
  await signIn(page, account);
  await typeCode(page, code);
  await expect(page.getByText('it was used before')).toBeVisible();
  expect(await sessionCookie(page)).toEqual([]);

  // A recovery code, once.
  const [recovery = ''] = recoveryCodes;
  await typeCode(page, recovery.toUpperCase());
  await expectSignedIn(page);
  await page.context().clearCookies();
  await signIn(page, account);
  await typeCode(page, recovery);
  await expect(page.getByText('This code is wrong')).toBeVisible();

  for (const secretText of [secret, ...recoveryCodes])
    expect(consoleLog()).not.toContain(secretText);
});

test('the step of another browser is of no use without its cookie', async ({ page, browser }) => {
  test.setTimeout(120_000);
  const account = await newUser(page);
  const { recoveryCodes } = await turnOn(page, account);
  await page.context().clearCookies();
  await signIn(page, account);
  await expect(page.getByLabel('Code')).toBeVisible();

  const other = await browser.newContext();
  const { csrfToken } = await (await other.request.get('/api/auth/csrf')).json();
  const answer = await other.request.post('/api/auth/callback/second-factor', {
    headers: { origin: new URL(page.url()).origin },
    form: { csrfToken, json: 'true', code: recoveryCodes[0] ?? '' },
  });
  expect(await answer.text()).toContain('error=expired');
  expect((await other.cookies()).filter(({ name }) => name.includes('session'))).toEqual([]);
  await other.close();

  // The browser that typed the password still can.
  await typeCode(page, recoveryCodes[0] ?? '');
  await expectSignedIn(page);
});

test('a passkey, which stands for the second factor, is added only with a code', async ({
  page,
}) => {
  test.setTimeout(120_000);
  const account = await newUser(page);
  const { recoveryCodes } = await turnOn(page, account);
  await addAuthenticator(page);
  const [code = ''] = recoveryCodes;
  const dialog = page.getByRole('dialog');
  const add = async (name: string, typed: string) => {
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Your password', { exact: true }).fill(account.password);
    await dialog.getByLabel('Code').fill(typed);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
  };
  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Add passkey…' }).click();
  await expectAccessible(page);
  await add('Laptop', '');
  await expect(dialog.getByText('Fill this in.')).toBeVisible();
  await add('Laptop', '123456');
  await expect(dialog.getByText('This code is wrong')).toBeVisible();
  await add('Laptop', code);
  const list = page.getByRole('list', { name: 'Passkeys' });
  await expect(list.getByText('never used')).toBeVisible();
  await expect(page.getByText('9 recovery codes left')).toBeVisible();
  await page.getByRole('button', { name: 'Add passkey…' }).click();
  await add('Phone', code);
  await expect(dialog.getByText('it was used before')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list.getByRole('listitem')).toHaveCount(1);
});

test('an access token, which needs neither later, is created only with password and code', async ({
  page,
}) => {
  test.setTimeout(120_000);
  const account = await newUser(page);
  const { password } = account;
  const earlier = await page.context().newPage();
  await gotoReady(earlier, '/account');
  const { recoveryCodes } = await turnOn(page, account);
  const [code = ''] = recoveryCodes;

  // A page that was loaded before has no field for the code.
  await earlier.getByRole('button', { name: 'Create access token…' }).click();
  const without = earlier.getByRole('dialog');
  await without.getByLabel('Name').fill('Deploy');
  await without.getByLabel('Your password', { exact: true }).fill(password);
  await without.getByRole('button', { name: 'Create access token' }).click();
  await expect(without.getByRole('alert')).toHaveText(
    'This page has no field “code”: Fill this in. Reload it, then try again.',
  );
  await earlier.close();

  const dialog = page.getByRole('dialog');
  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Create access token…' }).click();
  await dialog.getByLabel('Name').fill('Deploy');
  for (const [typed, answer] of [
    ['', 'Fill this in.'],
    ['123456', 'This code is wrong'],
  ] as const) {
    await dialog.getByLabel('Your password', { exact: true }).fill(password);
    await dialog.getByLabel('Code').fill(typed);
    await dialog.getByRole('button', { name: 'Create access token' }).click();
    await expect(dialog.getByText(answer)).toBeVisible();
  }
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByLabel('Code').fill(code);
  await dialog.getByRole('button', { name: 'Create access token' }).click();
  await expect(page.getByText('Copy the access token now')).toBeVisible();
});

test('without a set-up that waits for it, no code is counted', async ({ page }) => {
  const account = await newUser(page);
  const part = await startSetUp(page, account.password);
  await part.getByLabel('Code').fill('000000');
  await sql`delete from authenticators
    where user_id = (select id from users where email = ${account.email})`;
  await part.getByRole('button', { name: 'Turn on' }).click();
  await expect(page.getByText('This set-up has expired or was replaced')).toBeVisible();
  const counted = await sql`select 1 from sign_in_attempts where scope = 'second_factor'
    and subject = (select id::text from users where email = ${account.email})`;
  expect(counted).toHaveLength(0);
});

test('the second factor is turned off by password and code, and then no longer asked for', async ({
  page,
}) => {
  test.setTimeout(120_000);
  const account = await newUser(page);
  const { recoveryCodes } = await turnOn(page, account);
  await page.getByRole('button', { name: 'Turn off…' }).click();
  const dialog = page.getByRole('alertdialog');
  await expectAccessible(page);
  await dialog.getByLabel('Your password', { exact: true }).fill('a wrong password');
  await dialog.getByLabel('Code').fill(recoveryCodes[0] ?? '');
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await expect(dialog.getByText('This is not your current password.')).toBeVisible();
  await dialog.getByLabel('Your password', { exact: true }).fill(account.password);
  await dialog.getByLabel('Code').fill('123456');
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await expect(dialog.getByText('This code is wrong')).toBeVisible();
  await dialog.getByLabel('Code').fill(recoveryCodes[0] ?? '');
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await expect(page.getByText('Second factor is off')).toBeVisible();
  await page.context().clearCookies();
  await signIn(page, account);
  await expectSignedIn(page);
});
