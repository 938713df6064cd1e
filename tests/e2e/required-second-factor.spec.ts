import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, type Page, test } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import postgres from 'postgres';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';
import { expectAccessible } from './expect-accessible.ts';
import {
  type Account,
  addAuthenticator,
  createProject,
  expectListening,
  gotoReady,
  newAccount,
  newUser,
  postToAuth,
  signUpFirst,
  submitSignUp,
} from './support.ts';

/** The rule concerns a whole installation, so these tests have one of their own. */
let database: TestDatabase;
let app: ConsoleProcess;
let sql: postgres.Sql;

test.beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 1 });
  app = await startConsole({ DATABASE_URL: database.url, SIGN_UP: 'open' });
});
test.afterAll(async () => {
  await app?.stop();
  await sql?.end();
  await database?.drop();
});

const CEIBA = fileURLToPath(new URL('../../apps/cli/bin/ceiba.mjs', import.meta.url));
const ceiba = (...args: string[]) =>
  promisify(execFile)(process.execPath, [CEIBA, ...args], {
    env: { ...process.env, DATABASE_URL: database.url },
  });

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

/** Sets an authenticator app up on the account page, and returns its secret. */
async function setUpApp(page: Page, password: string): Promise<string> {
  await expectListening(page);
  await page.getByRole('button', { name: 'Set up authenticator app…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const part = page.getByRole('region', { name: 'Second factor' });
  const secret = (await part.locator('code').innerText()).replaceAll(/\s/g, '');
  await part.getByLabel('Code').fill(codeOf(secret));
  await part.getByRole('button', { name: 'Turn on' }).click();
  await part.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await expect(part.getByText('10 recovery codes left')).toBeVisible();
  return secret;
}

const isRequired = async () =>
  (await sql`select requires_second_factor as is from settings`)[0]?.is;
const SET_UP_FIRST = 'Set up a second factor to continue';

test('an administrator who has a second factor requires one, and users without it set it up first', async ({
  page,
  browser,
}) => {
  test.setTimeout(240_000);
  const admin = await signUpFirst(page, { url: app.url, databaseUrl: database.url });
  await gotoReady(page, `${app.url}/admin?tab=sign-in`);
  await expect(page.getByText('Optional. 1 account of 1 has none.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Require a second factor…' })).toBeDisabled();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Set one up' }).click();
  await page.waitForURL(`${app.url}/account`);
  await setUpApp(page, admin.password);

  const user = await browser.newPage();
  const account = newAccount();
  await user.goto(`${app.url}/sign-up`);
  await submitSignUp(user, account);
  await user.waitForURL(`${app.url}/projects`);

  await gotoReady(page, `${app.url}/admin?tab=sign-in`);
  await page.getByRole('button', { name: 'Require a second factor…' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('1 account of 2 has none.');
  await expectAccessible(page);
  await question.getByLabel('Your password', { exact: true }).fill('a wrong password');
  await question.getByRole('button', { name: 'Require it' }).click();
  await expect(question.getByText('This is not your current password.')).toBeVisible();
  expect(await isRequired()).toBe(false);
  await question.getByLabel('Your password', { exact: true }).fill(admin.password);
  await question.getByRole('button', { name: 'Require it' }).click();
  await expect(page.getByText('Required. 1 account of 2 has none.')).toBeVisible();
  await gotoReady(page, `${app.url}/admin/audit`);
  await expect(
    page.getByRole('listitem').filter({ hasText: `${admin.email} required a second factor` }),
  ).toBeVisible();

  // The session that the user has is led to the account page, which shows how to go on and nothing else.
  await user.goto(`${app.url}/projects`);
  await user.waitForURL(`${app.url}/account`);
  await expect(user.getByText(SET_UP_FIRST)).toBeVisible();
  await expect(user.getByRole('heading', { name: 'Passkeys' })).toBeVisible();
  await expect(user.getByRole('heading', { name: 'Delete account' })).toHaveCount(0);
  await expectAccessible(user);
  await setUpApp(user, account.password);
  await expect(user.getByText(SET_UP_FIRST)).toHaveCount(0);
  await user.goto(`${app.url}/projects`);
  await expect(user.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
  await user.close();
});

test('where it is required, a passkey is enough, and the password alone then signs in no more', async ({
  page,
}) => {
  test.setTimeout(180_000);
  await ceiba('require-second-factor', 'on');
  const account = newAccount();
  await page.goto(`${app.url}/sign-up`);
  await submitSignUp(page, account);
  await page.waitForURL(`${app.url}/account`);
  await addAuthenticator(page);
  await expectListening(page);
  await page.getByRole('button', { name: 'Add passkey…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Laptop');
  await dialog.getByLabel('Your password', { exact: true }).fill(account.password);
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  await expect(page.getByText('never used')).toBeVisible();
  await expect(page.getByText(SET_UP_FIRST)).toHaveCount(0);

  await page.context().clearCookies();
  await page.goto(`${app.url}/sign-in`);
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('yours is a passkey. Sign in with it')).toBeVisible();
  await expect
    .poll(
      () => sql`select after ->> 'attempts' as attempts from audit_log
      where action = 'sign_in.refuse_without_passkey' and target_label = ${account.email}`,
    )
    .toMatchObject([{ attempts: '1' }]);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(`${app.url}/projects`);
  const rows = await sql`select action, after ->> 'method' as method from audit_log
    where target_label = ${account.email} and action = 'sign_in.succeed' order by id`;
  expect(rows.map(({ method }) => method)).toEqual(['password', 'passkey']);

  // The way out for an operator.
  const { stdout } = await ceiba('require-second-factor', 'off');
  expect(stdout).toBe('A second factor is optional.\n');
  expect(await isRequired()).toBe(false);
});

test('refused sign-ins are counted for an account alone, and not beyond the limit', async ({
  page,
  playwright,
}) => {
  const account = newAccount();
  await page.goto(`${app.url}/sign-up`);
  await submitSignUp(page, account);
  // The sign-in that follows sign-up resets the limit.
  await page.waitForURL(`${app.url}/projects`);
  const request = await playwright.request.newContext({ baseURL: app.url });
  const wrong = ({ email }: Account) =>
    postToAuth(request, 'callback/credentials', { email, password: 'a wrong password' });
  const stranger = newAccount();
  const answers = [];
  for (let n = 0; n < 12; n += 1) {
    answers.push(await wrong(account));
    await wrong(stranger);
  }
  expect(answers.map((text) => /error=([a-zA-Z]+)/.exec(text)?.[1])).toEqual([
    ...Array<string>(10).fill('CredentialsSignin'),
    'limited',
    'limited',
  ]);
  const attempts = () => sql`select after ->> 'attempts' as attempts, client_address from audit_log
    where action = 'sign_in.refuse' and target_label = ${account.email}`;
  await expect.poll(attempts).toEqual([{ attempts: '10', client_address: '127.0.0.1' }]);
  const ofStranger = sql`select 1 from audit_log where to_jsonb(audit_log)::text like ${`%${stranger.email}%`}`;
  expect([...(await ofStranger)]).toEqual([]);
  await request.dispose();

  // The user sees it on their page, and its filter has it.
  await gotoReady(page, `${app.url}/audit?kind=sign_in`);
  const row = page
    .getByRole('listitem')
    .filter({ hasText: `Ceiba refused sign-ins to ${account.email}` });
  await row.locator('summary').click();
  await expect(row.getByRole('insertion').first()).toHaveText('10');
  await expectAccessible(page);
});

test('the owner of a project sees which member has a second factor, and a member does not', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(120_000);
  const stack = postgres(process.env.DATABASE_URL ?? '', { max: 1 });
  const owner = await newUser(page);
  const { projectId } = await createProject(page, 'Shared');
  const context = await browser.newContext({ baseURL: baseURL ?? '' });
  const memberPage = await context.newPage();
  const member = await newUser(memberPage);
  await stack`insert into project_members (project_id, user_id, role)
    select ${projectId}, id, 'viewer' from users where email = ${member.email}`;
  const members = `/projects/${projectId}/members`;
  await gotoReady(page, members);
  const row = page.getByRole('row').filter({ hasText: member.email });
  await expect(row).toContainText('None');
  // It is an exception only where one is required.
  await expect(row.getByText('None', { exact: true }).last()).toHaveClass(/\btext-muted\b/);
  await gotoReady(memberPage, '/account');
  await setUpApp(memberPage, member.password);
  await gotoReady(page, members);
  await expect(row).toContainText('Authenticator app');
  await expect(page.getByRole('row').filter({ hasText: owner.email })).toContainText('None');
  await expectAccessible(page);
  const seen = await (await memberPage.request.get(members)).text();
  expect(seen).toContain(owner.email);
  expect(seen).not.toMatch(/\bsecondFactor\b|Second factor/);
  await context.close();
  await stack.end();
});
