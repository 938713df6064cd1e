import { readFileSync } from 'node:fs';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { createKey, type OwnProject, ownProject } from './own-project.ts';
import { gotoReady, pressShortcut, reloadReady, unfoldKeyFields } from './support.ts';

let project: OwnProject;
const call = { method: 'GET', path: '/v1/reports' };

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Keys');
});
test.afterAll(() => project?.close());
test.beforeEach(async () => {
  await project.empty();
  await project.usePlan('Starter');
});

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** Opens the menu of a key. */
async function menuOf(page: Page, name: string) {
  await row(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click();
  return page.getByRole('navigation', { name: `Actions for ${name}` });
}

async function choose(page: Page, name: string, item: string) {
  await (await menuOf(page, name)).getByRole('button', { name: item }).click();
}

test('a new key can be copied and downloaded, and it works', async () => {
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('keys');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await pressShortcut(page, 'n');
  await page.getByLabel('Name').fill('Mobile app');
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('status').filter({ hasText: 'ceiba_' });
  const apiKey = (await shown.innerText()).trim();
  expect(apiKey).toMatch(/^ceiba_[0-9A-Za-z]{49}$/);

  await page.getByRole('button', { name: 'Copy key', exact: true }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(apiKey);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Download ceiba_/ }).click();
  expect(readFileSync(await (await downloading).path(), 'utf8')).toBe(`${apiKey}\n`);
  await page.getByRole('radio', { name: 'curl' }).check();
  await expect(page.locator('pre:visible')).toContainText(`x-api-key: ${apiKey}`);
  await page.getByRole('button', { name: 'Done' }).click();

  await expect(row(page, 'Mobile app')).toContainText('Active');
  expect(await project.authorize({ apiKey, ...call })).toMatchObject({ allowed: true });
});

test('leaving without copying the key asks once', async () => {
  const page = await project.open('keys');
  await page.getByRole('link', { name: /^Create (the first )?key$/ }).click();
  await page.waitForURL('**/keys/new');
  await page.getByLabel('Name').fill('Hasty');
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('heading', { name: 'Copy the key now' });
  const question = page.getByRole('alertdialog');
  // The heading has the focus.
  await expect(shown).toBeFocused();
  await page.goBack();
  await expect(question).toContainText('Leave without copying the key?');
  await question.getByRole('button', { name: 'Stay and copy it' }).click();
  await expect(shown).toBeVisible();
  await page.goBack();
  await page.waitForURL(`**${project.at('keys')}`);
});

test('a link to the same page does not ask, and Back takes one step once the key is stored', async () => {
  const page = await project.open('keys');
  await page.getByRole('link', { name: /^Create (the first )?key$/ }).click();
  await page.waitForURL('**/keys/new');
  await page.getByLabel('Name').fill('Stored');
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('heading', { name: 'Copy the key now' });
  const question = page.getByRole('alertdialog');
  await expect(shown).toBeFocused();
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
  await expect(page).toHaveURL(/#content$/);
  await expect(question).toHaveCount(0);
  await page.getByRole('button', { name: 'Done' }).click();
  await question.getByRole('button', { name: 'Leave without it' }).click();
  await page.waitForURL(`**${project.at('keys')}`);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Create key');
});

test('Back leads to the list if the tab started with the form', async () => {
  const opener = await project.open('keys');
  const opening = opener.waitForEvent('popup');
  await opener.evaluate((address) => window.open(address), project.at('keys/new'));
  const page = await opening;
  await page.getByLabel('Name').fill('In a tab of its own');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByRole('heading', { name: 'Copy the key now' })).toBeFocused();
  await page.evaluate(() => history.back());
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await page.waitForURL(`**${project.at('keys')}`);
});

test('a key is shown even if its page cannot be loaded', { tag: '@alone' }, async () => {
  const page = await project.open('keys/new');
  await page.getByLabel('Name').fill('Shown all the same');
  await project.sql.begin(async (transaction) => {
    // The page reads the policies for its example; the action does not.
    await transaction`lock table policies in access exclusive mode`;
    await page.getByRole('button', { name: 'Create key' }).click();
    await expect(page.getByRole('heading', { name: 'Copy the key now' })).toBeVisible();
  });
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await expect(row(page, 'Shown all the same')).toContainText('Active');
});

