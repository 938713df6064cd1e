import { hashPassword } from '@ceiba/domain/password';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import postgres from 'postgres';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts';
import { until } from '../support/until.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';
import { expectAccessible } from './expect-accessible.ts';
import { consoleLog } from './own-project.ts';
import {
  type Account,
  chooseAction,
  expectListening,
  gotoReady,
  newAccount,
  newUser,
  signIn,
} from './support.ts';

const NEW_PASSWORD = 'copper lantern over the fjord';

const expectSignedIn = (page: Page) =>
  expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();

test.describe('by an administrator', () => {
  let sql: postgres.Sql;
  let context: BrowserContext;
  let page: Page;
  let email: string;
  let password: string;

  test.beforeAll(async ({ browser, baseURL }) => {
    if (!process.env.DATABASE_URL) throw new Error('needs the DATABASE_URL of a stack');
    sql = postgres(process.env.DATABASE_URL, { max: 1 });
    context = await browser.newContext({ baseURL: baseURL ?? '' });
    page = await context.newPage();
    ({ email, password } = await newUser(page));
    await sql`update users set is_administrator = true where email = ${email}`;
  });
  test.afterAll(async () => {
    await sql`update users set is_administrator = false where email = ${email}`;
    await context?.close();
    await sql.end();
  });

  /** Creates a link on the page of accounts. */
  async function createLink(account: Account): Promise<string> {
    await gotoReady(page, `/admin?tab=users&q=${account.email}`);
    await chooseAction(page, account.email, 'Reset password');
    const question = page.getByRole('alertdialog');
    await question.getByLabel('Your password', { exact: true }).fill(password);
    await question.getByRole('button', { name: 'Create link' }).click();
    const shown = page.getByRole('status').filter({ hasText: '/reset-password#' });
    const link = (await shown.innerText()).trim();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Leave without it' }).click();
    await expect(page.getByRole('row').filter({ hasText: account.email })).toBeVisible();
    return link;
  }

  test('a link sets the password once, ends every session, and is in no address or log', async ({
    browser,
  }) => {
    test.setTimeout(180_000);
    const elsewhere = await (await browser.newContext()).newPage();
    const account = await newUser(elsewhere);
    const replaced = await createLink(account);
    const link = await createLink(account);
    const token = link.slice(link.indexOf('#') + 1);
    expect(token).toMatch(/^ceiba_reset_[0-9A-Za-z]{49}$/);

    const opened = await (await browser.newContext()).newPage();
    const sent: string[] = [];
    opened.on('request', (request) => sent.push(request.url(), request.headers().referer ?? ''));
    await opened.goto(replaced);
    await expect(opened.getByText('replaced by a newer one')).toBeVisible();
    await opened.goto(link);
    await expect(opened.getByText(`For ${account.email}.`)).toBeVisible();
    await expect(opened).toHaveURL(/\/reset-password$/);
    await expectAccessible(opened);
    // Reading the link changes nothing.
    await elsewhere.goto('/projects');
    await expectSignedIn(elsewhere);
    const field = opened.getByLabel('New password', { exact: true });
    await field.fill('passwordpassword');
    await opened.getByRole('button', { name: 'Set password' }).click();
    await expect(opened.getByText('The password repeats itself')).toBeVisible();
    await expect(opened).toHaveURL(/\/reset-password$/);
    // What a refused password costs is limited; the link still works afterwards.
    const counted = sql`scope = 'password_change'
      and subject = (select id::text from users where email = ${account.email})`;
    await sql`update sign_in_attempts set count = count + 9 where ${counted}`;
    await opened.getByRole('button', { name: 'Set password' }).click();
    await expect(opened.getByText('Too many attempts. Try again in 15 minutes.')).toBeVisible();
    await sql`delete from sign_in_attempts where ${counted}`;
    await field.fill(NEW_PASSWORD);
    await opened.getByRole('button', { name: 'Set password' }).click();
    await expect(opened.getByText('Your password is changed')).toBeVisible();

    await elsewhere.goto('/projects');
    await expect(elsewhere).toHaveURL(/\/sign-in/);
    await signIn(elsewhere, account);
    await expect(elsewhere.getByText('The e-mail address or the password is wrong.')).toBeVisible();
    await signIn(elsewhere, { ...account, password: NEW_PASSWORD });
    await expectSignedIn(elsewhere);
    await opened.goto(link);
    await expect(opened.getByText('This link was used')).toBeVisible();
    expect(sent.filter((text) => text.includes(token))).toEqual([]);
    expect(consoleLog()).not.toContain(token);
    await gotoReady(elsewhere, '/audit');
    await expect(elsewhere.getByText('created a link to reset the password of')).toHaveCount(2);
    await opened.context().close();
    await elsewhere.context().close();
  });

  test('a second factor is removed for a user who lost the device', async ({ browser }) => {
    const elsewhere = await (await browser.newContext()).newPage();
    const account = await newUser(elsewhere);
    await sql`insert into authenticators (user_id, sealed_secret, confirmed_at)
      select id, '\\x01', now() from users where email = ${account.email}`;
    await elsewhere.context().clearCookies();
    await signIn(elsewhere, account);
    await expect(elsewhere.getByLabel('Code')).toBeVisible();
    // Its secret cannot be read, which the log says; no code is right.
    await elsewhere.getByLabel('Code').fill('123456');
    await elsewhere.getByRole('button', { name: 'Sign in' }).click();
    await expect(elsewhere.getByText('This code is wrong')).toBeVisible();
    await expect.poll(consoleLog).toContain('second_factor.unreadable');

    await gotoReady(page, `/admin?tab=users&q=${account.email}`);
    await expect(page.getByRole('cell', { name: 'password with a code' })).toBeVisible();
    await chooseAction(page, account.email, 'Remove second factor');
    await expectAccessible(page);
    const question = page.getByRole('alertdialog');
    await question.getByLabel('Your password', { exact: true }).fill(password);
    await question.getByRole('button', { name: 'Remove second factor' }).click();
    await expect(page.getByText('Second factor removed')).toBeVisible();
    await signIn(elsewhere, account);
    await expectSignedIn(elsewhere);
    await elsewhere.context().close();
  });
});

