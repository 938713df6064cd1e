import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DenialReason } from '@ceiba/contract/sets';
import { mintApiKey } from '@ceiba/domain';
import { expect, type Page, test } from '@playwright/test';
import { addDecisions } from './decisions.ts';
import { expectAccessible } from './expect-accessible.ts';
import { createKey, type OwnProject, ownProject } from './own-project.ts';
import { expectListening, gotoReady, newUser, pressShortcut } from './support.ts';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Reports');
});
test.beforeEach(() => project.empty());
test.afterAll(() => project?.close());

const SEARCH = 'Path, key prefix, ID or status';
const rows = (page: Page) => page.locator('tbody tr');
const asDecided = (page: Page) => page.getByRole('region', { name: 'As it was decided' });
const asNow = (page: Page) => page.getByRole('region', { name: 'As it would be decided now' });

/** Reloads until the log shows a decision; the Runtime writes it within seconds. */
async function openList(page: Page, query: string, count: number): Promise<void> {
  await expect(async () => {
    await gotoReady(page, project.at(`requests${query}`));
    await expect(rows(page)).toHaveCount(count, { timeout: 500 });
  }).toPass();
}

/** Opens the only listed request of a reason, with one click. */
async function openOnly(page: Page, reason: string): Promise<void> {
  await openList(page, `?reason=${reason}`, 1);
  await openRow(page, 0);
}

async function openRow(page: Page, row: number): Promise<void> {
  await rows(page).nth(row).getByRole('link').click();
  await page.waitForURL(/\/requests\/[0-9a-f-]{36}(\?|$)/);
}

interface RealDenial {
  /** The columns of the key that is sent; null sends none, absent sends one that does not exist. */
  key?: Record<string, unknown> | null;
  path?: string;
  /** The gate that denied, and the value that it saw. */
  gate: string | RegExp;
}

const DENIALS: Record<DenialReason, RealDenial> = {
  missing_api_key: { key: null, gate: 'A key is sent: deniednone' },
  invalid_api_key: { gate: /^The key belongs to this project: deniedceiba_\w{8}…, no key of this/ },
  revoked_api_key: { key: { status: 'revoked' }, gate: 'The key is not revoked: deniedrevoked' },
  archived_api_key: {
    key: { status: 'archived' },
    gate: 'The key is not archived: deniedarchived',
  },
  expired_api_key: {
    key: { expires_at: new Date('2026-01-01') },
    gate: /^The key is not expired or disabled: deniedexpired.*Changes of this key$/,
  },
  policy_no_match: {
    key: {},
    path: '/v1/orders/7?token=hidden',
    gate: 'A policy matches: deniednone',
  },
  quota_exceeded: {
    key: { monthly_quota: 0 },
    gate: 'The quotas have room: denied0 of 0 used: the limit of this key',
  },
  rate_limited: {
    key: { rate_limit_per_minute: 0 },
    gate: 'The rate limit has room: denied0 of 0 per minute used: the limit of this key',
  },
  // Last, because it denies every call with a key.
  inactive_subscription: {
    key: {},
    gate: /^The subscription is active: deniedcanceled.*Changes of the subscription$/,
  },
};

async function callWith({ key, path }: RealDenial, call: number) {
  const { plaintext, digest, prefix } = mintApiKey(randomBytes);
  if (key) await project.addKey('Mobile app', { key_digest: digest, key_prefix: prefix, ...key });
  return project.authorize({
    apiKey: key === null ? null : plaintext,
    method: 'GET',
    path: path ?? `/v1/reports/${call}`,
  });
}

/** One call for each reason; several for one, so that each row of a list opens its own page. */
const callsOf = (reason: string) => (reason === 'policy_no_match' ? [1, 2, 3] : [1]);

