import { readFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { withinOneDay } from '../support/minute.ts';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { gotoReady } from './support.ts';

const HOUR_MS = 3_600_000;
const NO_ID = '00000000-0000-0000-0000-000000000000';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Reports');
});
test.beforeEach(() => project.empty());
test.afterAll(() => project?.close());

interface Counted {
  hoursAgo?: number;
  outcome?: string;
  apiKeyId?: string;
  policyId?: string;
  count: number;
}

async function count(...rows: Counted[]): Promise<void> {
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  await project.sql`insert into usage_hours ${project.sql(
    rows.map((row) => ({
      project_id: project.projectId,
      hour: new Date(now - (row.hoursAgo ?? 0) * HOUR_MS),
      api_key_id: row.apiKeyId ?? NO_ID,
      policy_id: row.policyId ?? NO_ID,
      outcome: row.outcome ?? 'allowed',
      incarnation: 'e2e',
      count: row.count,
    })),
  )}`;
}

/** The number of decisions of the range, above the chart. */
const expectDecisions = (page: Page, name: string) =>
  expect(page.getByRole('heading', { level: 2, name, exact: true })).toBeVisible();

const tabsOf = (page: Page) => page.getByRole('navigation', { name: 'Calls by' }).getByRole('link');
/** The lists of calls that the page shows. */
const callLists = (page: Page) =>
  page.getByRole('list', { name: /^(Denial reasons|Allowed calls by .+)$/ });

async function expectList(page: Page, name: string, row: string): Promise<void> {
  const lists = callLists(page);
  await expect(lists).toContainText([row]);
  await expect(lists).toHaveAccessibleName(name);
}

async function csvOf(page: Page): Promise<string[]> {
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  return text.trimEnd().split('\r\n');
}

test('the page without decisions shows a command with the values of the project', async () => {
  const page = await project.open('usage');
  await expect(page.getByText('No decisions in this range')).toBeVisible();
  await expect(page.locator('pre')).toContainText(`/rt/projects/${project.projectId}/authorize`);
  await expectAccessible(page);
  await gotoReady(page, project.at(''));
  await page.getByRole('button', { name: 'Hide', exact: true }).click();
  await expect(page.getByText('No decisions yet')).toBeVisible();
  await expect(page.locator('pre')).toContainText(`/rt/projects/${project.projectId}/authorize`);
  await expectAccessible(page);
  await page.context().clearCookies({ name: 'ceiba-closed-checklists' });
});

test('one decision is one bar, one share and one line of the CSV file', async () => {
  const [apiKeyId, policyId] = [
    await project.addKey('=HYPERLINK("http://evil.example","Mobile")'),
    await project.addPolicy('GET', '/v1/reports*'),
  ];
  await count({ apiKeyId, policyId, count: 1 });
  const page = await project.open('usage?range=24h&by=policy');
  await expectDecisions(page, '1 decision');
  await expect(page.getByRole('img', { name: /^Decisions in 24 hours, at most 1/ })).toBeVisible();
  await expectList(page, 'Allowed calls by policy', 'GET /v1/reports*');
  await page.getByText('Show the numbers').click();
  await expect(page.getByRole('row')).toHaveCount(25);
  await expectAccessible(page);
  const [head, line, ...more] = await csvOf(page);
  expect(head).toContain('from_utc,outcome,api_key_id');
  expect(line).toContain(
    `"allowed","${apiKeyId}","'=HYPERLINK(""http://evil.example"",""Mobile"")"`,
  );
  expect(line).toMatch(/,1$/);
  expect(more).toEqual([]);
});

