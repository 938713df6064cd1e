import { randomBytes } from 'node:crypto';
import { type BrowserContext, expect, type Locator, type Page, test } from '@playwright/test';
import postgres from 'postgres';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';
import { type FreezableProxy, startFreezableProxy } from './freezable-proxy.ts';
import { gotoReady, newAccount } from './support.ts';

/**
 * Postgres is there when a page is opened and gone when it is read or its form is sent. One console
 * of its own stands behind a proxy that is cut and mended.
 */

let database: TestDatabase;
let proxy: FreezableProxy;
let app: ConsoleProcess;
let sql: postgres.Sql;
let context: BrowserContext;
let page: Page;
let projectId: string;
let policyId: string;

test.beforeAll(async ({ browser }) => {
  database = await createTestDatabase();
  proxy = await startFreezableProxy(database.url);
  app = await startConsole({ DATABASE_URL: proxy.url, SIGN_UP: 'open' });
  sql = postgres(database.url, { max: 1 });
  context = await browser.newContext({ baseURL: app.url });
  page = await context.newPage();
  const account = newAccount();
  await page.goto('/sign-up');
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL('**/projects');
  const [project] = await sql`
    insert into projects (owner_id, name, secret_digest)
    select id, 'Reports', sha256('secret') from users returning id`;
  projectId = project?.id;
  await sql`insert into subscriptions (project_id, plan_id)
    select ${projectId}, id from plans where name = 'Free'`;
  await sql`insert into api_keys (project_id, display_name, key_prefix, key_digest)
    values (${projectId}, 'Mobile app', 'ceiba_stopped0', ${randomBytes(32)})`;
  const [policy] = await sql`insert into policies (project_id, method, path_pattern)
    values (${projectId}, 'GET', '/v1/reports*'), (${projectId}, 'GET', '/v1/billing')
    returning id`;
  policyId = policy?.id;
});
test.afterEach(() => proxy.mend());
test.afterAll(async () => {
  await context?.close();
  await sql?.end();
  await app?.stop();
  await proxy?.stop();
  await database?.drop();
});

/** Once the console has its connections back, which it seeks by itself. */
async function mend() {
  proxy.mend();
  await expect.poll(async () => (await page.request.get('/api/ready')).status()).toBe(200);
}

const at = (path: string) => `/projects/${projectId}${path}`;
const title = (opened: Page) => opened.getByRole('heading', { level: 1 });

/** Every page that is read with a session, and its heading. */
const PAGES: Record<string, string> = {
  '': 'Reports',
  '/keys': 'Keys',
  '/keys/new': 'Create key',
  '/policies': 'Policies',
  '/policies/new': 'Add policy',
  '/policies/:policyId': 'Edit policy',
  '/subscription': 'Subscription',
  '/usage': 'Usage',
  '/simulator': 'Simulator',
  '/audit': 'Audit',
  '/settings': 'Settings',
};

test('a page of a project whose database is gone says so, and a reload brings it back', async () => {
  const tabs = await Promise.all(
    Object.entries(PAGES).map(async ([path, heading]) => ({
      tab: await context.newPage(),
      address: at(path.replace(':policyId', policyId)),
      heading,
    })),
  );
  proxy.cut();
  const readWithout = async ({ tab, address }: (typeof tabs)[number]) => {
    await tab.goto(address);
    await expect(title(tab)).toHaveText('The database is not answering');
    await expect(tab.getByText('Try again once the database is back')).toBeVisible();
    await expect(tab.getByText('Your saved data is safe')).toBeVisible();
    await expect(tab.getByRole('link', { name: 'Open the status page' })).toBeVisible();
  };
  await inGroups(tabs, readWithout);
  await mend();
  const readAgain = async ({ tab, heading }: (typeof tabs)[number]) => {
    await tab.reload();
    await expect(title(tab)).toContainText(heading);
    await tab.close();
  };
  await inGroups(tabs, readAgain);
});

const GROUP_SIZE = 4;

/** Some at a time: one browser that runs the scripts of all pages at once does so for long. */
async function inGroups<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  for (let first = 0; first < all.length; first += GROUP_SIZE) {
    await Promise.all(all.slice(first, first + GROUP_SIZE).map(act));
  }
}

test('a link to a page whose database is gone says so, and trying again brings the page', async () => {
  await gotoReady(page, at('/settings'));
  proxy.cut();
  await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
  await expect(title(page)).toHaveText('The database is not answering');
  await mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(title(page)).toHaveText('Keys');
});