test('leaving without the key through a link or a command asks, then leads to its target', async () => {
  for (const leave of ['link', 'command'] as const) {
    const page = await project.open('keys/new');
    await page.getByLabel('Name').fill(`Hasty by ${leave}`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await expect(page.getByRole('heading', { name: 'Copy the key now' })).toBeFocused();
    if (leave === 'link') await page.getByRole('link', { name: 'Policies' }).click();
    else {
      await pressShortcut(page, 'Control+k');
      await page.getByRole('combobox', { name: 'Go to' }).fill('Policies');
      await page.getByRole('option', { name: 'Policies' }).first().click();
    }
    await expect(page.getByRole('alertdialog')).toContainText('Leave without copying the key?');
    await page.getByRole('button', { name: 'Leave without it' }).click();
    await page.waitForURL(`**${project.at('policies')}`);
  }
});

test('invalid input is refused beside its field and kept', async () => {
  const page = await project.open('keys/new');
  await expect(page.getByLabel('Requests per minute')).toBeHidden();
  await unfoldKeyFields(page);
  await page.getByLabel('Requests per minute').fill('ten');
  await page.getByLabel('Requests per month').fill('10,000');
  await page.getByLabel('Expires', { exact: true }).selectOption('On a date');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByText('Must be a whole number, 0 or more.')).toBeVisible();
  for (const empty of ['Name', 'Date and time']) {
    await expect(page.getByLabel(empty)).toHaveAccessibleDescription(/Fill this in\./);
  }
  await expect(page.getByLabel('Name')).toBeFocused();
  await expect(page.getByLabel('Requests per minute')).toHaveValue('ten');
  // Each error goes as its own field is corrected.
  await page.getByLabel('Requests per minute').fill('30');
  await expect(page.getByText('Must be a whole number, 0 or more.')).toBeHidden();
  await expect(page.getByLabel('Name')).toHaveAccessibleDescription(/Fill this in\./);
  await page.getByLabel('Name').fill('Metered');
  // What is refused is unfolded.
  await unfoldKeyFields(page);
  await expect(page.getByLabel('Date and time')).toBeHidden();
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByLabel('Date and time')).toBeFocused();
  await expect(page.getByLabel('Name')).not.toHaveAttribute('aria-invalid');
  await expect(page.getByLabel('Date and time')).toHaveAccessibleDescription(/Fill this in\./);
  // As a browser reports 2027 after its first digit.
  await page.getByLabel('Date and time').fill('0002-01-31T12:00');
  await expect(page.getByLabel('Date and time')).not.toHaveAttribute('aria-invalid');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByText('Must be a date and time within the years')).toBeVisible();
  await page.getByLabel('Expires', { exact: true }).selectOption('In 30 days');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByRole('heading', { name: 'Metered is created' })).toBeVisible();
  const [key] = await project.sql`
    select rate_limit_per_minute as rate, monthly_quota::int as quota,
      round(extract(epoch from expires_at - now()) / 86400)::int as days
    from api_keys where project_id = ${project.projectId}`;
  expect(key).toEqual({ rate: 30, quota: 10_000, days: 30 });
});

test('one of two tabs that race for the last key is refused with what to do, and then succeeds', async () => {
  await project.usePlan('Free');
  await project.addKey('First');
  await project.addKey('Second');
  const tabs = await Promise.all([project.open('keys/new'), project.open('keys/new')]);
  for (const [index, tab] of tabs.entries()) await tab.getByLabel('Name').fill(`Racer ${index}`);
  await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: 'Create key' }).click()));
  const answers = await Promise.all(
    tabs.map((tab) =>
      tab
        .getByRole('alert')
        .filter({ hasText: 'all are in use' })
        .or(tab.getByRole('heading', { name: 'Copy the key now' }))
        .innerText(),
    ),
  );
  const loser = tabs[answers.findIndex((answer) => answer.includes('all are in use'))];
  expect(answers.filter((answer) => answer.includes('all are in use'))).toHaveLength(1);
  if (loser === undefined) throw new Error('no tab was refused');
  await expect(loser.getByText('All 3 active keys of the plan Free are in use')).toBeVisible();
  await expect(loser.getByLabel('Name')).toHaveValue(/^Racer/);

  const elsewhere = await project.open('keys');
  await expect(elsewhere.getByText('All 3 active keys of the plan Free are in use')).toBeVisible();
  await choose(elsewhere, 'First', 'Archive key');
  await elsewhere.getByRole('button', { name: 'Archive key' }).click();
  await expect(elsewhere.getByText('Key archived')).toBeVisible();
  await loser.getByRole('button', { name: 'Create key' }).click();
  await expect(loser.getByRole('heading', { name: 'Copy the key now' })).toBeVisible();
});