test('a year is shown by day, denials by reason, and the range is in the URL', async () => {
  await withinOneDay(async () => {
    await project.empty();
    const apiKeyId = await project.addKey('Mobile app');
    await count(
      ...Array.from({ length: 365 }, (_, day) => ({ hoursAgo: day * 24, apiKeyId, count: 1_000 })),
      { outcome: 'rate_limited', apiKeyId, hoursAgo: 24, count: 40 },
      { outcome: 'invalid_api_key', hoursAgo: 200 * 24, count: 60 },
    );
    const page = await project.open('usage?range=1y');
    await expectDecisions(page, '365,100 decisions');
    await expect(page.getByRole('img', { name: /^Decisions in 365 days/ })).toBeVisible();
    await expect(page.getByText('The CSV file has the numbers of each day.')).toBeVisible();
    await expectAccessible(page);
    const reasons = page.getByRole('list', { name: 'Denial reasons' }).getByRole('listitem');
    await expect(reasons).toHaveText([/Invalid key.*60/, /Rate limited.*40/]);
    await page.getByRole('link', { name: '7 days' }).click();
    await expectDecisions(page, '7,040 decisions');
    await expect(page).toHaveURL(/\?range=7d$/);
    await page.goBack();
    await expectDecisions(page, '365,100 decisions');
  });
});

test('a bar of the chart shows its numbers to pointer, keyboard and touch, and leads to its time', async ({
  browser,
  baseURL,
}) => {
  await count({ hoursAgo: 0, count: 7 }, { hoursAgo: 1, outcome: 'rate_limited', count: 3 });
  const page = await project.open('usage?range=24h');
  const chart = (shown: Page) => shown.getByRole('group', { name: /^Decisions by time/ });
  const bars = (shown: Page) => chart(shown).getByRole('link');
  const label = (shown: Page, text: string) => chart(shown).locator('p', { hasText: text });
  await expect(bars(page)).toHaveCount(24);
  await bars(page).nth(23).hover();
  await expect(label(page, '7 allowed, 0 limited, 0 denied')).toBeVisible();
  await page.mouse.move(0, 0);
  await expect(chart(page).locator('p')).toHaveCount(0);

  await bars(page).nth(23).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(bars(page).nth(22)).toBeFocused();
  await expect(label(page, '0 allowed, 3 limited, 0 denied')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(chart(page).locator('p')).toHaveCount(0);
  await page.keyboard.press('Home');
  await expect(bars(page).first()).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/requests\?from=.*to=/);

  const phone = await browser.newContext({
    ...(baseURL && { baseURL }),
    hasTouch: true,
    viewport: { width: 390, height: 844 },
  });
  await phone.addCookies(await page.context().cookies());
  const touched = await phone.newPage();
  await gotoReady(touched, project.at('usage?range=24h'));
  // A scroll that ends on a bar is no tap.
  for (const type of ['touchstart', 'touchmove', 'touchend']) {
    await bars(touched).nth(22).dispatchEvent(type);
  }
  await expect(bars(touched).nth(22)).not.toBeFocused();
  await expect(chart(touched).locator('p')).toHaveCount(0);

  await bars(touched).nth(22).tap();
  await expect(label(touched, '0 allowed, 3 limited, 0 denied')).toBeVisible();
  await expect(touched).toHaveURL(/range=24h/);
  await bars(touched).nth(22).tap();
  await expect(touched).toHaveURL(/\/requests\?from=.*to=/);
  await phone.close();
});

