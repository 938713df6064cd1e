import { type Browser, expect, type Page, test } from '@playwright/test';
import { addDecisions } from './decisions.ts';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { gotoReady, unfoldKeyFields } from './support.ts';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Time zones');
});
test.afterAll(() => project?.close());
test.beforeEach(async () => {
  await project.empty();
  await project.usePlan('Starter');
  await project.sql`update users set time_zone = null
    where id = (select owner_id from projects where id = ${project.projectId})`;
});

/** A signed-in page in a browser of another time zone. */
async function openIn(browser: Browser, timezoneId: string, path: string): Promise<Page> {
  const signedIn = await project.open('requests');
  const cookies = await signedIn.context().cookies();
  const context = await browser.newContext({ baseURL: new URL(signedIn.url()).origin, timezoneId });
  // The zone of this browser is not known yet.
  await context.addCookies(cookies.filter(({ name }) => name !== 'ceiba-zone'));
  const page = await context.newPage();
  await gotoReady(page, path);
  return page;
}

const paths = (page: Page) => page.getByRole('row').getByRole('link').allInnerTexts();
const zoneOf = (page: Page) => page.getByText(/^Time zone: /);

test('a shared address shows the same rows in another zone, at its own hours, and names it', async ({
  browser,
}) => {
  const minutes = [1, 2, 3].map((n) => new Date(Date.now() - 3 * 3_600_000 - n * 60_000));
  await addDecisions(
    project.projectId,
    minutes.map((at, index) => ({ at, path: `/v1/${index}` })),
  );
  const problems: string[] = [];
  const berlin = await openIn(browser, 'Europe/Berlin', project.at('requests'));
  berlin.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await expect(zoneOf(berlin)).toHaveText('Time zone: Europe/Berlin');
  await berlin.reload();
  await berlin.getByText('More filters').click();
  const from = berlin.getByLabel('From, Europe/Berlin');
  const second = minutes[1] ?? new Date(0);
  await from.fill(clock(second, 'Europe/Berlin'));
  await expect(berlin.getByRole('row').getByRole('link')).toHaveCount(2);
  expect(new URL(berlin.url()).searchParams.get('from')).toBe(
    `${second.toISOString().slice(0, 16)}Z`,
  );
  await expect(from).toHaveValue(clock(second, 'Europe/Berlin'));

  const shared = await openIn(browser, 'America/St_Johns', berlin.url());
  await expect(shared.getByRole('columnheader', { name: 'Time, America/St_Johns' })).toBeVisible();
  expect(await paths(shared)).toEqual(await paths(berlin));
  await expect(shared.getByLabel('From, America/St_Johns')).toHaveValue(
    clock(second, 'America/St_Johns'),
  );
  const times = (page: Page) => page.locator('td time').locator('visible=true').allInnerTexts();
  const seen = { there: await times(shared), here: await times(berlin) };
  expect(seen.there).toHaveLength(2);
  expect(seen.there).not.toEqual(seen.here);
  await expectAccessible(shared);

  // Another choice keeps the instant, and the page of a request has the same clock.
  await shared.getByLabel('Outcome').selectOption('Denied');
  await expect(shared).toHaveURL(/outcome=denied/);
  expect(new URL(shared.url()).searchParams.get('from')).toBe(
    new URL(berlin.url()).searchParams.get('from'),
  );
  expect(problems).toEqual([]);
  await berlin.context().close();
  await shared.context().close();
});

test('the zone of the account is that of its pages, whatever the browser has', async ({
  browser,
}) => {
  const page = await openIn(browser, 'Europe/Berlin', '/account');
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await expect(zone.getByRole('option', { selected: true })).toHaveText(
    'As my browser, Europe/Berlin',
  );
  await zone.selectOption('America/St_Johns');
  await page.getByRole('button', { name: 'Save time zone' }).click();
  await expect(page.getByText('Time zone saved')).toBeVisible();
  await expect(zoneOf(page)).toHaveText('Time zone: America/St_Johns');
  await expectAccessible(page);
  await gotoReady(page, project.at('audit'));
  await expect(page.getByText('Times are in America/St_Johns.')).toBeVisible();
  await expect(page.getByLabel('From, America/St_Johns')).toBeVisible();
  // What is counted in UTC stays so.
  await project.sql`insert into usage_months (project_id, month, scope, incarnation, count)
    values (${project.projectId}, extract(year from now() at time zone 'UTC') * 12
      + extract(month from now() at time zone 'UTC') - 1, 'project', 'e2e', 100000000)`;
  await gotoReady(page, project.at('subscription'));
  await expect(page.getByText(/allowed again on 1 \w+ \d{4}, 00:00 UTC,/)).toBeVisible();

  // A time is typed in the zone of the account.
  await gotoReady(page, project.at('keys/new'));
  await page.getByLabel('Name').fill('Guest');
  await unfoldKeyFields(page);
  await page.getByLabel('Expires', { exact: true }).selectOption('On a date');
  await page.getByLabel('Date and time, America/St_Johns').fill('2031-01-15T12:00');
  await expect(page.getByText('until 15 Jan 2031, 12:00 UTC-3:30')).toBeVisible();
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByRole('heading', { name: 'Guest is created' })).toBeVisible();
  const [key] = await project.sql`
    select expires_at as at from api_keys where project_id = ${project.projectId}`;
  expect(key?.at).toEqual(new Date('2031-01-15T15:30:00Z'));

  await gotoReady(page, '/account');
  await expect(zone).toHaveValue('America/St_Johns');
  await zone.selectOption('');
  await page.getByRole('button', { name: 'Save time zone' }).click();
  await expect(zoneOf(page)).toHaveText('Time zone: Europe/Berlin');
  await page.context().close();
});

test('without scripts a first visit shows times in UTC, as does a zone that no server knows', async ({
  browser,
}) => {
  const signedIn = await project.open('requests');
  const { origin, hostname } = new URL(signedIn.url());
  const context = await browser.newContext({ baseURL: origin, javaScriptEnabled: false });
  const cookies = await signedIn.context().cookies();
  await context.addCookies(cookies.filter(({ name }) => name !== 'ceiba-zone'));
  const page = await context.newPage();
  await page.goto('/account');
  await expect(zoneOf(page)).toHaveText('Time zone: UTC');
  const cookie = { name: 'ceiba-zone', domain: hostname, path: '/' };
  for (const [value, zone] of [
    ['America%2FSt_Johns', 'America/St_Johns'],
    ['Europe%2FAtlantis', 'UTC'],
    ['%2B01%3A00', 'UTC'],
    ['x'.repeat(2_000), 'UTC'],
  ] as const) {
    await context.addCookies([{ ...cookie, value }]);
    await page.reload();
    await expect(zoneOf(page)).toHaveText(`Time zone: ${zone}`);
  }
  await context.close();
});

/** The value of a field of time for an instant in a zone. */
const clock = (at: Date, timeZone: string) =>
  at.toLocaleString('sv-SE', { timeZone }).slice(0, 16).replace(' ', 'T');