test('a fault that lasts is told by its reference in the log, and when trying again helps', async () => {
  await sql`alter table policies rename to policies_away`;
  await page.goto(at('/policies'));
  await expect(title(page)).toHaveText('This page could not be loaded');
  const said = page.getByRole('main').getByRole('paragraph');
  await expect(said.first()).toContainText('Give this reference to your administrator');
  const reference = await said.first().getByRole('code').innerText();
  expect(reference).toMatch(/^\d+/);
  expect(app.log()).toContain(reference);
  await expect(said.nth(1)).toContainText('contact your administrator with this reference');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(title(page)).toHaveText('This page could not be loaded');
  await sql`alter table policies_away rename to policies`;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(title(page)).toHaveText('Policies');
});

test('a pattern that is typed while the database is gone is there again after a reload', async () => {
  await gotoReady(page, at('/policies/new'));
  proxy.cut();
  await page.getByLabel('Path pattern').fill('/v1/typed*');
  await expect(title(page)).toHaveText('The database is not answering');
  await mend();
  await page.reload();
  await expect(page.getByLabel('Path pattern')).toHaveValue('/v1/typed*');
});

interface Form {
  path: string;
  /** Fills it in, and returns the field that has to keep what was typed. */
  fill: (opened: Page) => Promise<Locator>;
  /** The button that sends it. */
  button: string;
  done: (opened: Page) => Locator;
}

async function type(field: Locator, text: string): Promise<Locator> {
  await field.fill(text);
  return field;
}

/** As one types, the server renders the preview; here it has done so for what was typed last. */
async function typePattern(opened: Page, pattern: string): Promise<Locator> {
  const field = await type(opened.getByLabel('Path pattern'), pattern);
  const sample = pattern.replace('*', '/42');
  await expect(opened.getByText(`GET ${sample}`, { exact: true })).toBeVisible();
  return field;
}

/** One form of each page, the ones that end something last. */
const FORMS: Record<string, Form> = {
  'create key': {
    path: '/keys/new',
    fill: (opened) => type(opened.getByLabel('Name'), 'Kept'),
    button: 'Create key',
    done: (opened) => opened.getByRole('heading', { name: 'Kept is created' }),
  },
  'add policy': {
    path: '/policies/new',
    fill: (opened) => typePattern(opened, '/v1/kept*'),
    button: 'Add policy',
    done: (opened) => opened.getByRole('table').getByText('/v1/kept*'),
  },
  'edit policy': {
    path: '/policies/:policyId',
    fill: (opened) => typePattern(opened, '/v2/kept*'),
    button: 'Save policy',
    done: (opened) => opened.getByRole('table').getByText('/v2/kept*'),
  },
  'change plan': {
    path: '/subscription',
    fill: async (opened) => {
      await opened.getByRole('radio', { name: /^Starter/ }).check();
      return opened.getByRole('radio', { name: /^Starter/ });
    },
    button: 'Change to Starter',
    done: (opened) => opened.getByText('On the plan Starter.'),
  },
  simulate: {
    path: '/simulator',
    fill: (opened) => type(opened.getByLabel('Path', { exact: true }), '/v3/kept'),
    button: 'Simulate call',
    done: (opened) =>
      opened.getByRole('region', { name: 'Verdict' }).getByText('No matching policy'),
  },
  rename: {
    path: '/settings',
    fill: (opened) => type(opened.getByLabel('Project name'), 'Kept'),
    button: 'Rename project',
    done: (opened) => opened.getByText('Project renamed'),
  },
  'delete policy': {
    path: '/policies',
    fill: async (opened) => {
      await opened.getByRole('button', { name: 'Delete GET /v1/billing' }).click();
      return opened.getByRole('alertdialog').getByText('GET /v1/billing').first();
    },
    button: 'Delete policy',
    done: (opened) => opened.getByText('Policy deleted'),
  },
  'revoke key': {
    path: '/keys',
    fill: async (opened) => {
      await opened.getByRole('button', { name: 'Actions for Mobile app' }).click();
      await opened.getByRole('button', { name: 'Revoke key' }).click();
      return opened.getByRole('alertdialog').getByText('Revoke Mobile app?');
    },
    button: 'Revoke key',
    done: (opened) => opened.getByText('Key revoked'),
  },
};

for (const [name, { path, fill, button, done }] of Object.entries(FORMS)) {
  test(`${name}: without the database the form keeps what was typed, and works afterwards`, async () => {
    await gotoReady(page, at(path.replace(':policyId', policyId)));
    const kept = await fill(page);
    const typed = await heldBy(kept);
    proxy.cut();
    await page.getByRole('button', { name: button, exact: true }).click();
    await expect(page.getByText('The database is not answering.')).toBeVisible();
    expect(await heldBy(kept)).toBe(typed);
    await mend();
    await page.getByRole('button', { name: button, exact: true }).click();
    await expect(done(page)).toBeVisible();
  });
}

/** What a field holds, a choice's being checked, or what a question says. */
async function heldBy(place: Locator): Promise<string> {
  return place.evaluate((element) =>
    element instanceof HTMLInputElement
      ? `${element.value} ${element.checked}`
      : (element.textContent ?? ''),
  );
}
