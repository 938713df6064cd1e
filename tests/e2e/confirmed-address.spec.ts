import { hashPassword } from '@ceiba/domain/password';
import { createDatabase, createUser, type Database, setPassword } from '@ceiba/schema';
import { expect, type Page, test } from '@playwright/test';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts';
import { until } from '../support/until.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';
import { expectAccessible } from './expect-accessible.ts';
import { type Account, expectListening, newAccount } from './support.ts';

/** With a mail server, a new address counts once a link that was mailed to it is used. */

let database: TestDatabase;
let db: Database;
let app: ConsoleProcess;
let smtp: SmtpReceiver;

test.beforeAll(async () => {
  [database, smtp] = await Promise.all([createTestDatabase(), startSmtpReceiver()]);
  db = createDatabase(database.url, { maxConnections: 2 });
  // The first account of an installation has another proof.
  await createAccount();
  app = await startConsole({
    DATABASE_URL: database.url,
    SIGN_UP: 'open',
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Ceiba <ceiba@example.com>',
  });
});
test.afterAll(async () => {
  await app?.stop();
  await smtp?.close();
  await db?.close();
  await database?.drop();
});

const context = () => ({
  db,
  actor: { kind: 'cli' } as const,
  clientAddress: null,
  requestId: null,
});

async function createAccount(): Promise<Account & { userId: string }> {
  const account = newAccount();
  const passwordHash = await hashPassword(account.password);
  const created = await createUser(context(), { email: account.email, passwordHash });
  if (created.kind !== 'created') throw new Error(created.kind);
  return { ...account, userId: created.userId };
}

const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email));

async function mailTo(email: string, subject: string): Promise<string> {
  const found = () => mailsTo(email).find(({ headers }) => headers.subject === subject);
  await until('the mail arrives', async () => found() !== undefined);
  return found()?.text ?? '';
}

const linkIn = (text: string): string => /http\S+#\S+/.exec(text)?.[0] ?? '';

/** Asks for an account. @returns all that the page then says */
async function signUpWith(page: Page, email: string): Promise<string> {
  await page.goto(`${app.url}/sign-up`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText('Look at your mail')).toBeVisible();
  return page.locator('main').innerText();
}

async function signInAs(page: Page, { email, password }: Account, next: string): Promise<void> {
  await page.goto(`${app.url}/sign-in?next=${encodeURIComponent(next)}`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`**${next}`);
}

const usersWith = (email: string) => db.sql`select id from users where email = ${email}`;

test('sign-up answers alike for a free and a taken address, and the rest happens by mail', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const taken = await createAccount();
  const free = newAccount();
  const forTaken = await signUpWith(page, taken.email.toUpperCase());
  expect(await signUpWith(page, free.email)).toBe(forTaken);
  await expectAccessible(page);
  const notice = await mailTo(taken.email, 'You have an account already');
  expect(notice).not.toContain('#');
  const link = linkIn(await mailTo(free.email, 'Finish creating your account'));
  expect(await usersWith(free.email)).toHaveLength(0);

  await page.goto(link);
  await expect(page.getByText(`For ${free.email}.`)).toBeVisible();
  await expect(page).toHaveURL(/\/sign-up\/confirm$/);
  await expectAccessible(page);
  // Opening the link creates nothing: programs that scan mail open links too.
  expect(await usersWith(free.email)).toHaveLength(0);
  await page.getByLabel('Password', { exact: true }).fill('too short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('The password must be at least')).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill(free.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
  expect(await usersWith(free.email)).toHaveLength(1);

  await page.context().clearCookies();
  await page.goto(link);
  await page.getByLabel('Password', { exact: true }).fill('another passphrase of some length');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('This account was created already.')).toBeVisible();
  await page.goto(`${link}x`);
  await expect(page.getByText('This link is not complete, or it has expired.')).toBeVisible();
  expect(app.log()).not.toContain(link.slice(link.indexOf('#') + 1));
});

test('a changed address counts once its link is used, and the answer does not say whether it is taken', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const account = await createAccount();
  const taken = await createAccount();
  const { email } = newAccount();
  await signInAs(page, account, '/account');
  const askFor = async (address: string) => {
    await page.goto(`${app.url}/account`);
    await expectListening(page);
    await page.getByRole('button', { name: 'Change address…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail', { exact: true }).fill(address);
    await dialog.getByLabel('Your password', { exact: true }).fill(account.password);
    await dialog.getByRole('button', { name: 'Send link' }).click();
    await expect(page.getByText('Open the link in the mail to the new address')).toBeVisible();
    await expect(dialog).toHaveCount(0);
  };
  await askFor(taken.email);
  await askFor(email);
  await mailTo(taken.email, 'You have an account already');
  const link = linkIn(await mailTo(email, 'Confirm your new e-mail address'));
  expect(await usersWith(account.email)).toHaveLength(1);

  // The mail alone changes nothing, and another user neither.
  await page.context().clearCookies();
  await page.goto(link);
  await expect(page.getByRole('link', { name: 'Sign in to confirm' })).toBeVisible();
  await expectAccessible(page);
  await signInAs(page, taken, '/account');
  await page.goto(link);
  await page.getByRole('button', { name: 'Use this address' }).click();
  await expect(page.getByText('You are signed in with another account')).toBeVisible();
  expect(await usersWith(account.email)).toHaveLength(1);

  await page.context().clearCookies();
  await signInAs(page, account, '/account');
  await page.goto(link);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use this address' }).click();
  await page.waitForURL('**/account');
  expect(await usersWith(email)).toHaveLength(1);
  expect(await usersWith(account.email)).toHaveLength(0);
  await mailTo(account.email, 'Your e-mail address was changed');
});

test('a link to a new address ends with a new password of the account', async ({ page }) => {
  test.setTimeout(120_000);
  const account = await createAccount();
  const { email } = newAccount();
  await signInAs(page, account, '/account');
  await expectListening(page);
  await page.getByRole('button', { name: 'Change address…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail', { exact: true }).fill(email);
  await dialog.getByLabel('Your password', { exact: true }).fill(account.password);
  await dialog.getByRole('button', { name: 'Send link' }).click();
  const link = linkIn(await mailTo(email, 'Confirm your new e-mail address'));
  const password = 'copper lantern over the fjord';
  const { userId } = account;
  await setPassword(context(), { userId, passwordHash: await hashPassword(password) });
  await page.context().clearCookies();
  await signInAs(page, { ...account, password }, '/account');
  await page.goto(link);
  await page.getByRole('button', { name: 'Use this address' }).click();
  await expect(page.getByText('This link is not complete, or it ended')).toBeVisible();
  expect(await usersWith(account.email)).toHaveLength(1);
});
