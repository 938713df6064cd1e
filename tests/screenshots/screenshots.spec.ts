import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@ceiba/devstack/settings';
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import postgres from 'postgres';
import { PAGES } from '../e2e/pages.ts';
import {
  type Account,
  addAuthenticator,
  chooseAction,
  choosePlan,
  createAdministrator,
  gotoReady,
  signIn,
  signUp,
} from '../e2e/support.ts';
import { fillSample, type Sample } from './sample.ts';

/**
 * Screenshots of every page and of states that need a step: on phone and desktop in both themes, and
 * on desktop at 200 %. Nothing is compared; look at them.
 */

const FOLDER = join(root, '.screenshots');
const README_FOLDER = join(root, 'docs/images');

interface Look {
  name: string;
  width: number;
  height: number;
  /** Device pixels per pixel; 2 is a browser's zoom of 200 %. */
  scale?: number;
  colorScheme: 'light' | 'dark';
}

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme): Look[] => [
  { name: `phone-${colorScheme}`, width: 390, height: 844, colorScheme },
  { name: `desktop-${colorScheme}`, width: 1440, height: 800, colorScheme },
  { name: `zoom-${colorScheme}`, width: 720, height: 450, scale: 2, colorScheme },
]);

/** A user without projects, a viewer of the sample project, and one with a passkey and a code. */
const OTHERS = ['newcomer', 'viewer', 'secured'] as const;
type Other = (typeof OTHERS)[number];

interface View {
  signedIn: boolean;
  /** Instead of the owner: see {@link OTHERS}. */
  as?: Other;
  path: (sample: Sample) => string;
  /** Steps before the screenshot. */
  act?: (page: Page) => Promise<void>;
}

const inEmpty = (path: string): View => ({
  path: ({ emptyProjectId }) => `/projects/${emptyProjectId}${path}`,
  signedIn: true,
});
const onPage = (name: keyof typeof PAGES, view: Partial<View>): View => {
  const page = PAGES[name];
  if (page === undefined) throw new Error(`there is no page ${name}`);
  return { ...page, ...view };
};
/** A page of the sample project at another address. */
const showing = (name: keyof typeof PAGES, address: string) =>
  onPage(name, { path: ({ projectId }) => `/projects/${projectId}/${address}` });
const simulated = (query: (sample: Sample) => Record<string, string>): View => ({
  path: (sample) => `/projects/${sample.projectId}/simulator?${new URLSearchParams(query(sample))}`,
  signedIn: true,
});
const ofUser = (name: string, action: string) =>
  onPage('users', { act: (page) => chooseAction(page, `${name}@example.com`, action) });
async function openMenuOfFirstKey(page: Page) {
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
}
async function chooseOfFirstKey(page: Page, item: string) {
  await openMenuOfFirstKey(page);
  await page.getByRole('button', { name: item, exact: true }).locator('visible=true').click();
}

async function selectTwoKeys(page: Page) {
  const boxes = page.getByRole('checkbox', { name: /^Select / }).locator('visible=true');
  for (const index of [1, 2]) await boxes.nth(index).check();
}
const forTwoKeys = (button: string) =>
  onPage('keys', {
    act: async (page) => {
      await selectTwoKeys(page);
      await page.getByRole('button', { name: button }).click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
    },
  });
const pressFirst = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).locator('visible=true').first().click();

/** Each screenshot creates a project, which needs a new name. */
let projectsCreated = 0;