test('the page shows the period before, the share of denials, and links by ID', async () => {
  const [first, second] = [await project.addKey('Mobile app'), await project.addKey('Mobile app')];
  const policyId = await project.addPolicy('GET', '/v1/reports*');
  await count(
    { apiKeyId: first, policyId, count: 7 },
    { apiKeyId: second, policyId, count: 2 },
    { hoursAgo: 1, outcome: 'rate_limited', count: 3 },
    { hoursAgo: 30, count: 50 },
  );
  const page = await project.open('usage?range=24h');
  await expect(page.getByText('50 before')).toBeVisible();
  await expect(
    page.getByText(/Hours are in UTC\. As of \d+ \w+ \d{4}, \d\d:\d\d UTC\.$/),
  ).toBeVisible();
  // From all calls of an hour, at the top, to none of the next one.
  const share = page
    .getByRole('img', { name: /^Share denied or limited/ })
    .locator('path')
    .last();
  await expect(share).toHaveAttribute('d', /^M[\d.]+ 0L[\d.]+ 32$/);
  const hrefs = () =>
    callLists(page)
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  await tabsOf(page).getByText('Keys').click();
  await expectList(page, 'Allowed calls by key', 'Mobile app');
  expect(await hrefs()).toEqual([project.at(`keys/${first}`), project.at(`keys/${second}`)]);
  await tabsOf(page).getByText('Policies').click();
  await expectList(page, 'Allowed calls by policy', '/v1/reports*');
  expect(await hrefs()).toEqual([project.at(`policies/${policyId}`)]);
  // The page of a key compares its own decisions.
  await count({ apiKeyId: first, hoursAgo: 31, count: 40 });
  await gotoReady(page, project.at(`keys/${first}?range=24h`));
  await expect(page.getByText('40 before')).toBeVisible();
});

test('one list of calls is shown at a time, and its tab is in the URL with the range', async () => {
  const [apiKeyId, policyId] = [
    await project.addKey('Mobile app'),
    await project.addPolicy('GET', '/v1/reports*'),
  ];
  await count({ apiKeyId, policyId, count: 7 }, { outcome: 'rate_limited', apiKeyId, count: 3 });
  const page = await project.open('usage?range=24h');
  await expectList(page, 'Denial reasons', 'Rate limited');
  const current = page.getByRole('navigation', { name: 'Calls by' }).locator('[aria-current]');
  await expect(current).toHaveText('Denials');
  await tabsOf(page).getByText('Customers').click();
  await expect(page.getByText('No call with a key of a customer was allowed')).toBeVisible();
  await expect(callLists(page)).toHaveCount(0);
  await tabsOf(page).getByText('Keys').click();
  await expectList(page, 'Allowed calls by key', 'Mobile app');
  await expect(page).toHaveURL(/\?range=24h&by=key$/);
  await page.reload();
  await expectList(page, 'Allowed calls by key', 'Mobile app');
  await expectAccessible(page);
  expect((await csvOf(page)).slice(1)).toHaveLength(2);

  await page.getByRole('link', { name: '7 days' }).click();
  await expect(page).toHaveURL(/\?range=7d&by=key$/);
  await page.locator('summary', { hasText: 'Choose days' }).click();
  await page.getByRole('button', { name: 'Show range' }).click();
  await expect(page).toHaveURL(/[?&]from=/);
  await expectList(page, 'Allowed calls by key', 'Mobile app');
  await tabsOf(page).getByText('Denials').click();
  await expectList(page, 'Denial reasons', 'Rate limited');
  await page.goBack();
  await expectList(page, 'Allowed calls by key', 'Mobile app');
  await expect(current).toHaveText('Keys');
});

test('only the chosen list of calls is read from the database', { tag: '@alone' }, async () => {
  const apiKeyId = await project.addKey('Mobile app');
  await count({ apiKeyId, count: 7 }, { outcome: 'rate_limited', apiKeyId, count: 3 });
  const page = await project.open('usage');
  for (const [by, tables, name, row] of [
    ['reason', ['api_keys', 'customers', 'policies'], 'Denial reasons', 'Rate limited'],
    ['key', ['customers', 'policies'], 'Allowed calls by key', 'Mobile app'],
    ['policy', ['api_keys', 'customers'], 'Allowed calls by policy', 'A deleted policy'],
  ] as const) {
    await project.sql.begin(async (tx) => {
      for (const table of tables) await tx`lock table ${tx(table)} in access exclusive mode`;
      await page.goto(project.at(`usage?by=${by}`));
      await expectList(page, name, row);
    });
  }
});

