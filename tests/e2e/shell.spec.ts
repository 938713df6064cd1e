import { expect, type Locator, type Page, test } from '@playwright/test';
import { addDecisions } from './decisions.ts';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { createProject, expectListening, gotoReady, newUser, pressShortcut } from './support.ts';

/** As long as a name can be, without a place to break it. */
const LONG_NAME = 'Reports'.repeat(14);

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, LONG_NAME);
});
test.afterAll(() => project?.close());

test('a long project name fits into the sidebar, and can be read in full', async () => {
  const page = await project.open('keys');
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
  const widths = await sidebar.evaluate(({ scrollWidth, clientWidth }) => ({
    scrollWidth,
    clientWidth,
  }));
  expect(widths.scrollWidth).toBeLessThanOrEqual(widths.clientWidth);
  const switcher = sidebar.getByRole('button', { name: /switch project$/ });
  await expect(switcher.getByTitle(LONG_NAME)).toBeVisible();
});

test('the switcher holds its projects when it opens, and leads to the same page of another', async () => {
  const [other] = await project.sql`insert into projects (owner_id, name, secret_digest)
    select owner_id, 'Another shop', sha256('another') from projects
    where id = ${project.projectId} returning id`;
  const page = await project.open('keys');
  const link = page.locator('a', { hasText: 'Another shop' });
  await expect(link).toHaveCount(0);
  await page.getByRole('button', { name: /switch project$/ }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(link).toBeFocused();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/projects/${other?.id}/keys`);
  await project.sql`delete from projects where id = ${other?.id}`;
});

test('a tab keeps its title while its page is refreshed', async () => {
  await project.addKey('Mobile app');
  const page = await project.open('keys');
  await page.evaluate(watchTitles);
  const titles = () => page.evaluate(() => (window as unknown as Watched).titles);
  const rows = page.getByRole('button', { name: /^Show (compact|comfortable) rows$/ });
  for (const pauseMs of [0, 1, 2, 3, 5, 8, 12, 17, 23, 30]) {
    await page.evaluate(receiveInTwoParts, pauseMs);
    const before = await rows.getAttribute('aria-label');
    await rows.click();
    await expect(rows).not.toHaveAttribute('aria-label', before ?? '');
  }
  expect(new Set(await titles())).toEqual(new Set([await page.title()]));
});

/** Ways from one page to another, and the path of the latter. */
const LOADS: Record<string, { from: string; to: string; act: (page: Page) => Promise<void> }> = {
  'the click on a link': {
    from: 'keys',
    to: 'audit',
    act: (page) => page.getByRole('link', { name: 'Audit', exact: true }).click(),
  },
  'the filter of a list': {
    from: 'audit',
    to: 'audit',
    act: async (page) => {
      await page.getByLabel('User, item or IP address').fill('192.0.2.4');
      await page.keyboard.press('Enter');
    },
  },
  'the palette': {
    from: 'keys',
    to: 'audit',
    act: async (page) => {
      await pressShortcut(page, 'Control+k');
      await page.getByRole('combobox', { name: 'Go to' }).fill('audit');
      await page.keyboard.press('Enter');
    },
  },
  'the search of the guides': {
    from: '../../docs',
    to: '../../docs',
    act: async (page) => {
      await page.getByLabel('Search the guides').fill('quota');
      await page.keyboard.press('Enter');
    },
  },
};

for (const [way, { from, to, act }] of Object.entries(LOADS)) {
  test(`a bar moves from ${way} until the page is shown`, async () => {
    const page = await project.open(from);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { pathname: target } = new URL(project.at(to), page.url());
    await page.route(
      ({ pathname }) => pathname === target,
      async (route) => {
        await answered;
        await route.continue();
      },
    );
    const bar = page.getByRole('progressbar', { name: 'Loading the page' });
    await expect(bar).toHaveCount(0);
    const before = page.url();
    await act(page);
    await expect(bar).toBeAttached();
    answer();
    await page.waitForURL((url) => url.pathname === target && url.href !== before);
    await expect(bar).toHaveCount(0);
  });
}

test('no bar moves for a search that filters while the user types', async () => {
  await project.addKey('Mobile app');
  const page = await project.open('keys?status=all');
  await page.getByLabel('Search names, notes and prefixes').fill('mobile');
  await expect(page).toHaveURL(/q=mobile/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('progressbar')).toHaveCount(0);
});

test('the palette finds keys, policies, requests and guides by keyboard, and sends no credential', async () => {
  const [apiKeyId, policyId] = [
    await project.addKey('Night shift', { note: 'For Acme Ltd.' }),
    await project.addPolicy('GET', '/v1/night*'),
  ];
  const [decisionId = ''] = await addDecisions(project.projectId, [{ requestId: 'night-42' }]);
  const page = await project.open('usage');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  const field = page.getByRole('combobox', { name: 'Go to' });
  const selected = page.getByRole('dialog').getByRole('option', { selected: true });
  async function find(text: string, name: RegExp) {
    await pressShortcut(page, 'Control+k');
    await field.fill(text);
    await expect(selected).toHaveText(name);
    await page.keyboard.press('Enter');
  }

  await find('night sh', /^Night shift/);
  await page.waitForURL(`**/keys/${apiKeyId}`);
  // A customer is found by the note of its key.
  await find('acme', /^Night shift/);
  await page.waitForURL(`**/keys/${apiKeyId}`);
  await find('/V1/NIGHT', /^GET \/v1\/night/);
  await page.waitForURL(`**/policies/${policyId}`);
  await find('night-42', /^GET/);
  await page.waitForURL(`**/requests/${decisionId}`);
  await find('synchronous standby', /./);
  await page.waitForURL(/\/docs\//);

  await page.goto(project.at('usage'));
  await pressShortcut(page, 'Control+k');
  const secret = 'Zq3Zq3Zq3Zq3Zq3Zq3Zq3Zq3Zq3';
  await field.fill(`ceiba_4fJx09Qa${secret}`);
  await expect(field).toHaveValue('ceiba_4fJx09Qa');
  await expect(page.getByText('No results.')).toBeVisible();
  expect(sent.filter((text) => text.includes('4fJx09Qa'))).not.toEqual([]);
  expect(sent.filter((text) => text.includes(secret))).toEqual([]);
  await field.fill('night');
  await expect(page.getByRole('option', { name: 'Night shift' })).toBeVisible();
  await expectAccessible(page);
});

/** Another project of the user, with one of everything, and what is typed for each, what is found and where it is. */
async function secondProject(page: Page) {
  const { projectId } = await createProject(page, 'Second project');
  const insert = async (table: string, row: Record<string, unknown>): Promise<string> => {
    const [made] = await project.sql`
      insert into ${project.sql(table)} ${project.sql({ project_id: projectId, ...row })} returning id`;
    return made?.id;
  };
  const apiKeyId = await insert('api_keys', {
    display_name: 'Ledger sync',
    key_digest: Buffer.alloc(32, 1),
    key_prefix: 'ceiba_newSecr1',
    previous_digest: Buffer.alloc(32, 2),
    previous_prefix: 'ceiba_oldSecr1',
    previous_expires_at: new Date(Date.now() + 3_600_000),
  });
  const customerId = await insert('customers', { external_id: 'org_ledger' });
  const [decisionId = ''] = await addDecisions(projectId, [
    { requestId: 'ledger-77', path: '/v1/ledger', outcome: 'policy_no_match' },
  ]);
  const at = (path: string) => `/projects/${projectId}/${path}`;
  const found: [text: string, name: RegExp, address: string][] = [
    ['ceiba_new', /^Ledger sync.*ceiba_newSecr1….*Second project/, at(`keys/${apiKeyId}`)],
    ['ceiba_old', /^Ledger sync.*ceiba_oldSecr1…, now ceiba_newSecr1…/, at(`keys/${apiKeyId}`)],
    [apiKeyId, /^Ledger sync/, at(`keys/${apiKeyId}`)],
    ['org_ledger', /^org_ledger.*Second project/, at(`customers/${customerId}`)],
    ['ledger-77', /^GET \/v1\/ledger/, at(`requests/${decisionId}`)],
    [decisionId, /^GET \/v1\/ledger/, at(`requests/${decisionId}`)],
    ['/v1/ledger', /^Requests to.*Second project/, at('requests?pathPrefix=%2Fv1%2Fledger')],
    ['403', /^Requests denied with 403.*Second project/, at('requests?outcome=403')],
  ];
  return {
    found,
    remove: () => project.sql`delete from projects where id = ${projectId}`,
  };
}

test('the palette takes what a customer says, in all projects of the user', async () => {
  const page = await project.open('usage');
  const { found, remove } = await secondProject(page);
  await addDecisions(project.projectId, [
    { outcome: 'invalid_api_key', keyPrefix: 'ceiba_noSuch01' },
  ]);
  await gotoReady(page, project.at('usage'));
  await pressShortcut(page, 'Control+k');
  const field = page.getByRole('combobox', { name: 'Go to' });
  const option = (name: RegExp) => page.getByRole('option', { name });
  for (const [text, name] of found) {
    await field.fill(text);
    await expect(option(name)).toBeVisible();
  }
  // The project that is shown comes first, and is not named. Nothing is found by three digits of an ID.
  await expect(option(/denied with 403/)).toHaveText([/403$/, /Second project$/]);
  await expect(option(/denied with 403/).first()).toHaveAttribute('aria-selected', 'true');
  await expectAccessible(page);
  await field.fill('ceiba_noSuch');
  await option(/unknown key ceiba_noSuch/).click();
  await page.waitForURL(`**${project.at('requests?key=ceiba_noSuch')}`);
  await remove();
});

test('the page Find has all that the palette finds, with an address', async () => {
  const page = await project.open('usage');
  const { found, remove } = await secondProject(page);
  await gotoReady(page, project.at('usage'));
  await pressShortcut(page, 'Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('org_led');
  await page.getByRole('option', { name: 'All results for “org_led”' }).click();
  await page.waitForURL(/\/find\?q=org_led$/);
  await expect(page.getByRole('link', { name: 'org_ledger' })).toBeVisible();
  await gotoReady(page, '/find');
  await pressShortcut(page, '/');
  const search = page.getByRole('searchbox', { name: 'Part of a key' });
  await expect(search).toBeFocused();
  for (const [text, , address] of found) {
    await search.fill(text);
    await expect(page.getByRole('main').locator(`a[href="${address}"]`)).toBeVisible();
  }
  const secret = 'Zq3Zq3Zq3Zq3Zq3Zq3Zq3Zq3Zq3';
  await search.fill(`ceiba_newSecr1${secret}`);
  await expect(search).toHaveValue('ceiba_newSecr1');
  await expect(page.getByRole('link', { name: 'Ledger sync' })).toBeVisible();
  expect(page.url()).not.toContain(secret);
  await expectAccessible(page);
  await remove();
});

test('the page Find works without scripts, and shows nothing of another account', async ({
  browser,
  baseURL,
}) => {
  await project.addKey('Hidden', { key_prefix: 'ceiba_hiddenK1' });
  const signedIn = await project.open('usage');
  const context = await browser.newContext({
    ...(baseURL && { baseURL }),
    javaScriptEnabled: false,
  });
  await context.addCookies(await signedIn.context().cookies());
  const page = await context.newPage();
  await page.goto('/find');
  await page.getByRole('searchbox', { name: 'Part of a key' }).fill('ceiba_hidden');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'Hidden' })).toBeVisible();
  await context.close();

  const other = await browser.newPage();
  await newUser(other);
  await other.goto('/find?q=ceiba_hidden');
  await expect(other.getByText('Nothing in your projects or the guides matches')).toBeVisible();
  await other.close();
});

test('the palette leads a viewer to the row of a policy, and says why it found nothing', async ({
  page,
}) => {
  const policyId = await project.addPolicy('GET', '/v1/night-viewer*');
  await project.addPolicy('GET', '/v1/other*');
  const { email } = await newUser(page);
  await project.sql`insert into project_members (project_id, user_id, role)
    select ${project.projectId}, id, 'viewer' from users where email = ${email}`;
  await gotoReady(page, project.at('usage'));
  await pressShortcut(page, 'Control+k');
  const field = page.getByRole('combobox', { name: 'Go to' });
  await field.fill('night-viewer');
  await expect(page.getByRole('option', { selected: true })).toHaveText(/night-viewer/);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/policies?q=${policyId}`);
  await expect(page.getByRole('main').getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('main')).toContainText('/v1/night-viewer*');

  await expectListening(page);
  await pressShortcut(page, 'Control+k');
  await page.route('**/policies?**', (route) => route.abort());
  await field.fill('qqzzqqzz');
  await expect(page.getByRole('alert').filter({ hasText: 'not answering' })).toBeVisible();
  await expect(page.getByText('No results.')).toHaveCount(0);
  await expectAccessible(page);
  await page.unroute('**/policies?**');
  await page.context().clearCookies();
  await field.fill('qqzzqqzzq');
  await expect(page.getByRole('alert').filter({ hasText: /sign/i })).toBeVisible();
});

