import { randomBytes } from 'node:crypto';
import { type BrowserContext, expect, type Locator, type Page, test } from '@playwright/test';
import postgres from 'postgres';
import { startTestNetwork, type TestNetwork } from '../chaos/support/proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';
import { addDecisions } from './decisions.ts';
import { choosePlan, gotoReady, signUpFirst } from './support.ts';

/**
 * Postgres is up when a page is opened, and down when it is reloaded or its form is sent. The tests
 * share one console behind a network that they interrupt.
 */

let database: TestDatabase;
let network: TestNetwork;
let app: ConsoleProcess;
let sql: postgres.Sql;
let context: BrowserContext;
let page: Page;
let projectId: string;
let policyId: string;
let decisionId: string;

test.beforeAll(async ({ browser }) => {
  database = await createTestDatabase();
  network = await startTestNetwork(database.url);
  app = await startConsole({ DATABASE_URL: network.url, SIGN_UP: 'open' });
  sql = postgres(database.url, { max: 1 });
  context = await browser.newContext({ baseURL: app.url });
  page = await context.newPage();
  await signUpFirst(page, { url: app.url, databaseUrl: database.url });
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
  [decisionId = ''] = await addDecisions(projectId, [{}], database.url);
});
test.afterEach(() => network.heal());
test.afterAll(async () => {
  await context?.close();
  await sql?.end();
  await app?.stop();
  await network?.close();
  await database?.drop();
});

/** Resolves once the console has connected again, which it does by itself. */
async function heal() {
  network.heal();
  await expect.poll(async () => (await page.request.get('/api/ready')).status()).toBe(200);
}

const at = (path: string) => `/projects/${projectId}${path}`;
const title = (opened: Page) => opened.getByRole('heading', { level: 1 });

/** Every page of a project, and its heading. */
const PAGES: Record<string, string> = {
  '': 'Reports',
  '/keys': 'Keys',
  '/keys/new': 'Create key',
  '/customers': 'Customers',
  '/customers/new': 'Create customer',
  '/plans': 'Plans',
  '/policies': 'Policies',
  '/policies/new': 'Add policy',
  '/policies/:policyId': 'Edit policy',
  '/subscription': 'Subscription',
  '/usage': 'Usage',
  '/requests': 'Requests',
  '/requests/groups': 'Requests',
  '/requests/:decisionId': 'Request',
  '/simulator': 'Simulator',
  '/audit': 'Audit',
  '/settings': 'Settings',
};

for (const [path, heading] of Object.entries(PAGES)) {
  test(`the page "${heading}" at "${path}" reports a database outage, and a reload shows it again afterwards`, async () => {
    network.refuse();
    await page.goto(at(path.replace(':policyId', policyId).replace(':decisionId', decisionId)));
    await expect(title(page)).toHaveText('The database is not answering');
    await expect(page.getByText('Try again once the database is back')).toBeVisible();
    await expect(page.getByText('Your saved data is safe')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Open the status page' })).toBeVisible();
    await heal();
    await page.reload();
    await expect(title(page)).toContainText(heading);
  });
}

test('a link shows a database outage, and Try again shows the page afterwards', async () => {
  await gotoReady(page, at('/settings'));
  network.refuse();
  await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
  await expect(title(page)).toHaveText('The database is not answering');
  await heal();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(title(page)).toHaveText('Keys');
});

test('a lasting error shows the reference that is in the log, and Try again works once it is fixed', async () => {
  // A table that readiness does not look at: without one of those the console is not ready.
  await sql`alter table alert_destinations rename to hidden`;
  await page.goto(at('/alerts'));
  await expect(title(page)).toHaveText('This page could not be loaded');
  const text = page.getByRole('main').getByRole('paragraph');
  await expect(text.first()).toContainText('Give this reference to your administrator');
  const reference = await text.first().getByRole('code').innerText();
  expect(reference).toMatch(/^\d+/);
  await expect.poll(app.log).toContain(reference);
  await expect(text.nth(1)).toContainText(
    'If it persists, contact your administrator with this reference.',
  );
  const logged = app.log().length;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => app.log().slice(logged)).toContain('alert_destinations');
  await expect(title(page)).toHaveText('This page could not be loaded');
  await sql`alter table hidden rename to alert_destinations`;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(title(page)).toHaveText('Alerts');
});

test('a pattern that is typed during a database outage is still there after a reload', async () => {
  await gotoReady(page, at('/policies/new'));
  network.refuse();
  await page.getByLabel('Path pattern').fill('/v1/typed*');
  await expect(title(page)).toHaveText('The database is not answering');
  await heal();
  await page.reload();
  await expect(page.getByLabel('Path pattern')).toHaveValue('/v1/typed*');
});

interface Form {
  path: string;
  /** Fills the form in, and returns the field that must keep its value. */
  fill: (opened: Page) => Promise<Locator>;
  /** The button that submits it. */
  button: string;
  done: (opened: Page) => Locator;
}

async function type(field: Locator, text: string): Promise<Locator> {
  await field.fill(text);
  return field;
}

/** Waits until the server has rendered the preview of the pattern. */
async function typePattern(opened: Page, pattern: string): Promise<Locator> {
  const field = await type(opened.getByLabel('Path pattern'), pattern);
  const sample = pattern.replace('*', '/42');
  await expect(opened.getByText(`GET ${sample}`, { exact: true })).toBeVisible();
  return field;
}

/** One form per page, the destructive ones last. */
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
      await opened.getByRole('button', { name: 'Change plan' }).click();
      return choosePlan(opened.getByRole('dialog'), 'Starter');
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
  test(`the form "${name}" keeps its input during a database outage, and works afterwards`, async () => {
    await gotoReady(page, at(path.replace(':policyId', policyId)));
    const kept = await fill(page);
    const typed = await contentOf(kept);
    network.refuse();
    await page.getByRole('button', { name: button, exact: true }).click();
    await expect(page.getByText('The database is not answering.')).toBeVisible();
    expect(await contentOf(kept)).toBe(typed);
    await heal();
    // Readiness needs one connection; on a busy machine the others may come too late for one attempt.
    const submit = page.getByRole('button', { name: button, exact: true });
    await expect(async () => {
      if (await submit.isVisible()) await submit.click({ timeout: 1_000 });
      await expect(done(page)).toBeVisible({ timeout: 5_000 });
    }).toPass({ timeout: 20_000 });
  });
}

/** The value of a field, whether a choice is checked, or the text of a dialog. */
async function contentOf(element: Locator): Promise<string> {
  return element.evaluate((node) =>
    node instanceof HTMLInputElement ? `${node.value} ${node.checked}` : (node.textContent ?? ''),
  );
}