test('a real denial of each reason is answered in one click, and several of one reason each by its own page', async () => {
  // It opens two pages for each of them.
  test.setTimeout(120_000);
  await project.addPolicy('GET', '/v1/reports*');
  const setStatus = (status: string) =>
    project.sql`update subscriptions set status = ${status} where project_id = ${project.projectId}`;
  for (const [reason, denial] of Object.entries(DENIALS)) {
    if (reason === 'inactive_subscription') await setStatus('canceled');
    for (const call of callsOf(reason))
      expect((await callWith(denial, call)).denialReason).toBe(reason);
  }
  const page = await project.open('requests');
  for (const [reason, { gate }] of Object.entries(DENIALS)) {
    const opened = new Set<string>();
    const calls = callsOf(reason);
    for (const row of calls.keys()) {
      await openList(page, `?reason=${reason}`, calls.length);
      await openRow(page, row);
      opened.add(page.url());
      const denied = asDecided(page).getByRole('listitem').filter({ hasText: ': denied' });
      if (typeof gate === 'string') await expect(denied).toContainText(gate);
      else await expect(denied).toHaveText(gate);
      await expect(page.getByRole('main')).not.toContainText('hidden');
      await expect(page.locator('time').first()).toHaveText(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC$/);
    }
    expect(opened.size).toBe(calls.length);
  }
  await setStatus('active');
});

test('beside the record is what would happen now', async () => {
  test.setTimeout(120_000);
  const page = await project.open('keys');
  const apiKey = await createKey(page, project, 'Mobile app');
  await project.addPolicy('GET', '/v1/reports*');
  const denied = await project.authorize({ apiKey, method: 'GET', path: '/v1/orders/7' });
  expect(denied.denialReason).toBe('policy_no_match');
  await project.authorize({ apiKey: `${apiKey}0`, method: 'GET', path: '/v1/orders/7' });

  await openOnly(page, 'policy_no_match');
  // One column while both agree.
  await expect(page.getByRole('region', { name: /^As it/ })).toHaveCount(1);
  await expect(asDecided(page)).toContainText('would be decided the same way now');
  await asNow(page).getByRole('link', { name: 'Add a policy for GET /v1/orders/7' }).click();
  await page.getByRole('button', { name: 'Add policy' }).click();
  await page.waitForURL(/\/policies$/);
  await openOnly(page, 'policy_no_match');
  await expect(asDecided(page)).toContainText('No matching policy');
  await expect(asNow(page)).toContainText('Allowed');
  await expect(page.getByRole('region', { name: /^As it/ })).toHaveCount(2);

  await openOnly(page, 'invalid_api_key');
  await expect(asNow(page)).toContainText('the call cannot be decided again');

  // A row of a key leads to its requests.
  await gotoReady(page, project.at('keys'));
  await page.getByRole('button', { name: 'Actions for Mobile app' }).click();
  await page.getByRole('link', { name: 'See requests' }).locator('visible=true').click();
  await expect(page.getByText('Requests with the key Mobile app')).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await expectAccessible(page);
});