test('the palette names its selected option to screen readers, from the first one on', async () => {
  const page = await project.open('usage');
  await pressShortcut(page, 'Control+k');
  const field = page.getByRole('combobox', { name: 'Go to' });
  const selected = page.getByRole('option', { selected: true });
  async function expectTold(name: string) {
    await expect(selected).toHaveText(name);
    const id = await selected.getAttribute('id');
    await expect(field).toHaveAttribute('aria-activedescendant', id ?? '');
  }
  await expectTold('Overview');
  await field.fill('sign o');
  await expectTold('Sign out');
  await field.fill('create project');
  await expectTold('Create project');
  await field.fill('qqzzqqzz');
  await expect(selected).toHaveCount(0);
  await expect(field).not.toHaveAttribute('aria-activedescendant');
});

test('the palette creates a key and signs out', async ({ page }) => {
  await newUser(page);
  const { projectId } = await createProject(page, 'Reports');
  async function run(text: string, name: string) {
    await pressShortcut(page, 'Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill(text);
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await expect(palette.getByRole('option', { selected: true })).toHaveText(name);
    await page.keyboard.press('Enter');
  }
  await gotoReady(page, `/projects/${projectId}/usage`);
  await run('create k', 'Create key');
  await page.waitForURL(`**/projects/${projectId}/keys/new`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Create key');
  await run('sign o', 'Sign out');
  await page.waitForURL((url) => url.pathname === '/');
  await page.goto(`/projects/${projectId}`);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});

test('a dialog keeps the page behind it still, and gives the focus back however it is closed', async () => {
  await project.addKey('Behind');
  const page = await project.open('keys');
  const opener = page.getByRole('button', { name: 'Actions for Behind' });
  const dialog = page.getByRole('dialog', { name: 'Name and note of Behind' });
  async function open() {
    await opener.click();
    await page.getByRole('button', { name: 'Edit name and note' }).click();
    await expect(dialog).toBeVisible();
    await expect(dialog.getByRole('textbox').first()).toBeFocused();
  }
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    await open();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).toBe(
      'hidden',
    );
    const edges = await dialog.boundingBox();
    expect(edges?.x).toBeGreaterThanOrEqual(0);
    expect((edges?.x ?? 0) + (edges?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(opener).toBeFocused();
    await open();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(opener).toBeFocused();
  }
  await page.setViewportSize({ width: 1440, height: 900 });

  // The palette above it closes alone.
  await open();
  await dialog.getByRole('textbox').first().focus();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await expect(palette).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(palette).toHaveCount(0);
  await expect(dialog.getByRole('textbox').first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();
});

test('a press beside a dialog closes it and presses nothing of the page', async () => {
  const page = await project.open('usage');
  const link = page.getByRole('link', { name: 'Audit', exact: true });
  const at = await link.boundingBox();
  if (at === null) throw new Error('the sidebar has no link to the audit');
  const beside = [at.x + at.width / 2, at.y + at.height / 2] as const;
  await link.evaluate((element) => {
    for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
      element.addEventListener(type, () => {
        document.body.dataset.pressed = `${document.body.dataset.pressed ?? ''} ${type}`;
      });
    }
  });
  const opener = page.getByRole('button', { name: /^Go to/ });
  const field = page.getByRole('combobox', { name: 'Go to' });
  await opener.click();
  await field.fill('a text');

  // A selection that ends beside the dialog does not close it.
  const typed = await field.boundingBox();
  await page.mouse.move((typed?.x ?? 0) + 40, (typed?.y ?? 0) + 20);
  await page.mouse.down();
  await page.mouse.move(...beside);
  await page.mouse.up();
  await expect(field).toBeVisible();

  await page.mouse.click(...beside);
  await expect(field).toHaveCount(0);
  await expect(opener).toBeFocused();
  await expect(page.locator('body')).not.toHaveAttribute('data-pressed');
});

interface Watched {
  /** What the title of the tab has been at each change of the head. */
  titles: string[];
}

function watchTitles(): void {
  const titles: string[] = [];
  new MutationObserver(() => titles.push(document.title)).observe(document.head, {
    childList: true,
  });
  Object.assign(window, { titles });
}

/** The next refresh receives the title, and what follows it, after a pause, as on a slow network. */
function receiveInTwoParts(pauseMs: number): void {
  const { fetch } = window;
  window.fetch = async (...call) => {
    const response = await fetch(...call);
    const headers = new Headers(call[1]?.headers);
    if (!headers.has('rsc') || headers.has('next-router-prefetch')) return response;
    window.fetch = fetch;
    const text = await response.text();
    const title = text.search(/^[0-9a-f]+:\[\["\$","title"/m);
    if (title < 0) throw new Error('the refresh has no title');
    const body = new ReadableStream({
      async start(controller) {
        const encoder = new TextEncoder();
        controller.enqueue(encoder.encode(text.slice(0, title)));
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        controller.enqueue(encoder.encode(text.slice(title)));
        controller.close();
      },
    });
    const received = new Response(body, response);
    return Object.defineProperty(received, 'url', { value: response.url });
  };
}

test('a page of a project that is not the user’s shows no menu of it, and one that a project lacks does', async () => {
  const unknown = '00000000-0000-4000-8000-000000000000';
  const page = await project.open('keys');
  const [ofProject, ofConsole, bar] = ['Project', 'Console', 'Sections'].map((name) =>
    page.getByRole('navigation', { name, exact: true }),
  ) as [Locator, Locator, Locator];
  await gotoReady(page, `/projects/${unknown}/keys`);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(ofProject).toBeHidden();
  await expect(page.getByRole('button', { name: /switch project$/ })).toBeHidden();
  await expect(ofConsole.getByRole('link', { name: 'Projects' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option', { name: 'All projects', exact: true })).toBeVisible();
  await expect(page.getByRole('option', { name: 'Create key' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(bar.getByRole('link', { name: 'Keys' })).toBeHidden();
  await expect(bar.getByRole('link', { name: 'Find' })).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 720 });

  await gotoReady(page, project.at(`keys/${unknown}`));
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(ofProject.getByRole('link', { name: 'Keys' })).toBeVisible();
  await expect(ofConsole).toBeHidden();
});