test('a key is created and revoked by keyboard, and the next call with it is denied', async () => {
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('keys');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await pressShortcut(page, 'n');
  await page.waitForURL('**/keys/new');
  await expectSeenFocus(page.getByLabel('Name'));
  await page.keyboard.type('By hand');
  await page.keyboard.press('Enter');
  const shown = page.getByRole('status').filter({ hasText: 'ceiba_' });
  const apiKey = (await shown.innerText()).trim();
  expect(await project.authorize({ apiKey, ...call })).toMatchObject({ allowed: true });
  await press(page, 'Copy key');
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeAttached();
  await press(page, 'Done');
  await page.waitForURL(`**${project.at('keys')}`);

  await press(page, 'Actions for By hand');
  await press(page, 'Revoke key');
  const question = page.getByRole('alertdialog', { name: 'Revoke By hand?' });
  await expect(question).toContainText('From the next request on, calls with it are denied');
  await expect(question).toContainText('This cannot be undone.');
  await expectSeenFocus(question.getByRole('button', { name: 'Keep key' }));
  await page.keyboard.press('Tab');
  await expectSeenFocus(question.getByRole('button', { name: 'Revoke key' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText('Key revoked')).toBeVisible();
  expect(await project.authorize({ apiKey, ...call })).toMatchObject({
    allowed: false,
    denialReason: 'revoked_api_key',
  });
  await gotoReady(page, project.at('keys?status=revoked'));
  await press(page, 'Actions for By hand');
  const menu = page.getByRole('navigation', { name: 'Actions for By hand' });
  await expect(menu.getByRole('link', { name: 'Simulate a call' })).toBeVisible();
  await expect(menu.getByRole('button')).toHaveText(['Edit name and note']);
});

const isFocused = (element: Element) => element === document.activeElement;

/** Expects the focus, a visible outline, and the element on the screen. */
async function expectSeenFocus(target: Locator) {
  await expect(target).toBeFocused();
  await expect(target).toBeInViewport({ ratio: 1 });
  const { outlineStyle, outlineWidth, outlineColor } = await target.evaluate((element) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    return { outlineStyle, outlineWidth, outlineColor };
  });
  expect(outlineStyle).toBe('solid');
  expect(Number.parseFloat(outlineWidth)).toBeGreaterThanOrEqual(2);
  expect(outlineColor).not.toMatch(/transparent|, 0\)$/);
}