test('the filter is in the URL, and applies to the CSV file too', async () => {
  const apiKeyId = await project.addKey('Mobile app');
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const key = { apiKeyId, keyPrefix: 'ceiba_Mobile01' };
  const [wanted] = await addDecisions(project.projectId, [
    {
      at: at(3),
      method: '=1+1',
      path: '/v1/reports/42',
      outcome: 'missing_api_key',
      requestId: 'req-7',
    },
    { ...key, at: at(2), path: '/v1/reports', outcome: 'rate_limited' },
    { ...key, at: at(1), path: '/v1/orders' },
  ]);
  const page = await project.open('requests');
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel(SEARCH).fill('/v1/reports');
  await page.getByLabel('Outcome').selectOption('Denied');
  await expect(page).toHaveURL(/pathPrefix=%2Fv1%2Freports&outcome=denied/);
  await expect(rows(page)).toHaveCount(2);
  await page.getByText('More filters').click();
  await page.getByLabel('Request ID').fill('req-7');
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('no key');
  // The page of a request leads back to the same list.
  const filtered = new URL(page.url()).search;
  await rows(page).getByRole('link').click();
  await page.getByRole('link', { name: 'All requests' }).click();
  await expect(page).toHaveURL((url) => url.search === filtered);
  await expect(rows(page)).toHaveCount(1);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  const [head, line, ...more] = text.trimEnd().split('\r\n');
  expect(head).toContain('at_utc,outcome,denial_detail,method,path');
  expect(line).toContain(`"missing_api_key",,"'=1+1","/v1/reports/42"`);
  expect(line).toContain(`"${wanted}","req-7"`);
  expect(more).toEqual([]);

  await gotoReady(page, project.at(`requests?decisionId=${wanted}`));
  await expect(rows(page)).toHaveCount(1);
  await page.getByLabel('Decision ID').fill('42');
  await page.keyboard.press('Enter');
  await expect(page.getByText('A decision ID looks like')).toBeVisible();
  await expect(page.getByLabel('Decision ID')).toHaveValue('42');
  await expect(rows(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Download CSV' })).toBeDisabled();
  await expectAccessible(page);
  const gone = await project.addKey('Gone');
  await addDecisions(project.projectId, [{ apiKeyId: gone, outcome: 'rate_limited' }]);
  await project.sql`delete from api_keys where id = ${gone}`;
  await gotoReady(page, project.at(`requests?key=${gone}`));
  await expect(page.getByText(`This project has no key ${gone} now.`)).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  const unknown = { outcome: 'invalid_api_key', keyPrefix: 'ceiba_Nowhere0' } as const;
  const [guessed] = await addDecisions(project.projectId, [
    unknown,
    { ...unknown, keyPrefix: 'ceiba_Nowhere1' },
  ]);
  await gotoReady(page, project.at(`requests/${guessed}`));
  await page.getByRole('link', { name: 'Requests like this' }).click();
  await page.waitForURL(/reason=invalid_api_key&key=ceiba_Nowhere0$/);
  await expect(page.getByText('This project has no key ceiba_Nowhere0… now.')).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await page.getByLabel('Key ID or prefix').fill(`ceiba_${'A'.repeat(49)}`);
  await expect(page.getByLabel('Key ID or prefix')).toHaveValue('ceiba_AAAAAAAA');
});

test('a part of a prefix and a status find requests, and a denial shows what the host answered', async () => {
  const [one, two] = await Promise.all([
    project.addKey('First app', { key_prefix: 'ceiba_abcFirst0' }),
    project.addKey('Second app', { key_prefix: 'ceiba_abcSecon0' }),
  ]);
  // Each in a second of its own, so that their order is known.
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
  const [, unmatched = ''] = await addDecisions(project.projectId, [
    { at: ago(5), apiKeyId: one, path: '/v1/one' },
    { at: ago(4), apiKeyId: two, path: '/v1/two', outcome: 'policy_no_match' },
    { at: ago(3), path: '/v1/limited', outcome: 'rate_limited' },
    { at: ago(2), path: '/v1/guessed', outcome: 'invalid_api_key', keyPrefix: 'ceiba_xyzNobody' },
    { at: ago(1), path: '/v1/missing', outcome: 'missing_api_key' },
  ]);
  const page = await project.open('requests');
  async function search(text: string, ...found: RegExp[]) {
    await page.getByLabel(SEARCH).fill(text);
    await page.getByLabel(SEARCH).press('Enter');
    await page.waitForURL((url) => url.searchParams.get('pathPrefix') === text);
    await expect(rows(page)).toHaveText(found);
    await expect(page.getByLabel(SEARCH)).toHaveValue(text);
  }
  await search('ceiba_abc', /two.*403/, /one/);
  await expect(page.getByText('Requests with the 2 keys that begin with ceiba_abc')).toBeVisible();
  await expectAccessible(page);
  await search('ceiba_abcF', /one/);
  await expect(page.getByText('Requests with the key First app')).toBeVisible();
  await search('ceiba_xyz', /guessed.*401/);
  await expect(page.getByText('This project has no key ceiba_xyz… now.')).toBeVisible();
  await search('401', /missing.*401/, /guessed.*401/);
  await search('429', /limited.*429/);
  await search(unmatched, /two/);
  await gotoReady(page, project.at(`requests/${unmatched.toUpperCase()}`));
  await expect(page.getByRole('heading', { name: 'Request', exact: true })).toBeVisible();
  await gotoReady(page, project.at('requests'));
  await page.getByLabel('Outcome').selectOption('Denied with 403');
  await expect(page).toHaveURL(/outcome=403/);
  await expect(rows(page)).toHaveText([/two.*403/]);
  const file = await page.request.get(project.at('requests/csv?outcome=401'));
  expect((await file.text()).trimEnd().split('\r\n')).toHaveLength(3);
});

test('on a phone the filter is behind a control that says how many fields are set, without scripts too', async ({
  browser,
  baseURL,
}) => {
  await addDecisions(project.projectId, [{ path: '/v1/reports', outcome: 'missing_api_key' }]);
  const desktop = await project.open('requests');
  await expect(desktop.getByLabel(SEARCH)).toBeVisible();
  await expect(desktop.getByText('Filters', { exact: true })).toBeHidden();
  for (const javaScriptEnabled of [true, false]) {
    const phone = await browser.newContext({
      ...(baseURL && { baseURL }),
      javaScriptEnabled,
      viewport: { width: 390, height: 844 },
    });
    await phone.addCookies(await desktop.context().cookies());
    const page = await phone.newPage();
    await page.goto(project.at('requests'));
    if (javaScriptEnabled) await expectListening(page);
    const control = page.locator('summary', { hasText: /^Filters/ });
    const path = page.getByLabel(SEARCH);
    await expect(control).toHaveText('Filters');
    await expect(path).toBeHidden();
    await control.click();
    await page.getByText('More filters').click();
    await expect(page.getByLabel('Customer ID')).toBeVisible();
    // Its time zone needs scripts.
    await expect(page.getByLabel(/^From,/)).toBeVisible({ visible: javaScriptEnabled });
    await path.fill('/v1/reports');
    await page.getByLabel('Outcome').selectOption('Denied');
    const button = page.getByRole('button', { name: 'Filter' });
    await expect(button).toBeVisible({ visible: !javaScriptEnabled });
    if (!javaScriptEnabled) await button.click();
    await expect(page).toHaveURL(/pathPrefix=%2Fv1%2Freports&outcome=denied/);
    await expect(control).toHaveText('Filters2 set');
    await expect(rows(page)).toHaveCount(1);
    // A new page begins with its list; where scripts change the page, the filter stays open.
    await expect(path).toBeVisible({ visible: javaScriptEnabled });
    await page.goto(project.at('requests?decisionId=42'));
    await expect(page.getByText('A decision ID looks like')).toBeVisible();
    if (javaScriptEnabled) {
      await page.goto(project.at('requests'));
      await pressShortcut(page, '/');
      await expect(path).toBeFocused();
      await expectAccessible(page);
    }
    await phone.close();
  }
});

test('older requests are on the next page', async () => {
  const now = Date.now();
  await addDecisions(
    project.projectId,
    Array.from({ length: 60 }, (_, index) => ({
      at: new Date(now - index * 1_000),
      path: `/v1/${index}`,
    })),
  );
  const page = await project.open('requests?pathPrefix=/v1');
  await expect(rows(page)).toHaveCount(50);
  await expect(rows(page).first()).toContainText('/v1/0');
  await page.getByRole('link', { name: 'Older' }).click();
  await expect(rows(page)).toHaveCount(10);
  await expect(rows(page).last()).toContainText('/v1/59');
  await expect(page).toHaveURL(/pathPrefix=/);
  await page.getByRole('link', { name: 'Newer' }).click();
  await expect(rows(page).first()).toContainText('/v1/0');
  // The first page has no cursor, so that it follows what comes.
  await page.waitForURL(/\/requests\?pathPrefix=%2Fv1$/);
  await page.getByRole('button', { name: 'Follow live' }).click();
  await addDecisions(project.projectId, [{ path: '/v1/followed' }]);
  await expect(rows(page).first()).toContainText('/v1/followed');
  await expect(rows(page)).toHaveCount(50);
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
});

test('a request leads to its neighbours in the filtered list, and back to the place that it was opened from', async () => {
  await addDecisions(
    project.projectId,
    Array.from({ length: 40 }, (_, index) => ({
      at: new Date(Date.now() - index * 1_000),
      path: `/v1/${index}`,
      method: index % 2 === 0 ? 'GET' : 'POST',
    })),
  );
  const page = await project.open('requests?method=GET');
  await expect(rows(page)).toHaveCount(20);
  const scrolled = () => page.evaluate(() => scrollY);
  await rows(page).last().scrollIntoViewIfNeeded();
  const place = await scrolled();
  expect(place).toBeGreaterThan(0);
  await openRow(page, 19);
  await expect(page.getByText('/v1/38').first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Older' })).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(/\/requests\?method=GET$/);
  await expect(rows(page)).toHaveCount(20);
  await expect.poll(scrolled).toBe(place);

  await openRow(page, 19);
  await page.getByRole('link', { name: 'Newer' }).click();
  await expect(page.getByText('/v1/36').first()).toBeVisible();
  await page.getByRole('link', { name: 'Older' }).click();
  await expect(page.getByText('/v1/38').first()).toBeVisible();
  await page.getByRole('link', { name: 'All requests' }).click();
  await expect(page).toHaveURL(/\/requests\?method=GET$/);
});

test('a request is listed with its second in the zone of the browser, which the filter takes', async ({
  browser,
  baseURL,
}) => {
  const tokyo = await browser.newContext({
    ...(baseURL && { baseURL }),
    timezoneId: 'Asia/Tokyo',
  });
  // The last second of yesterday there.
  const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 9 * 3_600_000;
  const at = new Date(midnight + (Date.now() - midnight > 86_400_000 ? 86_400_000 : 0) - 1_000);
  await addDecisions(project.projectId, [{ at, path: '/v1/late' }, { path: '/v1/now' }]);
  const signedIn = await project.open('requests');
  await tokyo.addCookies(await signedIn.context().cookies());
  const page = await tokyo.newPage();
  await gotoReady(page, project.at('requests'));
  await expect(page.getByText('Times are in Asia/Tokyo.')).toBeVisible();
  const times = rows(page).locator('time').locator('visible=true');
  await expect(times).toHaveText([/^\d\d:\d\d:\d\d$/, /^\d+ \w+, 23:59:59$/]);
  await times.first().hover();
  await expect(page.getByRole('tooltip')).toContainText(/(just now|ago).*Asia\/Tokyo.* UTC$/);
  const local = new Date(at.getTime() + 9 * 3_600_000).toISOString().slice(0, 16);
  await page.getByText('More filters').click();
  await page.getByLabel('From, Asia/Tokyo').fill(local);
  await page.getByLabel('To, Asia/Tokyo').fill(local);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('/v1/late');
  // Fields that are not filled in are not in the address, and those of time hold instants.
  const minute = `${at.toISOString().slice(0, 16)}Z`;
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    from: minute,
    to: minute,
  });
  await expect(page.getByLabel('From, Asia/Tokyo')).toHaveValue(local);
  await rows(page).getByRole('link').click();
  await expect(page.locator('time').first()).toHaveText(/, 23:59:59 UTC\+9$/);
  await gotoReady(page, project.at('requests?to=2026-01-01T00:00Z'));
  await expect(
    page.getByText('Requests are kept for 7 days, and this range is older.'),
  ).toBeVisible();
  await tokyo.close();
});

test('denials are grouped by reason, method and path, and a missing policy is one click away', async () => {
  const missing = { method: 'POST', outcome: 'policy_no_match' } as const;
  await addDecisions(project.projectId, [
    { ...missing, path: '/v1/users/7/orders' },
    { ...missing, path: '/v1/users/8/orders' },
    { outcome: 'rate_limited', path: '/v1/reports' },
    { path: '/v1/allowed' },
  ]);
  const page = await project.open('requests');
  await page.getByRole('link', { name: 'Denials by path' }).click();
  const groups = page.getByRole('list', { name: 'Denied requests' }).getByRole('listitem');
  await expect(groups).toHaveText([
    /No matching policy.*2.*POST.*\/v1\/users\/\{id\}\/orders/,
    /Rate limited.*1.*GET.*\/v1\/reports/,
  ]);
  await expectAccessible(page);
  await expect(groups.nth(1).getByRole('link')).toHaveText([/^Requests/]);
  await groups.first().getByRole('link', { name: 'Requests' }).click();
  // Since the first of them.
  await page.waitForURL(/reason=policy_no_match&method=POST&pathPrefix=%2Fv1%2Fusers&from=[^&]+$/);
  await expect(rows(page)).toHaveCount(2);
  await page.goBack();
  await groups.first().getByRole('link', { name: 'Add a policy' }).click();
  await page.waitForURL(/\/policies\/new\?/);
  await expect(page.getByLabel('Method', { exact: true })).toHaveValue('POST');
  await expect(page.getByLabel('Path pattern')).toHaveValue('/v1/users*');
  const wider = page.getByText('This allows more than the denied calls');
  await expect(wider).toContainText('not only /v1/users/{id}/orders.');
  await expectAccessible(page);
  await page.getByLabel('Path pattern').fill('/v1/users/8/orders');
  await expect(wider).toHaveCount(0);
  await page.getByLabel('Path pattern').fill('/v1/users*');
  await expect(wider).toBeVisible();
  await page.getByRole('button', { name: 'Add policy' }).click();
  await page.waitForURL(/\/policies$/);
  await expect(page.getByRole('main')).toContainText('/v1/users*');
});

test('a probe is called one, and is offered no policy', async () => {
  await addDecisions(project.projectId, [
    { outcome: 'policy_no_match', path: '/v1/../admin' },
    { outcome: 'policy_no_match', path: '/v1//reports' },
  ]);
  const page = await project.open('requests/groups');
  const group = (path: string) =>
    page.getByRole('list', { name: 'Denied requests' }).getByRole('listitem').filter({
      hasText: path,
    });
  await expect(group('/v1/../admin')).toContainText('Probe');
  // Not a probe, but no pattern can name it either.
  await expect(group('/v1//reports')).not.toContainText('Probe');
  await expect(page.getByRole('link', { name: /^Add a policy/ })).toHaveCount(0);
  await gotoReady(page, project.at('policies'));
  await expect(page.getByLabel('Routes of your API')).toHaveValue('GET /v1/reports*');
  await openList(page, '?pathPrefix=/v1/..', 1);
  await expect(rows(page)).toContainText('Probe');
  await openRow(page, 0);
  await expect(asDecided(page)).toContainText('the path is a probe');
});

test('a search that takes too long asks to be narrowed, and fails alone', {
  tag: '@alone',
}, async () => {
  test.setTimeout(120_000);
  const page = await project.open('requests?reason=rate_limited');
  const other = await project.open('keys');
  const connections = async () => {
    const found = await project.sql<{ pid: number }[]>`
      select pid from pg_stat_activity where application_name = 'ceiba-console'`;
    return found.map(({ pid }) => pid);
  };
  const before = await connections();
  await project.sql.begin(async (tx) => {
    await tx`lock table decisions in access exclusive mode`;
    const opened = page.goto(project.at('requests?reason=rate_limited&method=GET'));
    const file = page.request.get(project.at('requests/csv?reason=rate_limited'));
    // A page with less time than a search has.
    await other.goto(project.at('requests/groups'));
    await expect(other.getByRole('heading', { level: 1 })).toHaveText(
      'The database is not answering',
    );
    await gotoReady(other, project.at('keys'));
    expect((await opened)?.status()).toBe(200);
    const answer = await file;
    expect(answer.status()).toBe(503);
    expect(await answer.text()).toContain('Narrow the time range or drop a filter.');
  });
  await expect(page.getByText('This search takes too long')).toBeVisible();
  await expect(page.getByLabel('Method', { exact: true })).toHaveValue('GET');
  await expect(page.getByRole('button', { name: 'Follow live' })).toHaveCount(0);
  await expectAccessible(page);
  expect(await connections()).toEqual(expect.arrayContaining(before));
});

test('a tail that the database does not answer is refused with 503', {
  tag: '@alone',
}, async () => {
  const page = await project.open('requests');
  await project.sql.begin(async (tx) => {
    await tx`lock table projects in access exclusive mode`;
    const answer = await page.request.get(project.at('requests/tail'));
    expect(answer.status()).toBe(503);
  });
});

test('new requests appear by themselves until the list is paused', async () => {
  const page = await project.open('requests?reason=missing_api_key');
  const tail = page.waitForResponse(/\/requests\/tail/);
  await page.getByRole('button', { name: 'Follow live' }).click();
  // nginx would hold the events back.
  expect((await tail).headers()['x-accel-buffering']).toBe('no');
  const call = { apiKey: null, method: 'GET', path: '/v1/reports' };
  await project.authorize(call);
  await expect(rows(page)).toHaveCount(1);
  await project.authorize(call);
  await expect(rows(page)).toHaveCount(2);
  const live = page.getByRole('status').filter({ hasText: /^Following$/ });
  await expect(live).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByRole('button', { name: 'Follow live' })).toBeVisible();
  await expect(live).toHaveCount(0);
  await project.authorize(call);
  // Another page shows the third request, so it is recorded.
  const other = await project.open('requests');
  await openList(other, '?reason=missing_api_key', 3);
  await expect(rows(page)).toHaveCount(2);
  // An older page does not grow, so it cannot be followed.
  await gotoReady(page, project.at('requests?to=2026-01-01T00:00'));
  await expect(page.getByRole('button', { name: 'Follow live' })).toHaveCount(0);
});