/** States that {@link PAGES} does not show. */
const STATES: Record<string, View> = {
  'projects, empty': { path: () => '/projects', signedIn: true, as: 'newcomer' },
  'account, new': onPage('account', { as: 'newcomer' }),
  'not found, signed in': onPage('not found', { signedIn: true }),
  'not found in the console': onPage('account', { path: () => '/projects/nowhere' }),
  'not permitted': onPage('create key', { as: 'viewer' }),
  'keys, viewer': onPage('keys', { as: 'viewer' }),
  'settings, viewer': onPage('settings', { as: 'viewer' }),
  'members, viewer': onPage('members', { as: 'viewer' }),
  'overview, empty': inEmpty(''),
  'keys, empty': inEmpty('/keys'),
  'customers, empty': inEmpty('/customers'),
  'plans of customers, empty': inEmpty('/plans'),
  'plan of customers, new': onPage('plans of customers', { act: pressFirst('Add plan') }),
  'customer, billing day': onPage('customer', { act: pressFirst('Set billing day') }),
  'customer, viewer': onPage('customer', { as: 'viewer' }),
  'key, scopes': onPage('key', { act: pressFirst('Set scopes') }),
  'key, replace': onPage('key', { act: pressFirst('Replace key') }),
  'key, end the old secret': onPage('key', { act: pressFirst('End it now') }),
  'keys, imported': showing('keys', 'keys?hint=imported'),
  'policies, empty': inEmpty('/policies'),
  'usage, empty': inEmpty('/usage'),
  'usage, two months': showing('usage', 'usage?range=90d'),
  'usage, 24 hours': showing('usage', 'usage?range=24h'),
  'usage, 30 days': showing('usage', 'usage?range=30d'),
  'usage, days': onPage('usage', {
    act: (page) => page.locator('summary', { hasText: 'Choose days' }).click(),
  }),
  'overview, checklist closed': {
    ...inEmpty(''),
    act: async (page) => {
      await page.getByRole('button', { name: 'Hide', exact: true }).click();
      await expect(page.getByText('No decisions yet')).toBeVisible();
    },
  },
  'alerts, empty': inEmpty('/alerts'),
  'alert, refused': onPage('alerts', {
    act: async (page) => {
      await page.locator('summary', { hasText: 'Add a webhook' }).click();
      await page.getByRole('button', { name: 'Add webhook' }).click();
    },
  }),
  'destination, shown once': onPage('destination', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Rotate signing secret…' }).click();
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^Rotate/ })
        .click();
      await expect(page.getByText(/whsec_/).first()).toBeVisible();
    },
  }),
  'destination, delete': onPage('destination', { act: pressFirst('Delete…') }),
  'audit, filtered and open': onPage('audit', {
    path: ({ projectId }) => `/projects/${projectId}/audit?kind=subscription`,
    act: async (page) => {
      const filters = page.locator('summary', { hasText: 'Filters' });
      if (await filters.isVisible()) await filters.click();
      await page.getByRole('listitem').locator('summary').first().click();
    },
  }),
  'denials by path, empty': inEmpty('/requests/groups'),
  'audit, none': showing('audit', 'audit?q=nobody'),
  'requests, followed': onPage('requests', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Follow live' }).click();
      await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
    },
  }),
  'requests, refused': showing('requests', 'requests?decisionId=42'),
  'requests, empty': inEmpty('/requests'),
  'requests, filtered': showing(
    'requests',
    'requests?reason=policy_no_match&method=POST&from=2026-01-01T00:00',
  ),
  'simulator, untouched': inEmpty('/simulator'),
  'simulator, allow': simulated(({ busyKeyId }) => ({
    apiKeyId: busyKeyId,
    method: 'GET',
    path: '/v1/reports/42',
  })),
  'simulator, deny': simulated(({ busyKeyId }) => ({
    apiKeyId: busyKeyId,
    method: 'POST',
    path: '/v1/reports/42',
  })),
  'key, expiry': onPage('keys', {
    act: async (page) => {
      await chooseOfFirstKey(page, 'Set expiry');
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  }),
  'key, revoke': onPage('keys', {
    act: async (page) => {
      await chooseOfFirstKey(page, 'Revoke key');
      await expect(page.getByRole('alertdialog')).toBeVisible();
    },
  }),
  'key, expiry refused': onPage('keys', {
    act: async (page) => {
      await chooseOfFirstKey(page, 'Set expiry');
      await page.getByLabel('Expires', { exact: true }).selectOption('On a date');
      await page.getByRole('button', { name: 'Set expiry', exact: true }).last().click();
      await expect(page.getByRole('dialog').locator('[aria-invalid=true]').first()).toBeVisible();
    },
  }),
  'key, disable': onPage('key', { act: pressFirst('Disable key') }),
  'key, archive': onPage('keys', { act: (page) => chooseOfFirstKey(page, 'Archive key') }),
  'key, viewer': onPage('key', { as: 'viewer' }),
  'key, revoked': onPage('keys', {
    path: ({ projectId }) => `/projects/${projectId}/keys?status=revoked`,
    act: async (page) => {
      await page.getByRole('table').getByRole('link', { name: 'Former agency' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Former agency' })).toBeVisible();
    },
  }),
  'key, menu': onPage('keys', { act: openMenuOfFirstKey }),
  'key, name and note': onPage('keys', {
    act: (page) => chooseOfFirstKey(page, 'Edit name and note'),
  }),
  'key, limits': onPage('keys', { act: (page) => chooseOfFirstKey(page, 'Set limits') }),
  'keys, selected': onPage('keys', { act: selectTwoKeys }),
  'keys, nothing found': showing('keys', 'keys?q=nothing'),
  'keys, most used first': showing('keys', 'keys?sort=used'),
  'keys, set expiry of selected': forTwoKeys('Set expiry…'),
  'keys, archive selected': forTwoKeys('Archive…'),
  'keys, revoke selected': forTwoKeys('Revoke…'),
  'keys, revoked': showing('keys', 'keys?status=revoked'),
  'policies, untried': showing('policies', 'policies'),
  'policies, no match': showing('policies', 'policies?method=PUT&path=/v2/nothing'),
  'policies, viewer': onPage('policies', { as: 'viewer' }),
  'policy, warned': showing(
    'add policy',
    'policies/new?method=POST&pathPattern=/v1/users/{id}&path=/v1/users/42',
  ),
  'policy, refused': showing('add policy', 'policies/new?pathPattern=v1/reports'),
  'policy, delete': onPage('policies', { act: pressFirst(/^Delete/) }),
  'simulator, no match': simulated(({ busyKeyId }) => ({
    apiKeyId: busyKeyId,
    method: 'PUT',
    path: '/v2/nothing',
  })),
  'subscription, viewer': onPage('subscription', { as: 'viewer' }),
  'subscription, other plan': onPage('subscription', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Change plan' }).click();
      await choosePlan(page.getByRole('dialog'), 'Starter');
    },
  }),
  'subscription, period end': onPage('subscription', { act: pressFirst('Set period end') }),
  'subscription, cancel': onPage('subscription', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Change status' }).click();
      await page.getByRole('button', { name: 'Cancel subscription…' }).click();
    },
  }),
  'project, refused': onPage('create project', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Create project' }).click();
      await expect(page.getByLabel('Name')).toBeFocused();
    },
  }),
  'secret, rotate': onPage('settings', { act: pressFirst('Rotate secret…') }),
  'project switcher': onPage('overview', { act: pressFirst('Switch project') }),
  'more pages': onPage('overview', {
    act: async (page) => {
      const more = page.getByRole('button', { name: 'More', exact: true });
      if (await more.isVisible()) await more.click();
    },
  }),
  shortcuts: onPage('overview', { act: (page) => page.keyboard.press('?') }),
  'command palette': onPage('overview', {
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  }),
  'command palette, searched': onPage('overview', {
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('acme');
      await expect(page.getByRole('option', { name: /Acme Logistics/ }).first()).toBeVisible();
    },
  }),
  'command palette, nothing found': onPage('overview', {
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('xylophone');
      await expect(page.getByText('No results.')).toBeVisible();
    },
  }),
  'chart, pointed at': onPage('usage', {
    act: async (page) => {
      await page
        .getByRole('group', { name: /^Decisions by time/ })
        .getByRole('link')
        .last()
        .hover();
    },
  }),
  'project, delete': onPage('settings', { act: pressFirst('Delete project…') }),
  'project, transfer': onPage('settings', { act: pressFirst('Transfer project…') }),
  'secret, end previous': onPage('settings', { act: pressFirst('End previous secret now…') }),
  'member, role': onPage('members', { act: pressFirst(/^Role of /) }),
  'member, remove': onPage('members', { act: pressFirst(/^Remove /) }),
  'member, invited': onPage('members', {
    act: async (page) => {
      await page.getByLabel('For').fill('Ana of the agency');
      await page.getByRole('button', { name: 'Create invitation' }).click();
      await expect(page.getByRole('heading', { level: 1, name: /is invited/ })).toBeVisible();
    },
  }),
  'guides, nothing found': onPage('guides', { path: () => '/docs?q=xylophone' }),
  'sign in, refused': onPage('sign in', {
    act: async (page) => {
      await sql`delete from sign_in_attempts`;
      await signInAs(page, { email: 'you@example.com', password: 'a wrong password' });
      await expect(page.getByText('the password is wrong')).toBeVisible();
    },
  }),
  'sign in, code': onPage('sign in', {
    act: async (page) => {
      await sql`delete from sign_in_attempts`;
      await signInAs(page, accountOf('secured'));
      await expect(page.getByLabel('Code')).toBeVisible();
    },
  }),
  'sign up, refused': onPage('sign up', {
    act: async (page) => {
      await page.getByLabel('E-mail').fill('ana@example.com');
      await page.getByLabel('Password', { exact: true }).fill('too short');
      await page.getByRole('button', { name: 'Create account' }).click();
      await expect(page.getByText('must be at least')).toBeVisible();
    },
  }),
  'reset password, link': {
    signedIn: false,
    path: ({ resetSecret }) => `/reset-password#${resetSecret}`,
    act: (page) => expect(page.getByLabel('New password', { exact: true })).toBeVisible(),
  },
  'join, signed out': {
    signedIn: false,
    path: ({ invitationSecret }) => `/join#${invitationSecret}`,
    act: (page) => expect(page.getByText('invites you')).toBeVisible(),
  },
  'join, signed in': {
    signedIn: true,
    as: 'newcomer',
    path: ({ invitationSecret }) => `/join#${invitationSecret}`,
    act: (page) => expect(page.getByText('invites you')).toBeVisible(),
  },
  'account, second factor': onPage('account', { as: 'secured' }),
  'account, password': onPage('account', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Change password…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Current password').fill(PASSWORD);
      await dialog.getByLabel('New password', { exact: true }).fill('too short');
      await dialog.getByRole('button', { name: 'Change password' }).click();
      await expect(page.getByText('must be at least')).toBeVisible();
    },
  }),
  'account, recovery codes': onPage('account', {
    as: 'secured',
    act: async (page) => {
      await page.getByRole('button', { name: 'New recovery codes…' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByLabel('Your password', { exact: true }).fill(PASSWORD);
      await dialog.getByLabel('Code').fill(await unusedCode());
      await dialog.getByRole('button', { name: 'Create new codes' }).click();
      await expect(page.getByText('The earlier recovery codes no longer work')).toBeVisible();
    },
  }),
  'account, address': onPage('account', { act: pressFirst('Change address…') }),
  'passkey, add': onPage('account', { as: 'secured', act: pressFirst('Add passkey…') }),
  'passkey, remove': onPage('account', { as: 'secured', act: pressFirst(/^Remove…/) }),
  'access token, create': onPage('account', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Create access token…' }).click();
      await page.getByRole('dialog').getByLabel('Projects').selectOption('listed');
    },
  }),
  'access token, revoke': onPage('account', { act: pressFirst(/^Revoke…/) }),
  'access token, shown once': onPage('account', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Create access token…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Deploy workflow');
      await dialog.getByLabel('Your password', { exact: true }).fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Create access token' }).click();
      await expect(page.getByText('Copy the access token now')).toBeVisible();
    },
  }),
  'account, delete': onPage('account', { act: pressFirst('Delete account…') }),
  'second factor, first code': onPage('account', { act: startSecondFactor }),
  'plan, add': onPage('plans', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Add plan' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Add plan' }).click();
      await expect(page.getByText('Fill this in.').first()).toBeVisible();
    },
  }),
  'user, menu': onPage('users', { act: pressFirst(/^Actions for maria/) }),
  'user, make administrator': ofUser('maria', 'Make administrator'),
  'user, remove second factor': ofUser('secured', 'Remove second factor'),
  'user, delete': ofUser('maria', 'Delete account'),
  'user, reset link': onPage('users', {
    act: async (page) => {
      await chooseAction(page, 'maria@example.com', 'Reset password');
      const question = page.getByRole('alertdialog');
      await question.getByLabel('Your password', { exact: true }).fill(PASSWORD);
      await question.getByRole('button', { name: 'Create link' }).click();
      await expect(page.getByText('/reset-password#')).toBeVisible();
    },
  }),
  'users, nothing found': onPage('users', { path: () => '/admin?tab=users&q=nobody' }),
  'retention, refused': onPage('retention', {
    act: async (page) => {
      await page.getByLabel('Days of usage').fill('3');
      await page.getByRole('button', { name: 'Save retention' }).click();
      await expect(page.getByText(/Must be/)).toBeVisible();
    },
  }),
  'plan, change': onPage('plans', { act: pressFirst(/^Change /) }),
  'user, reset password': ofUser('maria', 'Reset password'),
  'key, refused': onPage('create key', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Create key' }).click();
      await expect(page.getByLabel('Name')).toBeFocused();
    },
  }),
  'key, shown once': onPage('create key', {
    act: async (page) => {
      await page.getByLabel('Name').fill('Mobile app, Android 2');
      await page.getByRole('button', { name: 'Create key' }).click();
      await expect(page.getByText('Copy the key now')).toBeVisible();
    },
  }),
  'project, created': onPage('create project', {
    act: async (page) => {
      projectsCreated += 1;
      await page.getByLabel('Name').fill(`Returns API ${projectsCreated}`);
      await page.getByRole('button', { name: 'Create project' }).click();
      await expect(page.getByText('Copy the project secret now')).toBeVisible();
    },
  }),
};