/** Reaches a control with Tab and presses Enter. */
async function press(page: Page, name: string) {
  const target = page.getByRole('button', { name, exact: true });
  await expect(target).toBeVisible();
  for (let step = 0; step < 80; step += 1) {
    if (await target.evaluate(isFocused)) {
      await expectSeenFocus(target);
      return page.keyboard.press('Enter');
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${name}`);
}

test('an expiry in the past denies the next call, and clearing it allows calls again', async () => {
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('keys');
  const apiKey = await createKey(page, project, 'Guest');
  await choose(page, 'Guest', 'Set expiry');
  await page.getByLabel('Expires', { exact: true }).selectOption('On a date');
  await page.getByLabel('Date and time').fill('2020-01-31T12:00');
  await expect(page.getByText('This time is in the past')).toBeVisible();
  await page.getByRole('button', { name: 'Set expiry' }).click();
  await expect(row(page, 'Guest')).toContainText('Expired');
  expect(await project.authorize({ apiKey, ...call })).toMatchObject({
    denialReason: 'expired_api_key',
  });
  await choose(page, 'Guest', 'Set expiry');
  await page.getByLabel('Expires', { exact: true }).selectOption('Never');
  await page.getByRole('button', { name: 'Set expiry' }).click();
  await expect(row(page, 'Guest')).toContainText('Active');
  expect(await project.authorize({ apiKey, ...call })).toMatchObject({ allowed: true });
});

test('a key’s own limits apply from the next call on', async () => {
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('keys');
  const apiKey = await createKey(page, project, 'Bounded');
  await choose(page, 'Bounded', 'Set limits');
  await page.getByLabel('Requests per month').fill('1');
  await page.getByRole('button', { name: 'Set limits' }).click();
  await expect(page.getByText('Limits saved')).toBeVisible();
  await expect(row(page, 'Bounded')).toContainText('of 1');
  expect(await project.authorize({ apiKey, ...call })).toMatchObject({ allowed: true });
  expect(await project.authorize({ apiKey, ...call })).toMatchObject({
    denialReason: 'quota_exceeded',
  });
});

test('a stale tab shows what another tab changed, and changes nothing', async () => {
  await project.addKey('Contested');
  const stale = await project.open('keys');
  const other = await project.open('keys');
  await choose(other, 'Contested', 'Revoke key');
  await other.getByRole('button', { name: 'Revoke key' }).click();
  await expect(other.getByText('Key revoked')).toBeVisible();
  await choose(stale, 'Contested', 'Archive key');
  await stale.getByRole('button', { name: 'Archive key' }).click();
  await expect(stale.getByText('The key was revoked in the meantime')).toBeVisible();
  await stale.getByRole('button', { name: 'Keep key' }).click();
  await expect(stale.getByText('No active keys.')).toBeVisible();
  const [key] =
    await project.sql`select status from api_keys where project_id = ${project.projectId}`;
  expect(key?.status).toBe('revoked');
});

test('search and filters are in the URL, and point to keys that need attention', async () => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  await project.addKey('Forgotten', { created_at: days(-200), last_used_at: days(-91) });
  await project.addKey('Ending', { expires_at: days(3), last_used_at: days(-1) });
  await project.addKey('Lapsed', { expires_at: days(-1) });
  await project.addKey('Retired', { status: 'archived' });
  const page = await project.open('keys');
  await expect(row(page, 'Forgotten')).toContainText('Idle');
  await expect(row(page, 'Ending')).toContainText('Expires soon');
  await expect(row(page, 'Lapsed')).toContainText('Expired');
  await expect(row(page, 'Retired')).toHaveCount(0);
  await expect(page.getByRole('link', { name: '1 expired, still using a slot' })).toBeVisible();
  // Amber is for what has to be done soon alone.
  const amber = page.getByRole('main').locator('.text-limit-text').locator('visible=true');
  await expect(amber).toHaveText(['1 expiring within 7 days', 'Expires soon']);

  await page.getByRole('link', { name: '1 idle for 90 days' }).click();
  await expect(page).toHaveURL(/hint=idle/);
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.reload();
  await expect(row(page, 'Forgotten')).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);

  await page.getByRole('link', { name: 'All 4' }).click();
  await expect(page.getByRole('row')).toHaveCount(5);
  await pressShortcut(page, '/');
  await page.keyboard.type('retir');
  await expect(page).toHaveURL(/q=retir/);
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(row(page, 'Retired')).toContainText('Archived');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row')).toHaveCount(5);

  // A pasted key is searched by its prefix; its secret part does not reach the URL.
  await page.keyboard.type(`ceiba_${'A'.repeat(49)}`);
  await expect(page).toHaveURL(/q=ceiba_A{8}(&|$)/);
});

test('a list shows its place, sorts in both directions, on phones too, and can be compact', async () => {
  for (let n = 1; n <= 28; n += 1) await project.addKey(`Key ${String(n).padStart(2, '0')}`);
  const page = await project.open('keys');
  await expect(page.getByText('1–25 of 28 keys')).toBeVisible();
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(page.getByText('26–28 of 28 keys')).toBeVisible();
  const first = page.getByRole('table').locator('tbody tr').first();
  const column = page.getByRole('columnheader', { name: 'Key', exact: true });
  for (const [direction, name] of [
    ['ascending', 'Key 01'],
    ['descending', 'Key 28'],
    ['ascending', 'Key 01'],
  ] as const) {
    await column.getByRole('link').click();
    await expect(column).toHaveAttribute('aria-sort', direction);
    await expect(first).toContainText(name);
  }

  const tall = await first.evaluate((one) => one.clientHeight);
  await page.getByRole('button', { name: 'Show compact rows' }).click();
  await expect(page.getByRole('button', { name: 'Show comfortable rows' })).toBeVisible();
  expect(await first.evaluate((one) => one.clientHeight)).toBeLessThan(tall * 0.75);
  await page.setViewportSize({ width: 800, height: 800 });
  await reloadReady(page);
  const name = first.getByTitle(/^Key \d\d$/);
  expect(await name.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.getByRole('button', { name: 'Show comfortable rows' }).click();
  await expect(page.getByRole('button', { name: 'Show compact rows' })).toBeVisible();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByLabel('Order of the keys').selectOption('Name, Z to A');
  await expect(page).toHaveURL(/sort=-name/);
  await expect(first).toContainText('Key 28');
});

test('a row has no tab stop but its box, its key and its menu, which the arrow keys use', async () => {
  await project.addKey('Second', { last_used_at: new Date(), expires_at: new Date(2100, 0) });
  await project.addKey('First', { last_used_at: new Date(), expires_at: new Date(2100, 0) });
  const page = await project.open('keys');
  const menuOf = (name: string) => page.getByRole('button', { name: `Actions for ${name}` });
  await menuOf('First').focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('checkbox', { name: 'Select Second' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Second' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(menuOf('Second')).toBeFocused();
  // Fifty rows would have six hundred of them.
  await expect(page.getByText('Revoke key')).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  const menu = page.getByRole('navigation', { name: 'Actions for Second' });
  await expect(menu.getByRole('link', { name: 'See requests' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(menu.getByRole('link', { name: 'Simulate a call' })).toBeFocused();
  await page.keyboard.press('End');
  await expect(menu.getByRole('button', { name: 'Revoke key' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(menu.getByRole('link', { name: 'See requests' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menuOf('Second')).toBeFocused();
});

test('the menu of a key is inside a window that is too low for it', async () => {
  await project.addKey('Only');
  const page = await project.open('keys');
  await page.setViewportSize({ width: 720, height: 450 });
  const menu = await menuOf(page, 'Only');
  await expect(menu).toBeInViewport({ ratio: 1 });
  await menu.getByRole('button', { name: 'Revoke key' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
});

test('on a phone a key takes two lines, with what the list is ordered by', async () => {
  await project.addKey('Only', { last_used_at: new Date() });
  const page = await project.open('keys');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(row(page, 'Only')).toContainText('used');
  expect(await row(page, 'Only').evaluate((one) => one.clientHeight)).toBeLessThan(80);
  await page.getByLabel('Order of the keys').selectOption('Expires first');
  await expect(row(page, 'Only').getByText('never expires', { exact: true })).toBeVisible();
  await page.getByLabel('Order of the keys').selectOption('Most used this month');
  await expect(row(page, 'Only').getByText('0 this month')).toBeVisible();
});

test('a list of revoked keys says when each was revoked, and is ordered by it', async () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const ended = { status: 'revoked', last_used_at: ago(9000), expires_at: new Date(2100, 0) };
  const [revokedAt, archivedAt] = [ago(3), ago(120)];
  await project.addKey('Long ago', { ...ended, revoked_at: ago(300) });
  await project.addKey('Just now', { ...ended, revoked_at: revokedAt, created_at: ago(9001) });
  await project.addKey('Put away', { ...ended, status: 'archived', archived_at: archivedAt });
  const page = await project.open('keys?status=revoked&sort=expires');
  const timeIn = (name: string, at: Date) =>
    row(page, name).locator(`time[datetime="${at.toISOString()}"]:visible`);
  await expect(page.getByRole('columnheader', { name: 'Expires' })).toHaveCount(0);
  await expect(timeIn('Just now', revokedAt)).toBeVisible();
  const column = page.getByRole('columnheader', { name: 'Revoked' });
  const first = page.getByRole('row').nth(1);
  await expect(first).toContainText('Long ago');
  await column.getByRole('link').click();
  await expect(column).toHaveAttribute('aria-sort', 'descending');
  await expect(first).toContainText('Just now');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(timeIn('Just now', revokedAt)).toBeVisible();
  await expect(row(page, 'Just now').getByText(/^revoked/)).toBeVisible();
  await page.getByLabel('Order of the keys').selectOption('First revoked');
  await expect(first).toContainText('Long ago');
  await page.getByRole('link', { name: /^Archived/ }).click();
  await expect(timeIn('Put away', archivedAt)).toBeVisible();
  await expect(row(page, 'Put away').getByText(/^archived/)).toBeVisible();
  await expect(page.getByLabel('Order of the keys')).toContainText('Last archived');
});

test('on a phone four keys are in view below the hints, whose line scrolls', async () => {
  const past = new Date(2020, 0);
  await project.addKey('Idle', { created_at: past, last_used_at: past });
  await project.addKey('Disabled', { disabled_at: new Date() });
  await project.addKey('Expired', { expires_at: new Date(Date.now() - 60_000) });
  await project.addKey('Expiring', { expires_at: new Date(Date.now() + 86_400_000) });
  await project.addKey('Endless');
  const page = await project.open('keys');
  await page.setViewportSize({ width: 390, height: 844 });
  const hints = page.getByRole('navigation', { name: 'Needs attention' }).getByRole('link');
  expect(await hints.count()).toBeGreaterThanOrEqual(4);
  for (const hint of await hints.all()) {
    expect((await hint.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  await hints.last().focus();
  await expect(hints.last()).toBeInViewport({ ratio: 1 });
  const bar = await page.getByRole('navigation', { name: 'Sections' }).last().boundingBox();
  const fourth = await page.getByRole('table').locator('tbody tr').nth(3).boundingBox();
  expect((fourth?.y ?? 0) + (fourth?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
});

test('in a low window the buttons of a dialog stay in view, and cover no field that has the focus', async () => {
  await project.addKey('Only');
  const page = await project.open('keys');
  await page.setViewportSize({ width: 640, height: 360 });
  await choose(page, 'Only', 'Set limits');
  const dialog = page.getByRole('dialog');
  const save = dialog.getByRole('button', { name: 'Set limits' });
  const isAtEdge = async () => {
    const [all, footer] = [await dialog.boundingBox(), await save.locator('..').boundingBox()];
    return (all?.y ?? 0) + (all?.height ?? 0) - (footer?.y ?? 0) - (footer?.height ?? 0) <= 1;
  };
  expect(await isAtEdge()).toBe(true);
  await expect(save).toBeInViewport({ ratio: 1 });
  for (const field of await dialog.getByRole('textbox').all()) {
    await field.focus();
    await expect(save).toBeInViewport({ ratio: 1 });
    const [box, button] = [await field.boundingBox(), await save.boundingBox()];
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
  }
  await page.keyboard.press('Escape');
  await choose(page, 'Only', 'Revoke key');
  const question = page.getByRole('alertdialog');
  await expect(question.getByRole('button', { name: 'Revoke key' })).toBeInViewport({ ratio: 1 });
});

test('an empty list explains keys, and a name with code in it is only text', async () => {
  const page = await project.open('keys');
  await expect(page.getByText('No keys yet')).toBeVisible();
  const attack = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
  await project.addKey(attack);
  await gotoReady(page, project.at('keys'));
  await expect(row(page, attack)).toBeVisible();
  await choose(page, attack, 'Revoke key');
  await expect(page.getByRole('alertdialog')).toContainText(attack);
  await expect(page).toHaveTitle(/^Keys/);
});

test('a control character in a name is shown and does not change the text direction', async () => {
  await project.addKey('Old\u2069\u202Eyek');
  const page = await project.open('keys');
  const seen = 'Old\uFFFD\uFFFDyek';
  await expect(row(page, seen)).toBeVisible();
  await choose(page, seen, 'Revoke key');
  const question = page.getByRole('heading', { name: `Revoke ${seen}?` });
  expect(await question.evaluate(drawnOrder)).toBe(`Revoke ${seen}?`);
  await page.goto(project.at('simulator'));
  await expect(page.getByLabel('Key', { exact: true })).toHaveValue(
    new RegExp(`^${seen} \\(ceiba_`),
  );
});

/** The characters of an element from left to right, as they are rendered on one line. */
function drawnOrder(element: Element): string {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const drawn: { left: number; character: string }[] = [];
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    for (const [at, character] of [...(node.textContent ?? '')].entries()) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      drawn.push({ left: range.getBoundingClientRect().left, character });
    }
  }
  drawn.sort((a, b) => a.left - b.left);
  return drawn.map(({ character }) => character).join('');
}

test('a disabled key is denied on its next call until it is enabled, and its page leads to that denial', async () => {
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('keys');
  const apiKey = await createKey(page, project, 'Paused');
  await page.getByRole('link', { name: 'Paused' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Paused');
  await page.getByRole('button', { name: 'Disable key' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('denied as expired_api_key until you enable it');
  await question.getByRole('button', { name: 'Disable key' }).click();
  await expect(page.getByRole('button', { name: 'Enable key' })).toBeVisible();
  expect(await project.authorize({ apiKey, ...call })).toMatchObject({
    allowed: false,
    denialReason: 'expired_api_key',
  });
  await page.getByRole('button', { name: 'Enable key' }).click();
  await question.getByRole('button', { name: 'Enable key' }).click();
  await expect(page.getByRole('button', { name: 'Disable key' })).toBeVisible();
  expect(await project.authorize({ apiKey, ...call })).toMatchObject({ allowed: true });

  const denied = page.getByRole('list', { name: 'Most denied calls' }).getByRole('link');
  await expect(async () => {
    await page.reload();
    await expect(denied).toHaveCount(1, { timeout: 500 });
    await expect(page.getByText('2 decisions in this range.')).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(page.getByRole('listitem').filter({ hasText: 'disabled this key' })).toHaveCount(1);
  await expectAccessible(page);
  await denied.click();
  await page.waitForURL(/&pathPrefix=%2Fv1%2Freports/);
  await expect(page.getByRole('row').filter({ hasText: 'Expired or disabled' })).toHaveCount(1);
});

test('the name and the note of a key are changed on its page, and refused input is kept', async () => {
  const apiKeyId = await project.addKey('Old name', { status: 'revoked' });
  const page = await project.open(`keys/${apiKeyId}`);
  await page.getByRole('button', { name: 'Edit name and note' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('');
  await dialog.getByLabel('Note').fill('Belongs to\nthe mobile team');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Fill this in.')).toBeVisible();
  await expect(dialog.getByLabel('Note')).toHaveValue('Belongs to\nthe mobile team');
  await dialog.getByLabel('Name').fill('New name');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('New name');
  await expect(page.getByRole('definition').filter({ hasText: 'the mobile team' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Disable|Enable|Set expiry/ })).toHaveCount(0);
  await page.getByRole('link', { name: 'All keys' }).click();
  await expect(page).toHaveURL(project.at('keys'));
});

test('several keys are revoked with one confirmation by keyboard, and one that could not be is named', async () => {
  for (const name of ['One', 'Two', 'Three']) await project.addKey(name);
  const retired = await project.addKey('Retired meanwhile');
  const page = await project.open('keys');
  const boxes = page.getByRole('checkbox', { name: /^Select / });
  await expect(boxes).toHaveCount(5);
  await page.getByRole('checkbox', { name: 'Select all keys on this page' }).press('Space');
  await page.getByRole('checkbox', { name: 'Select Two' }).press('Space');
  const bar = page.getByRole('region', { name: 'Selected keys' });
  await expect(bar).toContainText('3 keys selected');
  await expectAccessible(page);
  await project.sql`update api_keys set status = 'archived' where id = ${retired}`;
  await bar.getByRole('button', { name: 'Revoke…' }).press('Enter');
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Revoke 3 keys?');
  await expect(question).toContainText('This cannot be undone.');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Revoke 3 keys' }).press('Enter');
  const result = page.getByRole('dialog');
  await expect(result).toContainText('Revoked 2 keys');
  await expect(result).toContainText('Retired meanwhile was archived in the meantime');
  await result.getByRole('button', { name: 'Close', exact: true }).first().press('Enter');
  await expect(row(page, 'Two')).toContainText('Active');
  await expect(row(page, 'One')).toHaveCount(0);
  await expect(bar).toHaveCount(0);
});

test('several keys get an expiry at once, and the list is exported as CSV without formulas or digests', async () => {
  await project.addKey('=1+1', { note: 'For the tests' });
  await project.addKey('Plain');
  await project.addKey('Left out', { status: 'revoked' });
  const page = await project.open('keys');
  await page.getByRole('checkbox', { name: 'Select all keys on this page' }).check();
  await page.getByRole('button', { name: 'Set expiry…' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByLabel('Expires').selectOption('In 30 days');
  await expect(question).toContainText('Calls with these keys are allowed until');
  await question.getByRole('button', { name: 'Set expiry of 2 keys' }).click();
  await expect(page.getByText('The expiry was set for 2 keys')).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  const [head, ...lines] = text.trimEnd().split('\r\n');
  expect(head).toContain('api_key_id,name,key_prefix,state,note,');
  expect(head).not.toMatch(/digest|secret/);
  expect(lines).toHaveLength(2);
  expect(text).toContain(`"'=1+1"`);
  expect(text).not.toContain('Left out');
  const expiries = await project.sql<{ days: number }[]>`select
    round(extract(epoch from expires_at - now()) / 86400)::int as days from api_keys
    where project_id = ${project.projectId} and status = 'active'`;
  expect(expiries.map(({ days }) => days)).toEqual([30, 30]);
});

test('a selection survives pages, takes all that the filter has, and changes no key that was not confirmed', async () => {
  for (let n = 1; n <= 28; n += 1) {
    await project.addKey(`Batch ${String(n).padStart(2, '0')}`, {
      created_at: new Date(Date.UTC(2026, 0, n)),
    });
  }
  await project.addKey('Other');
  const page = await project.open('keys?q=batch');
  const bar = page.getByRole('region', { name: 'Selected keys' });
  await page.getByRole('checkbox', { name: 'Select Batch 28' }).check();
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(page.getByText('26–28 of 28 keys')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select Batch 03' }).check();
  await expect(bar).toContainText('2 keys selected, 1 on other pages');
  await page.getByRole('link', { name: '100 rows on a page' }).click();
  await expect(page.getByRole('checkbox', { name: /^Select Batch/ })).toHaveCount(3);
  await expect(bar).toContainText('2 keys selected, 1 on other pages');
  await reloadReady(page);
  await expect(bar).toHaveCount(0);
  await page.getByRole('link', { name: '25 rows on a page' }).click();
  await expect(page.getByText('26–28 of 28 keys')).toBeVisible();

  await page.getByRole('checkbox', { name: 'Select Batch 03' }).check();
  await bar.getByRole('button', { name: 'Select all 28' }).click();
  await expect(bar).toContainText('28 keys selected, 25 on other pages');
  await expect(bar).toBeFocused();
  await bar.getByRole('button', { name: 'Disable…' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question.getByRole('listitem')).toHaveCount(28);
  await expectAccessible(page);
  // One key comes, and one leaves the list, while the dialog asks.
  await project.addKey('Batch late');
  await project.sql`update api_keys set display_name = 'Renamed'
    where project_id = ${project.projectId} and display_name = 'Batch 02'`;
  await question.getByRole('button', { name: 'Disable 28 keys' }).click();
  const result = page.getByRole('dialog');
  await expect(result).toContainText('Disabled 27 keys');
  await expect(result).toContainText('Renamed no longer matches the filter of the list');
  await result.getByRole('button', { name: 'Close', exact: true }).first().click();
  const disabled = async () => {
    const rows = await project.sql<{ name: string }[]>`
      select display_name as name from api_keys
      where project_id = ${project.projectId} and disabled_at is not null`;
    return rows.map(({ name }) => name);
  };
  const names = await disabled();
  expect(names).toHaveLength(27);
  expect(names.filter((name) => !/^Batch \d\d$/.test(name))).toEqual([]);

  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Enabled 27 keys')).toBeVisible();
  expect(await disabled()).toEqual([]);
  // With another filter nothing is selected.
  await page.getByRole('checkbox', { name: 'Select all keys on this page' }).check();
  await expect(bar).toContainText('keys selected');
  await page.getByRole('searchbox').fill('other');
  await expect(row(page, 'Other')).toBeVisible();
  await expect(bar).toHaveCount(0);
});

test('rows are walked, selected and opened by keys, and a disabled key is enabled again by z', async () => {
  for (const name of ['Third', 'Second', 'First']) await project.addKey(name);
  const page = await project.open('keys');
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  await pressShortcut(page, 'j');
  await expect(link('First')).toBeFocused();
  await page.keyboard.press('j');
  await expect(link('Second')).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect(link('Second')).toBeFocused();
  await page.keyboard.press('x');
  await expect(page.getByRole('checkbox', { name: 'Select Second' })).toBeChecked();
  await expect(link('Second')).toBeFocused();
  await expectAccessible(page);
  // A field keeps its letters.
  await page.keyboard.press('/');
  await page.keyboard.type('jkxz');
  await expect(page.getByRole('searchbox')).toHaveValue('jkxz');
  await page.keyboard.press('Escape');
  await expect(link('First')).toBeVisible();

  await page.getByRole('checkbox', { name: 'Select Second' }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('x');
  await page.keyboard.press('k');
  await expect(link('First')).toBeFocused();
  await page.keyboard.press('x');
  const bar = page.getByRole('region', { name: 'Selected keys' });
  await bar.getByRole('button', { name: 'Disable…' }).press('Enter');
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Disable/ })
    .press('Enter');
  await expect(page.getByText(/^Disabled \d keys?$/)).toBeVisible();
  await expect(row(page, 'First')).toContainText('Disabled');
  await expectAccessible(page);
  await pressShortcut(page, 'z');
  await expect(page.getByText(/^Enabled \d keys?$/)).toBeVisible();
  await expect(row(page, 'First')).not.toContainText('Disabled');

  await pressShortcut(page, 'j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('First');
  await page.getByRole('button', { name: 'Disable key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable key' }).click();
  await expect(page.getByText('Key disabled')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Key enabled')).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Next and previous row of a table');
});

test('a key whose own quota is used up is marked in the list and on its page', async () => {
  const { projectId, sql } = project;
  for (const [name, count] of [
    ['Used up', 10],
    ['Nearly', 9],
  ] as const) {
    const apiKeyId = await project.addKey(name, { monthly_quota: 10 });
    await sql`insert into usage_months (project_id, month, scope, incarnation, count)
      select ${projectId}, extract(year from at) * 12 + extract(month from at) - 1, ${apiKeyId},
        'e2e', ${count} from (select now() at time zone 'UTC' as at) clock`;
  }
  const page = await project.open('keys');
  const usedUp = page.getByText('Quota used up').locator('visible=true');
  await expect(usedUp).toHaveCount(1);
  await expect(page.getByRole('row').filter({ has: usedUp })).toContainText('Used up');
  await page.getByRole('link', { name: 'Used up', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Used up');
  await expect(usedUp).toHaveCount(1);
  await expect(page.getByText('10 of 10')).toBeVisible();
});