test('without a mail server, the page says that an administrator makes the link', async ({
  page,
}) => {
  await page.goto('/sign-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await expect(page.getByText('Ask your administrator for a link')).toBeVisible();
  await expectAccessible(page);
});

test.describe('by mail', () => {
  let database: TestDatabase;
  let app: ConsoleProcess;
  let smtp: SmtpReceiver;

  test.beforeAll(async () => {
    [database, smtp] = await Promise.all([createTestDatabase(), startSmtpReceiver()]);
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
    await database?.drop();
  });

  async function createAccount(): Promise<Account> {
    const account = newAccount();
    const passwordHash = await hashPassword(account.password);
    const db = postgres(database.url, { max: 1 });
    await db`insert into users (email, password_hash) values (${account.email}, ${passwordHash})`;
    await db.end();
    return account;
  }

  async function ask(page: Page, email: string): Promise<string> {
    await page.goto(`${app.url}/forgot-password`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await expect(page.getByText('Look at your mail')).toBeVisible();
    return page.locator('main').innerText();
  }

  const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email));

  test('a link arrives at the account’s address, and the answer is the same without one', async ({
    page,
  }) => {
    test.setTimeout(120_000);
    const account = await createAccount();
    const unknown = newAccount().email;
    const forUnknown = await ask(page, unknown);
    const forKnown = await ask(page, account.email.toUpperCase());
    expect(forKnown).toBe(forUnknown);
    await expectAccessible(page);
    await until('the mail arrives', async () => mailsTo(account.email).length > 0);
    expect(mailsTo(unknown)).toEqual([]);

    const [mail] = mailsTo(account.email);
    const link = /http\S+\/reset-password#\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    await page.goto(link);
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByText('Your password is changed')).toBeVisible();
    await until('the user is notified', async () =>
      mailsTo(account.email).some(({ headers }) =>
        headers.subject?.includes('Your password was changed'),
      ),
    );
    await page.goto(`${app.url}/sign-in`);
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectSignedIn(page);
    expect(app.log()).not.toContain(link.slice(link.indexOf('#') + 1));
  });

  test('the answer does not wait for the mail server, and the log names its failure', async ({
    page,
  }) => {
    const account = await createAccount();
    smtp.answer = 550;
    try {
      await ask(page, account.email);
      await until('the log has it', async () => app.log().includes('account_mail.failed'));
    } finally {
      smtp.answer = 'accept';
    }
    const failures = () => app.log().split('account_mail.failed').length;
    const before = failures();
    smtp.answer = 'never';
    try {
      await ask(page, account.email);
      // A mail server that does not greet fails only after ten seconds.
      expect(failures()).toBe(before);
    } finally {
      smtp.answer = 'accept';
    }
  });

  test('a change of the address is mailed to the old one, and ends a link that was sent there', async ({
    page,
  }) => {
    test.setTimeout(120_000);
    const account = await createAccount();
    await ask(page, account.email);
    await until('the mail arrives', async () => mailsTo(account.email).length > 0);
    const link = /http\S+\/reset-password#\S+/.exec(mailsTo(account.email)[0]?.text ?? '')?.[0];
    await page.goto(`${app.url}/sign-in?next=/account`);
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/account');
    await expectListening(page);
    await page.getByRole('button', { name: 'Change address…' }).click();
    const dialog = page.getByRole('dialog');
    const { email } = newAccount();
    await dialog.getByLabel('E-mail', { exact: true }).fill(email);
    await dialog.getByLabel('Your password', { exact: true }).fill('a wrong password');
    await dialog.getByRole('button', { name: 'Send link' }).click();
    await expect(dialog.getByText('This is not your current password.')).toBeVisible();
    await expect(dialog.getByLabel('E-mail', { exact: true })).toHaveValue(email);
    await dialog.getByLabel('Your password', { exact: true }).fill(account.password);
    await dialog.getByRole('button', { name: 'Send link' }).click();
    await until('the mail arrives', async () => mailsTo(email).length > 0);
    await page.goto(/http\S+\/confirm-email#\S+/.exec(mailsTo(email)[0]?.text ?? '')?.[0] ?? '');
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.waitForURL('**/account');
    const part = page.getByRole('region', { name: 'E-mail address' });
    await expect(part.getByText(email)).toBeVisible();
    await until('the user is notified', async () =>
      mailsTo(account.email).some(({ text }) => text.includes('now has another e-mail address')),
    );
    // A reset would go to the new address, which is the thief's if this was one.
    const notice = mailsTo(account.email).find(({ text }) =>
      text.includes('another e-mail address'),
    );
    expect(notice?.text).toContain('inform the administrator');
    expect(notice?.text).not.toContain('/forgot-password');
    await page.goto(link ?? '');
    await expect(page.getByText('This link was used or replaced')).toBeVisible();
  });

  test('a link of an administrator and the removal of a passkey are mailed to the user', async ({
    page,
  }) => {
    test.setTimeout(120_000);
    const [administrator, account] = [await createAccount(), await createAccount()];
    const db = postgres(database.url, { max: 1 });
    await db`update users set is_administrator = true where email = ${administrator.email}`;
    await db`insert into passkeys
        (user_id, credential_id, public_key, counter, transports, name, is_backed_up)
      select id, 'mailed', '\\x01', 0, '{}', 'Laptop', false from users
      where email = ${account.email}`;
    await db.end();
    const signInTo = async ({ email, password }: Account, next: string) => {
      await page.context().clearCookies();
      await page.goto(`${app.url}/sign-in?next=${encodeURIComponent(next)}`);
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL((url) => url.pathname !== '/sign-in');
      await expectListening(page);
    };
    const question = page.getByRole('alertdialog');
    const isMailed = (subject: string) =>
      until('the user is notified', async () =>
        mailsTo(account.email).some(({ headers }) => headers.subject?.includes(subject)),
      );
    await signInTo(account, '/account');
    await page.getByRole('button', { name: 'Remove… Laptop' }).click();
    await question.getByLabel('Your password', { exact: true }).fill(account.password);
    await question.getByRole('button', { name: 'Remove passkey' }).click();
    await isMailed('A passkey was removed from your account');

    await signInTo(administrator, `/admin?tab=users&q=${account.email}`);
    await chooseAction(page, account.email, 'Reset password');
    await question.getByLabel('Your password', { exact: true }).fill(administrator.password);
    await question.getByRole('button', { name: 'Create link' }).click();
    await isMailed('An administrator created a link');
    expect(JSON.stringify(mailsTo(account.email))).not.toContain('ceiba_reset_');
  });

  test('a user with fewer than three recovery codes is asked for new ones by mail and on the account page', async ({
    page,
  }) => {
    test.setTimeout(120_000);
    const account = await createAccount();
    const codes = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(16));
    const db = postgres(database.url, { max: 1 });
    await db`insert into authenticators (user_id, sealed_secret, confirmed_at)
      select id, '\\x01', now() from users where email = ${account.email}`;
    await db`insert into recovery_codes (user_id, code_digest)
      select id, sha256(convert_to(code, 'UTF8')) from users, unnest(${codes}::text[]) as code
      where email = ${account.email}`;
    await db.end();
    const signInWith = async (code: string | undefined) => {
      await page.context().clearCookies();
      await page.goto(`${app.url}/sign-in?next=/account`);
      await page.getByLabel('E-mail').fill(account.email);
      await page.getByLabel('Password', { exact: true }).fill(account.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Code').fill(code ?? '');
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    const hint = page.getByText('Create new recovery codes');
    await signInWith(codes[0]);
    await expect(page.getByText('3 recovery codes left')).toBeVisible();
    await expect(hint).toHaveCount(0);
    await signInWith(codes[1]);
    await expect(page.getByText('2 recovery codes left')).toBeVisible();
    await expect(hint).toBeVisible();
    await until('both are mailed', async () => mailsTo(account.email).length === 2);
    expect(mailsTo(account.email).map(({ headers }) => headers.subject)).toEqual([
      'A recovery code signed in to your account',
      'Few recovery codes are left',
    ]);
  });
});