// Last, because it changes the secret that the other views show.
STATES['secret, rotated'] = onPage('settings', {
  act: async (page) => {
    await page.getByRole('button', { name: 'Rotate secret…' }).click();
    const unsure = page.getByRole('checkbox', { name: /^No server uses the previous secret/ });
    if (await unsure.isVisible()) await unsure.check();
    await page.getByRole('button', { name: 'Rotate secret', exact: true }).click();
    await expect(page.getByRole('status').filter({ hasText: 'ceiba_secret_' })).toBeVisible();
  },
});

/** The pictures of the README. */
const README: Record<string, View['path']> = {
  overview: ({ projectId }) => `/projects/${projectId}`,
  simulator: ({ projectId, busyKeyId }) =>
    `/projects/${projectId}/simulator?apiKeyId=${busyKeyId}&method=POST&path=/v1/reports/42`,
  keys: ({ projectId }) => `/projects/${projectId}/keys`,
};

const PASSWORD = 'a passphrase of this run alone';

let sample: Sample;
let sql: postgres.Sql;
let storage: Awaited<ReturnType<BrowserContext['storageState']>>;
let others: Record<Other, typeof storage>;
/** Of the authenticator app of the user "secured". */
let totpSecret: string;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000);
  const databaseUrl = process.env.DATABASE_URL;
  if (!databaseUrl) throw new Error('needs the DATABASE_URL of a stack');
  sql = postgres(databaseUrl, { max: 1 });
  const account = { email: 'you@example.com', password: PASSWORD };
  await createAdministrator(databaseUrl, account);
  storage = await signedUp(browser, account, undefined, signIn);
  others = {
    newcomer: await signedUp(browser, accountOf('newcomer')),
    viewer: await signedUp(browser, accountOf('viewer')),
    secured: await signedUp(browser, accountOf('secured'), secure),
  };
  const [user] = await sql<{ userId: string }[]>`
    select id as "userId" from users where email = ${account.email}`;
  if (user === undefined) throw new Error('the new user is missing');
  sample = await fillSample(databaseUrl, { ...user, email: account.email });
  for (const folder of [FOLDER, README_FOLDER]) mkdirSync(folder, { recursive: true });
});
test.afterAll(() => sql?.end());

