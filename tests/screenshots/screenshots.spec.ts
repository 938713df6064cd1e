import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@ceiba/devstack/settings';
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test';
import postgres from 'postgres';
import { PAGES } from '../e2e/pages.ts';
import { type Account, signUp } from '../e2e/support.ts';
import { fillSample, type Sample } from './sample.ts';

/**
 * Screenshots of every page and of states that need a step, on phone and desktop, in both themes.
 * Nothing is compared; look at them.
 */

const FOLDER = join(root, '.screenshots');
const README_FOLDER = join(root, 'docs/images');
const LOOKS = [390, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

type Look = (typeof LOOKS)[number];

const heightOf = (width: number) => (width < 500 ? 844 : 800);

interface View {
  signedIn: boolean;
  /** Signed in as a user without projects. */
  isNewcomers?: boolean;
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
const simulated = (query: (sample: Sample) => Record<string, string>): View => ({
  path: (sample) => `/projects/${sample.projectId}/simulator?${new URLSearchParams(query(sample))}`,
  signedIn: true,
});
async function chooseOfFirstKey(page: Page, item: string) {
  const opener = page.getByRole('button', { name: /^Actions for/ });
  await opener.first().click();
  await page.getByRole('button', { name: item, exact: true }).locator('visible=true').click();
}

/** Each screenshot creates a project, which needs a new name. */
let projectsCreated = 0;

/** States that {@link PAGES} does not show. */
const STATES: Record<string, View> = {
  'projects, empty': { path: () => '/projects', signedIn: true, isNewcomers: true },
  'overview, empty': inEmpty(''),
  'keys, empty': inEmpty('/keys'),
  'policies, empty': inEmpty('/policies'),
  'usage, empty': inEmpty('/usage'),
  'usage, two months': onPage('usage', {
    path: ({ projectId }) => `/projects/${projectId}/usage?range=90d`,
  }),
  'requests, empty': inEmpty('/requests'),
  'requests, filtered': onPage('requests', {
    path: ({ projectId }) =>
      `/projects/${projectId}/requests?reason=policy_no_match&method=POST&from=2026-01-01T00:00`,
  }),
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
  'command palette': onPage('overview', {
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('dialog')).toBeVisible();
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

/** The pictures of the README. */
const README: Record<string, View['path']> = {
  overview: ({ projectId }) => `/projects/${projectId}`,
  simulator: ({ projectId, busyKeyId }) =>
    `/projects/${projectId}/simulator?apiKeyId=${busyKeyId}&method=POST&path=/v1/reports/42`,
  keys: ({ projectId }) => `/projects/${projectId}/keys`,
};

let sample: Sample;
let sql: postgres.Sql;
let storage: Awaited<ReturnType<BrowserContext['storageState']>>;
let newcomers: typeof storage;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000);
  const databaseUrl = process.env.DATABASE_URL;
  if (!databaseUrl) throw new Error('needs the DATABASE_URL of a stack');
  sql = postgres(databaseUrl, { max: 1 });
  const account = { email: 'you@example.com', password: 'a passphrase of this run alone' };
  storage = await signedUp(browser, account);
  newcomers = await signedUp(browser, { ...account, email: 'newcomer@example.com' });
  const [user] = await sql<{ userId: string }[]>`
    select id as "userId" from users where email = ${account.email}`;
  if (user === undefined) throw new Error('the new user is missing');
  sample = await fillSample(databaseUrl, { ...user, email: account.email });
  for (const folder of [FOLDER, README_FOLDER]) mkdirSync(folder, { recursive: true });
});
test.afterAll(() => sql?.end());

async function signedUp(browser: Browser, account: Account) {
  const context = await browser.newContext();
  await signUp(await context.newPage(), account);
  const state = await context.storageState();
  await context.close();
  return state;
}

async function open(browser: Browser, { width, colorScheme }: Look, state?: typeof storage) {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: heightOf(width) },
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
async function fit(page: Page, { width }: Look) {
  const isCovered = (await page.getByRole('dialog').or(page.getByRole('alertdialog')).count()) > 0;
  if (isCovered) return;
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(whole, heightOf(width)) });
}

async function picture(browser: Browser, name: string, view: View) {
  for (const look of LOOKS) {
    const state = view.isNewcomers ? newcomers : storage;
    const page = await open(browser, look, view.signedIn ? state : undefined);
    await show(page, view.path(sample), view.act);
    await fit(page, look);
    const file = `${slugOf(name)}-${look.width}-${look.colorScheme}.png`;
    await page.screenshot({ path: join(FOLDER, file) });
    await page.context().close();
  }
}

const slugOf = (name: string) => name.replaceAll(/[^a-z0-9]+/g, '-');

// First, while the installation is unchanged.
for (const [name, path] of Object.entries(README)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`takes the README picture "${name}" in ${colorScheme}`, async ({ browser }) => {
      const page = await open(browser, { width: 1280, colorScheme }, storage);
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