test('a list that the server no longer answers says that following stopped, and can try again', async ({
  page,
}) => {
  // A separate browser context, because the clock is controlled in all of it.
  const signedIn = await project.open('requests');
  await page.context().addCookies(await signedIn.context().cookies());
  await page.clock.install();
  await gotoReady(page, project.at('requests'));
  await page.route(/\/requests\/tail/, (route) => route.abort());
  await page.getByRole('button', { name: 'Follow live' }).click();
  const stopped = page.getByRole('status').filter({ hasText: /^Following stopped\.$/ });
  await expect(async () => {
    await page.clock.runFor(30_000); // the longest pause before the next attempt
    await expect(stopped).toBeVisible({ timeout: 500 });
  }).toPass();
  await expectAccessible(page);
  await page.unroute(/\/requests\/tail/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect(stopped).toHaveCount(0);
});

test('a tab that follows live leads to the sign-in page after sign-out', async ({ page }) => {
  // A separate browser context, because the clock is controlled in all of it.
  const signedIn = await project.open('requests');
  await page.context().addCookies(await signedIn.context().cookies());
  await page.clock.install();
  await gotoReady(page, project.at('requests'));
  await page.getByRole('button', { name: 'Follow live' }).click();
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
  await page.context().clearCookies();
  await expect(async () => {
    await page.clock.runFor(30_000); // the longest pause before the next attempt
    await expect(page).toHaveURL(/\/sign-in\?next=/, { timeout: 500 });
  }).toPass();
});

test('what the log left out is shown above the list, and counted by usage', async () => {
  const gaps = { rate_limited: 1_234, allowed: 6 };
  for (const [outcome, leftOut] of Object.entries(gaps)) {
    await project.sql`
      insert into decision_gaps (project_id, minute, incarnation, outcome, left_out)
      values (${project.projectId}, date_trunc('minute', now()), ${randomUUID()}, ${outcome}, ${leftOut})`;
  }
  const page = await project.open('requests');
  const notice = page.getByText('1,240 requests are missing from this list').locator('..');
  await expect(notice).toContainText(
    /Rate limited 1,234, Allowed 6\. \d+ \w+ \d{4}, \d\d:\d\d UTC: too many/,
  );
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Denials by path' }).click();
  await expect(page.getByText('1,234 requests are missing from this list')).toBeVisible();
  await expect(page.getByText('No denied requests')).toHaveCount(0);
  await addDecisions(
    project.projectId,
    Array.from({ length: 51 }, (_, n) => ({ path: `/v1/p${n}`, outcome: 'rate_limited' })),
  );
  await page.reload();
  await expect(page.getByText('at most 10,000, the 50 most frequent.')).toBeVisible();
  const groups = page.getByRole('list', { name: 'Denied requests' }).getByRole('listitem');
  await expect(groups).toHaveCount(50);
  // Of another outcome, nothing is missing.
  await gotoReady(page, project.at('requests?outcome=allowed'));
  await expect(page.getByText('6 requests are missing from this list')).toBeVisible();
  // Nor is it known of which method, path or key they were.
  for (const filter of ['reason=quota_exceeded', 'method=GET', 'pathPrefix=/v1']) {
    await gotoReady(page, project.at(`requests?${filter}`));
    await expect(page.getByText('missing from this list')).toHaveCount(0);
  }
});

test('what the log left out is shown on the page of its time alone', async () => {
  const now = Date.now();
  const ago = (minutes: number) => new Date(now - minutes * 60_000);
  // Three pages; between the second and the third, minutes are missing.
  await addDecisions(
    project.projectId,
    Array.from({ length: 110 }, (_, index) => ({ at: ago(index < 100 ? index / 10 : 60 + index) })),
  );
  await project.sql`
    insert into decision_gaps (project_id, minute, incarnation, outcome, left_out)
    values (${project.projectId}, ${ago(30)}, ${randomUUID()}, 'rate_limited', 5)`;
  const page = await project.open('requests');
  const notice = page.getByText('5 requests are missing from this list');
  await expect(rows(page)).toHaveCount(50);
  await expect(notice).toHaveCount(0);
  await page.getByRole('link', { name: 'Older' }).click();
  await page.waitForURL(/cursor=after/);
  await expect(notice).toHaveCount(0);
  await page.getByRole('link', { name: 'Older' }).click();
  await expect(rows(page)).toHaveCount(10);
  await expect(notice).toBeVisible();
  await page.getByRole('link', { name: 'Newer' }).click();
  await page.waitForURL(/cursor=before/);
  await expect(rows(page)).toHaveCount(50);
  await expect(notice).toBeVisible();
});

test('the settings decide what is recorded, and the page shows them', async () => {
  await project.sql`update projects set first_allowed_at = null where id = ${project.projectId}`;
  const page = await project.open('requests');
  await expect(page.getByText('No recorded requests')).toBeVisible();
  await expect(
    page.getByText(
      'for 24 hours from the first allowed call, every allowed one, up to 100 a minute',
    ),
  ).toBeVisible();
  await expect(page.getByText('then 1% of the allowed ones')).toBeVisible();
  await expectAccessible(page);
  await project.sql`update projects set first_allowed_at = '2099-03-01T08:15:00Z'
    where id = ${project.projectId}`;
  await page.reload();
  await expect(
    page.getByText(/until 2 Mar 2099, \d\d:\d\d UTC\S*, every allowed one, up to 100 a minute/),
  ).toBeVisible();
  await project.sql`
    update projects set first_allowed_at = now() - interval '24 hours' where id = ${project.projectId}`;
  await page.reload();
  await expect(page.getByText('Every denied request and 1% of the allowed ones')).toBeVisible();
  await page.getByRole('link', { name: 'Change what is recorded' }).click();
  const share = page.getByLabel('Allowed requests to record, in percent');
  await share.fill('101');
  await page.getByRole('button', { name: 'Save decision log' }).click();
  await expect(page.getByText('Must be at most 100.')).toBeVisible();
  await share.fill('100');
  await page.getByLabel('Record paths').uncheck();
  await page.getByRole('button', { name: 'Save decision log' }).click();
  await expect(page.getByText('Decision log saved')).toBeVisible();
  await gotoReady(page, project.at('requests'));
  await expect(page.getByText('100% of the allowed ones')).toBeVisible();
  await gotoReady(page, project.at('settings'));
  await expect(page.getByLabel('Record paths')).not.toBeChecked();
});

test('a developer is not sent to pages that only the owner may change', async ({ browser }) => {
  await project.usePlan('Free');
  for (const name of ['First', 'Second', 'Third']) await project.addKey(name);
  const context = await browser.newContext();
  const page = await context.newPage();
  const { email } = await newUser(page);
  await project.sql`insert into project_members (project_id, user_id, role)
    select ${project.projectId}, id, 'developer' from users where email = ${email}`;
  await gotoReady(page, project.at('requests'));
  await expect(page.getByText('% of the allowed ones')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Change what is recorded' })).toHaveCount(0);
  for (const path of ['keys', 'keys/new']) {
    await gotoReady(page, project.at(path));
    await expect(page.getByText('ask the owner of the project to change the plan')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Change plan' })).toHaveCount(0);
  }
  await context.close();
});