function accountOf(other: Other): Account {
  return { email: `${other}@example.com`, password: PASSWORD };
}

async function signInAs(page: Page, { email, password }: Account) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Turns the second factor on and adds a passkey. */
async function secure(page: Page) {
  await addAuthenticator(page);
  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Add passkey…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Work laptop');
  await dialog.getByLabel('Your password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  await expect(page.getByRole('list', { name: 'Passkeys' })).toBeVisible();
  const part = page.getByRole('region', { name: 'Second factor' });
  await startSecondFactor(page);
  totpSecret = (await part.locator('code').innerText()).replaceAll(/\s/g, '');
  await part.getByLabel('Code').fill(codeNow());
  await part.getByRole('button', { name: 'Turn on' }).click();
  await expect(part.getByText('The second factor is on.')).toBeVisible();
}

async function startSecondFactor(page: Page) {
  await page.getByRole('button', { name: 'Set up authenticator app…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByLabel('Code')).toBeVisible();
}

const codeNow = () => new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate();

/** The code of this moment, which no earlier picture used up. */
async function unusedCode(): Promise<string> {
  await sql`update authenticators set last_step = null`;
  await sql`delete from sign_in_attempts`;
  return codeNow();
}

async function signedUp(
  browser: Browser,
  account: Account,
  act?: (page: Page) => Promise<void>,
  enter: (page: Page, account: Account) => Promise<unknown> = signUp,
) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await enter(page, account);
  await page.waitForURL('/projects');
  await act?.(page);
  const state = await context.storageState();
  await context.close();
  return state;
}

async function open(browser: Browser, look: Omit<Look, 'name'>, state?: typeof storage) {
  const { width, height, scale = 1, colorScheme } = look;
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    deviceScaleFactor: scale,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
    ...(state === undefined ? {} : { storageState: state }),
  });
  return context.newPage();
}

