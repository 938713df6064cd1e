import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type APIRequestContext,
  type CDPSession,
  expect,
  type Locator,
  type Page,
} from '@playwright/test';
import { callAction, idOf } from './call-action.ts';

export interface Account {
  email: string;
  password: string;
}

/** A new account, because tests share one console. */
export const newAccount = (): Account => ({
  email: `person-${randomBytes(6).toString('hex')}@example.com`,
  password: `passphrase ${randomBytes(12).toString('hex')}`,
});

/** Creates an account and signs the browser of a page in, by the requests of the forms. */
export async function newUser(page: Page, account: Account = newAccount()): Promise<Account> {
  await register(page.request, account);
  return account;
}

/** Creates an account and signs in, by the requests of the forms. */
export async function register(request: APIRequestContext, account: Account): Promise<void> {
  const { origin } = await askToken(request);
  const created = await callAction(request, {
    id: idOf('(account)/sign-up/actions.ts createAccount'),
    path: '/sign-up',
    fields: { ...account },
    headers: { origin },
  });
  expect(created.state, created.text).toMatchObject({ kind: 'done' });
  const signedIn = await postToAuth(request, 'callback/credentials', { ...account });
  expect(signedIn).not.toContain('error=');
}

/** Posts to a route of next-auth, as its client does. Returns the answer. */
export async function postToAuth(
  request: APIRequestContext,
  route: string,
  form: Record<string, string>,
): Promise<string> {
  const { origin, csrfToken } = await askToken(request);
  const answer = await request.post(`/api/auth/${route}`, {
    headers: { origin },
    form: { csrfToken, json: 'true', ...form },
  });
  return answer.text();
}

async function askToken(request: APIRequestContext) {
  const asked = await request.get('/api/auth/csrf');
  const { csrfToken } = await asked.json();
  return { origin: new URL(asked.url()).origin, csrfToken };
}

/** Creates an account through the sign-up page and lands on the projects page. */
export async function signUp(page: Page, account: Account = newAccount()): Promise<Account> {
  await page.goto('/sign-up');
  await submitSignUp(page, account);
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
  return account;
}

/** Fills the sign-up form in and submits it. */
export async function submitSignUp(page: Page, account: Account): Promise<void> {
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Creates the first account of an installation, the administrator. */
export async function signUpFirst(
  page: Page,
  { url, databaseUrl }: { url: string; databaseUrl: string },
): Promise<Account> {
  const account = newAccount();
  await expect.poll(async () => (await page.request.get(`${url}/api/ready`)).status()).toBe(200);
  await page.goto(`${url}/sign-up`);
  await page.getByLabel('Setup token').fill(await setupToken(databaseUrl));
  await submitSignUp(page, account);
  await page.waitForURL(`${url}/projects`);
  return account;
}

/** Makes an installation one in which the next account is an ordinary one. */
export async function createAdministrator(
  databaseUrl: string,
  { email, password } = { ...newAccount(), email: 'administrator@example.com' },
): Promise<void> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, CEIBA_OWNER_PASSWORD: password };
  const args = [CEIBA, 'owner', 'create', '--email', email];
  await promisify(execFile)(process.execPath, args, { env });
}

/** A new setup token, as `ceiba setup-token` prints it to a program. */
export async function setupToken(databaseUrl: string): Promise<string> {
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [CEIBA, 'setup-token'], { env });
  return stdout.trim();
}

const CEIBA = fileURLToPath(new URL('../../apps/cli/bin/ceiba.mjs', import.meta.url));

export async function signIn(page: Page, account: Account): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export interface CreatedProject {
  projectId: string;
  projectSecret: string;
}

/** Creates a project through its page and opens it. */
export async function createProject(page: Page, name: string): Promise<CreatedProject> {
  await gotoReady(page, '/projects/new');
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create project' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `${name} is created` })).toBeVisible();
  const projectSecret = (
    await page.getByRole('status').filter({ hasText: 'ceiba_secret_' }).innerText()
  ).trim();
  const projectId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(
    (await page.getByRole('button', { name: /^Copy project ID/ }).getAttribute('aria-label')) ?? '',
  )?.[0];
  if (projectId === undefined) throw new Error('the page shows no project ID');
  await page.getByRole('button', { name: 'Done' }).click();
  const leave = page.getByRole('button', { name: 'Leave without it' });
  await leave.click();
  await page.waitForURL(`**/projects/${projectId}`);
  return { projectId, projectSecret };
}

/** Opens a signed-in page and waits until it listens to the keyboard. */
export async function gotoReady(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expectListening(page);
}

/** Loads a signed-in page again and waits until it listens to the keyboard. */
export async function reloadReady(page: Page): Promise<void> {
  await page.reload();
  await expectListening(page);
}

/** Input before the scripts of a page run is lost. */
export const expectListening = (page: Page) =>
  expect(page.locator('html[data-shortcuts]')).toBeAttached();

/** Presses a key once the page listens for it. */
export async function pressShortcut(page: Page, key: string): Promise<void> {
  await expectListening(page);
  await page.keyboard.press(key);
}

/** Chooses an action in the menu of a row. */
export async function chooseAction(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${row}`, exact: true }).click();
  await page.getByRole('button', { name: action, exact: true }).click();
}

export interface Authenticator {
  session: CDPSession;
  authenticatorId: string;
}

/** Gives the browser an authenticator, with a user who unlocks it unless `isUserVerified` is false. */
export async function addAuthenticator(page: Page, isUserVerified = true): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}

/** Chooses a plan by a part of its name, in the form of a page or a dialog. */
/** Shows the fields of a new key below its name and customer. */
export const unfoldKeyFields = (page: Page) =>
  page.locator('summary', { hasText: 'Limits, scopes and expiry' }).click();

/** Holds the requests of a page until they are released. */
export async function hold(page: Page, address: string, method: 'GET' | 'POST') {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    if (route.request().method() === method) await released;
    await route.continue();
  });
  return { release };
}

/** Changes the plan of a project on its page. */
export async function changePlan(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Change plan' }).click();
  const dialog = page.getByRole('dialog');
  await choosePlan(dialog, name);
  await dialog.getByRole('button', { name: `Change to ${name}` }).click();
  await expect(page.getByText(`On the plan ${name}.`)).toBeVisible();
}

export async function choosePlan(form: Page | Locator, name: string): Promise<Locator> {
  const field = form.getByRole('combobox', { name: 'Plan', exact: true });
  await field.fill(name);
  await form.getByRole('listbox', { name: 'Plans' }).getByRole('option', { name }).first().click();
  await expect(field).toHaveValue(name);
  return field;
}