test('the hours of the chart are in the time zone of the browser, and its days in UTC', async ({
  browser,
  baseURL,
}) => {
  const apiKeyId = await project.addKey('Mobile app');
  await count({ apiKeyId, count: 7 });
  const page = await project.open('usage?range=24h');
  const bar = (shown: Page) => shown.getByRole('link', { name: '7 allowed' });
  const hourOf = async (shown: Page) =>
    Number(/, (\d\d):00: /.exec((await bar(shown).getAttribute('aria-label')) ?? '')?.[1]);
  const hour = await hourOf(page);
  const tokyo = await browser.newContext({
    ...(baseURL && { baseURL }),
    timezoneId: 'Asia/Tokyo',
  });
  await tokyo.addCookies(await page.context().cookies());
  const away = await tokyo.newPage();
  for (const path of ['usage', `keys/${apiKeyId}`]) {
    await gotoReady(away, project.at(`${path}?range=24h`));
    await expect(away.getByText(/Hours are in Asia\/Tokyo\. As of /)).toBeVisible();
    expect(await hourOf(away)).toBe((hour + 9) % 24);
    await away.getByText('Show the numbers').click();
    await expect(away.getByRole('columnheader', { name: 'In Asia/Tokyo' })).toBeVisible();
    await gotoReady(away, project.at(`${path}?range=7d`));
    await expect(away.getByText(/Days are counted in UTC\. As of /)).toBeVisible();
  }
  await tokyo.close();
});

test('a range is chosen by its days, without scripts too', async ({ browser, baseURL }) => {
  await count({ count: 5 });
  const signedIn = await project.open('usage');
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ ...(baseURL && { baseURL }), javaScriptEnabled });
    await context.addCookies(await signedIn.context().cookies());
    const page = await context.newPage();
    await page.goto(project.at('usage'));
    const days = page.locator('summary', { hasText: 'Choose days' });
    await expect(page.getByLabel('First day')).toBeHidden();
    await days.press('Enter');
    await page.getByLabel('First day').fill('2026-02-01');
    await page.getByLabel('Last day').fill('2026-02-07');
    await page.getByRole('button', { name: 'Show range' }).click();
    await expect(page).toHaveURL(/from=2026-02-01&to=2026-02-07/);
    await expect(page.locator('summary', { hasText: '1 Feb 2026 to 7 Feb 2026' })).toBeVisible();
    await page.getByRole('link', { name: 'This month' }).click();
    await expect(page).toHaveURL(/usage\?range=month/);
    await expect(days).toBeVisible();
    await context.close();
  }
});

test('ninety days that take longer than any other page may are shown', {
  tag: '@alone',
}, async () => {
  await count(...Array.from({ length: 90 }, (_, day) => ({ hoursAgo: day * 24, count: 10 })));
  const page = await project.open('keys');
  let opened: ReturnType<Page['goto']> | undefined;
  await project.sql.begin(async (tx) => {
    await tx`lock table usage_hours in access exclusive mode`;
    opened = page.goto(project.at('usage?range=90d'));
    const waiting = () => tx`
      select pid from pg_stat_activity where application_name = 'ceiba-console'
        and wait_event_type = 'Lock' and clock_timestamp() - query_start > interval '3500 ms'`;
    await expect.poll(async () => (await waiting()).length, { intervals: [50] }).toBeGreaterThan(0);
  });
  expect((await opened)?.status()).toBe(200);
  await expectDecisions(page, '900 decisions');
});