/** Opens a page and waits until it is complete. */
async function show(page: Page, address: string, act?: View['act']) {
  await page.goto(address);
  if (act !== undefined) {
    // The steps need the page's scripts.
    await page.waitForLoadState('networkidle');
    await act(page);
  }
  await page.evaluate(() => document.fonts.ready);
}

/**
 * Makes the window as high as the page, so that the screenshot shows all of it with fixed elements in
 * place. With a dialog it keeps its size.
 */
async function fit(page: Page, { width, height }: Look) {
  const covers = page.getByRole('dialog').or(page.getByRole('alertdialog'));
  if ((await covers.or(page.locator(':popover-open')).count()) > 0) return;
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(whole, height) });
}

async function picture(browser: Browser, name: string, view: View) {
  for (const look of LOOKS) {
    const state = view.as === undefined ? storage : others[view.as];
    const page = await open(browser, look, view.signedIn ? state : undefined);
    await show(page, view.path(sample), view.act);
    await fit(page, look);
    await page.screenshot({ path: join(FOLDER, `${slugOf(name)}-${look.name}.png`) });
    await page.context().close();
  }
}

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

// First, while the installation is unchanged.
for (const [name, path] of Object.entries(README)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`takes the README picture "${name}" in ${colorScheme}`, async ({ browser }) => {
      const page = await open(browser, { width: 1280, height: 800, colorScheme }, storage);
      await show(page, path(sample));
      await page.screenshot({ path: join(README_FOLDER, `${name}-${colorScheme}.png`) });
      await page.context().close();
    });
  }
}

for (const [name, view] of Object.entries({ ...PAGES, ...STATES })) {
  test(`takes screenshots of "${name}"`, ({ browser }) => picture(browser, name, view));
}

test('takes screenshots of an outage', async ({ browser }) => {
  const path = ({ projectId }: Sample) => `/projects/${projectId}/audit`;
  await sql.begin(async (transaction) => {
    await transaction`lock table audit_log in access exclusive mode`;
    await picture(browser, 'outage', { path, signedIn: true });
  });
});