test('the overview leads to the next step, shows its numbers first, and refreshes itself', async ({
  page,
}) => {
  // A separate browser context, because the clock is controlled in all of it.
  const signedIn = await project.open('keys');
  await page.context().addCookies(await signedIn.context().cookies());
  await page.clock.install();
  await page.goto(project.at(''));
  const standsOut = page.getByRole('main').locator('.bg-accent');
  // A browser that did not create the project does not know whether the secret was kept.
  await expect(standsOut).toHaveText('I have it');
  const haveIt = page.getByRole('button', { name: 'I have it' });
  await expect(page.getByRole('link', { name: 'Rotate the secret' })).toBeVisible();
  await expect(page.getByText('1 of 5 steps are done.')).toBeVisible();
  await expect(async () => {
    await page.clock.runFor(1_000);
    // A slow first click may have worked by now, and the next step is the button.
    if (await haveIt.isVisible()) await haveIt.click({ timeout: 1_000 });
    await expect(standsOut).toHaveText('Add policies', { timeout: 2_000 });
  }).toPass();
  await page.reload();
  await expect(standsOut).toHaveText('Add policies');
  await project.addPolicy('GET', '/v1/reports*');
  await page.reload();
  await expect(standsOut).toHaveText('Create a key');
  await project.addKey('Mobile app');
  await page.reload();
  await expect(page.getByRole('heading', { name: /^Create a key ?, done$/ })).toBeVisible();
  await expect(page.locator('[aria-current=step]')).toContainText('Make the first call');
  await expect(standsOut).toHaveCount(0);

  await count({ count: 90 }, { outcome: 'rate_limited', count: 10 });
  const figures = page.getByRole('main').getByRole('definition');
  // Time that passes before the scripts of the page run starts no refresh.
  await expect(async () => {
    await page.clock.runFor(31_000);
    // Each interval of it asks for the page; a slow machine shows the last one when all were answered.
    await expect(figures).toHaveCount(4, { timeout: 10_000 });
  }).toPass();
  await expect(figures).toHaveText([/^100/, /^10%/, /^0%/, /^1.* of /]);
  await expectAccessible(page);
});

test('each denial reason of the overview and of the usage page leads to its requests', async () => {
  const apiKeyId = await project.addKey('Old partner', { status: 'revoked' });
  await count({ count: 90 }, { outcome: 'revoked_api_key', apiKeyId, count: 12 });
  const page = await project.open('');
  const reasons = page.getByRole('region', { name: 'Why calls are denied' });
  await expect(reasons).toContainText('12');
  await expect(reasons).toContainText('Old partner');
  await expect(reasons).toContainText(/, last denied (this hour|an hour ago)/);
  await expectAccessible(page);
  await reasons.getByRole('link', { name: 'Why?' }).click();
  await page.waitForURL(
    ({ pathname, searchParams }) =>
      pathname.endsWith('/requests') &&
      searchParams.get('reason') === 'revoked_api_key' &&
      searchParams.get('key') === apiKeyId,
  );
  await expect(page.getByLabel('Reason')).toHaveValue('revoked_api_key');
  await expect(page.getByText('Requests with the key Old partner')).toBeVisible();
  await gotoReady(page, project.at('usage?range=24h'));
  await page.getByRole('link', { name: 'Why? Revoked key' }).click();
  await page.waitForURL(/\/requests\?reason=revoked_api_key&from=[^&]+&to=[^&]+$/);
  // The range has not ended, so its requests can be followed.
  await expect(page.getByRole('button', { name: 'Follow live' })).toBeVisible();
});

test('a range that takes too long has the tabs of the other lists', { tag: '@alone' }, async () => {
  await count({ count: 1 });
  const page = await project.open('usage?range=24h&by=key');
  await project.sql.begin(async (tx) => {
    await tx`lock table usage_hours in access exclusive mode`;
    await page.goto(project.at('usage?range=24h&by=policy'));
    await expect(page.getByText('This range takes too long to add up now')).toBeVisible();
  });
  await expect(tabsOf(page)).toHaveText(['Denials', 'Keys', 'Customers', 'Policies']);
  await expect(page.locator('[aria-current=page]', { hasText: 'Policies' }).first()).toBeVisible();
  await expectAccessible(page);
  await tabsOf(page).filter({ hasText: 'Keys' }).click();
  await expectDecisions(page, '1 decision');
});
