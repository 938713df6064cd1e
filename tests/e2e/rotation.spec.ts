import { randomBytes } from 'node:crypto';
import { digestOf, mintApiKey } from '@ceiba/domain';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { gotoReady, reloadReady } from './support.ts';

/** Replacing keys, the old secret of a key, the prefix of new keys, and keys of another issuer. */

let project: OwnProject;
const call = { method: 'GET', path: '/v1/reports' };
const ALLOWED = { allowed: true };
const UNKNOWN = { allowed: false, denialReason: 'invalid_api_key' };

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Rotation');
  await project.sql`update projects set logged_allows_percent = 100
    where id = ${project.projectId}`;
});
test.afterAll(() => project?.close());
test.beforeEach(async () => {
  await project.empty();
  await project.usePlan('Starter');
  await project.addPolicy('GET', '/v1/reports*');
});

/** A key with a known secret. */
async function addKnownKey(displayName: string, columns: Record<string, unknown> = {}) {
  const { plaintext, prefix, digest } = mintApiKey(randomBytes);
  const secret = { key_prefix: prefix, key_digest: digest };
  const apiKeyId = await project.addKey(displayName, { ...secret, ...columns });
  return { apiKeyId, plaintext, prefix };
}

const decide = (apiKey: string) => project.authorize({ apiKey, ...call });

/** A secret, and what the Runtime says of it. */
type Verdict = [apiKey: string, decision: Record<string, unknown>];

/** What the Runtime says of the old and of the new secret. */
async function expectDecisions(old: Verdict, current: Verdict) {
  expect(await decide(old[0])).toMatchObject(old[1]);
  expect(await decide(current[0])).toMatchObject(current[1]);
}

const dialogOf = (page: Page) => page.getByRole('dialog');
const fact = (page: Page, name: string) =>
  page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });

/** Sends the dialog and returns the new secret, which is on the page. */
async function replace(page: Page): Promise<string> {
  await dialogOf(page).getByRole('button', { name: 'Replace key' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('has a new secret');
  return (await page.getByRole('status').filter({ hasText: 'ceiba_' }).innerText()).trim();
}

async function leave(page: Page) {
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
}

/** Chooses in the menu of a row. */
async function choose(page: Page, name: string, item: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  const menu = page.getByRole('navigation', { name: `Actions for ${name}` });
  await menu.getByRole('button', { name: item }).click();
}

test('a key is replaced, both secrets work for the overlap, and the old one is ended', async () => {
  const { apiKeyId, plaintext: old, prefix } = await addKnownKey('Mobile app');
  const page = await project.open(`keys/${apiKeyId}`);
  await page.getByRole('button', { name: 'Replace key' }).click();
  await expect(dialogOf(page)).toContainText(`The current one is ${prefix}….`);
  await expect(dialogOf(page).getByRole('status')).toContainText('Never used');
  await expect(page.getByLabel('The current secret still works')).toHaveValue('86400');
  await expectAccessible(page);
  const current = await replace(page);
  await expectAccessible(page);
  await leave(page);
  await expect(fact(page, 'Old secret')).toContainText(`${prefix}… until`);
  await expect(fact(page, 'Old secret')).toContainText('not used since');
  expect(await page.content()).not.toContain(current);
  await expectDecisions([old, ALLOWED], [current, ALLOWED]);

  // Its last use is written within seconds.
  await expect(async () => {
    await reloadReady(page);
    await expect(fact(page, 'Old secret')).toContainText('last used', { timeout: 100 });
  }).toPass();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'End it now' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('would work until');
  await expect(question.getByRole('status')).toContainText('The old secret was last used');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'End old secret' }).click();
  await expect(page.getByText('Old secret ended')).toBeVisible();
  await expect(fact(page, 'Old secret')).toHaveCount(0);
  await expectDecisions([old, UNKNOWN], [current, ALLOWED]);
  await expect(page.getByRole('region', { name: 'History' })).toContainText('replaced');
});

test('a request by the old secret names it, and leads to where it is ended', async () => {
  const { apiKeyId, plaintext: old } = await addKnownKey('Mobile app');
  const page = await project.open(`keys/${apiKeyId}`);
  await page.getByRole('button', { name: 'Replace key' }).click();
  await replace(page);
  await leave(page);
  await decide(old);
  await gotoReady(page, project.at(`requests?key=${apiKeyId}`));
  await expect(async () => {
    await reloadReady(page);
    const row = page.getByRole('row').filter({ hasText: 'Mobile app, by its old secret' });
    await expect(row).toHaveCount(1, { timeout: 100 });
  }).toPass();
  await page.getByRole('link', { name: /\/v1\/reports/ }).click();
  await expect(page.getByRole('region', { name: 'As it was decided' })).toContainText(
    'Mobile app, by its old secret',
  );
  await page.getByRole('link', { name: 'End it on the key’s page' }).click();
  await page.waitForURL(`**${project.at(`keys/${apiKeyId}`)}`);

  await gotoReady(page, project.at('simulator'));
  await page.getByText('Paste', { exact: true }).click();
  await page.getByLabel('Key to paste').fill(old);
  await page.getByLabel('Path', { exact: true }).fill('/v1/reports');
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(page.getByRole('region', { name: 'Verdict' })).toContainText('by its old secret');
});

test('another replacement within the overlap asks first, and at once means at once', async () => {
  const { plaintext: first } = await addKnownKey('Partner');
  const page = await project.open('keys');
  await choose(page, 'Partner', 'Replace key');
  await page.getByLabel('The current secret still works').selectOption('For another time');
  await page.getByLabel('Hours').fill('721');
  await dialogOf(page).getByRole('button', { name: 'Replace key' }).click();
  await expect(page.getByText('Must be from 0 to 720 hours.')).toBeVisible();
  await page.getByLabel('Hours').fill('1.5');
  await expect(page.getByText('Must be from 0 to 720 hours.')).toBeHidden();
  const second = await replace(page);
  await leave(page);
  await expectDecisions([first, ALLOWED], [second, ALLOWED]);

  await choose(page, 'Partner', 'Replace key');
  await expect(dialogOf(page)).toContainText('This ends the old secret');
  await page
    .getByLabel('The current secret still works')
    .selectOption('Not at all: it ends at once');
  await expect(dialogOf(page)).toContainText('calls with the current secret are denied');
  await dialogOf(page).getByRole('button', { name: 'Replace key' }).click();
  await expect(dialogOf(page)).toContainText('Confirm this first');
  await expectDecisions([first, ALLOWED], [second, ALLOWED]);
  await page.getByLabel('No caller uses the old secret any more').check();
  await expectAccessible(page);
  const third = await replace(page);
  await expect(page.getByText('The old secret does not work any more.')).toBeVisible();
  await expectDecisions([first, UNKNOWN], [third, ALLOWED]);
  expect(await decide(second)).toMatchObject(UNKNOWN);
});

test('an overlap beyond the expiry is said before, and a stale page replaces nothing', async () => {
  const expires = new Date(Date.now() + 3_600_000);
  const { apiKeyId, plaintext } = await addKnownKey('Trial', { expires_at: expires });
  const page = await project.open(`keys/${apiKeyId}`);
  await page.getByRole('button', { name: 'Replace key' }).click();
  await expect(dialogOf(page)).toContainText('The key expires before that');
  const other = mintApiKey(randomBytes);
  await project.sql`update api_keys set key_prefix = ${other.prefix} where id = ${apiKeyId}`;
  await dialogOf(page).getByRole('button', { name: 'Replace key' }).click();
  await expect(dialogOf(page).getByRole('alert')).toContainText(
    `The secret was replaced elsewhere after this page was loaded: it is ${other.prefix}… now.`,
  );
  expect(await decide(plaintext)).toMatchObject(ALLOWED);
  await page.keyboard.press('Escape');
  await reloadReady(page);
  await page.getByRole('button', { name: 'Replace key' }).click();
  const current = await replace(page);
  const [row] = await project.sql`
    select previous_expires_at = expires_at as same from api_keys where id = ${apiKeyId}`;
  expect(row?.same).toBe(true);
  await expectDecisions([plaintext, ALLOWED], [current, ALLOWED]);
});

test('the old secret of a page that is out of date is not ended in place of a newer one', async () => {
  const { apiKeyId, plaintext: old } = await addKnownKey('Two tabs');
  const page = await project.open(`keys/${apiKeyId}`);
  await page.getByRole('button', { name: 'Replace key' }).click();
  await replace(page);
  await leave(page);
  await page.getByRole('button', { name: 'End it now' }).click();
  await project.sql`update api_keys set previous_prefix = 'ceiba_another0' where id = ${apiKeyId}`;
  await page.getByRole('button', { name: 'End old secret' }).click();
  await expect(page.getByRole('alertdialog').getByRole('alert')).toContainText(
    'Nothing was changed',
  );
  expect(await decide(old)).toMatchObject(ALLOWED);
});

test('new keys begin with the prefix of the settings, and older ones keep theirs', async () => {
  const { plaintext: older } = await addKnownKey('Older');
  const page = await project.open('settings');
  const prefix = page.getByRole('region', { name: 'Key prefix' });
  const field = page.getByRole('textbox', { name: 'Key prefix' });
  await expect(field).toHaveAccessibleDescription(/at most 17 .* ceiba_ or whsec_ within/);
  for (const wrong of ['Acme_', 'acme', 'ceiba_token_']) {
    await field.fill(wrong);
    await page.getByRole('button', { name: 'Save key prefix' }).click();
    await expect(field).toHaveAccessibleDescription(/Must be a small letter, then/);
    await expect(field).toHaveValue(wrong);
  }
  await field.fill('acme_live_');
  await page.getByRole('button', { name: 'Save key prefix' }).click();
  await expect(page.getByText('Key prefix saved')).toBeVisible();
  await expectAccessible(page);
  await expect(prefix).toContainText('acme_live_4fZk2Qpa…');
  await expect(prefix).toContainText(String.raw`\bacme_live_[0-9A-Za-z]{49}\b`);

  await gotoReady(page, project.at('keys/new'));
  await page.getByLabel('Name').fill('Newer');
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('status').filter({ hasText: 'acme_live_' });
  const newer = (await shown.innerText()).trim();
  expect(newer).toMatch(/^acme_live_[0-9A-Za-z]{49}$/);
  await expectDecisions([older, ALLOWED], [newer, ALLOWED]);
  // It is found by its whole text, of which only the prefix reaches the URL.
  await gotoReady(page, project.at('keys'));
  await page.getByRole('searchbox').fill(newer);
  await expect(page).toHaveURL(new RegExp(`q=${newer.slice(0, 18)}(&|$)`));
  await expect(page.getByRole('row').filter({ hasText: 'Newer' })).toHaveCount(1);
  await project.sql`update projects set key_prefix = default where id = ${project.projectId}`;
});

test('imported keys are marked, counted, simulated as they are presented, and replaced', async () => {
  const foreign = `sk_live_${randomBytes(12).toString('hex')}`;
  await project.sql`update projects set accepts_imported_keys = true
    where id = ${project.projectId}`;
  await addKnownKey('Our own');
  const { apiKeyId } = await addKnownKey('From elsewhere', {
    key_prefix: 'sk_live_ab',
    key_digest: digestOf(foreign),
    is_imported: true,
  });
  expect(await decide(foreign)).toMatchObject(ALLOWED);
  const page = await project.open('keys');
  const row = page.getByRole('row').filter({ hasText: 'From elsewhere' });
  await expect(row).toContainText('Imported');
  await page.getByRole('link', { name: '1 imported' }).click();
  await expect(page.getByText('1 key was imported; their strength is their maker’s')).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'Our own' })).toHaveCount(0);
  await expectAccessible(page);

  await gotoReady(page, project.at('simulator'));
  await page.getByText('Paste', { exact: true }).click();
  await page.getByLabel('Path', { exact: true }).fill('/v1/reports');
  const verdict = page.getByRole('region', { name: 'Verdict' });
  for (const [text, words] of [
    [foreign, 'With From elsewhere'],
    [`${foreign}x`, 'not a well-formed key, and no imported one'],
  ] as const) {
    await page.getByLabel('Key to paste').fill(text);
    await page.getByRole('button', { name: 'Simulate call' }).click();
    await expect(verdict).toContainText(words);
  }

  await gotoReady(page, project.at(`keys/${apiKeyId}`));
  await expect(fact(page, 'Secret')).toContainText('its strength is its maker’s');
  await page.getByRole('button', { name: 'Replace key' }).click();
  const current = await replace(page);
  await leave(page);
  await expect(page.getByText('Imported', { exact: true })).toHaveCount(0);
  await expectDecisions([foreign, ALLOWED], [current, ALLOWED]);
});

test('the metadata of a key is shown and edited', async () => {
  const apiKeyId = await project.addKey('Described', { metadata: { crm: '42' } });
  const page = await project.open(`keys/${apiKeyId}`);
  await expect(fact(page, 'Metadata')).toContainText('"crm": "42"');
  await page.getByRole('button', { name: 'Edit metadata' }).click();
  const field = page.getByRole('textbox', { name: 'Metadata' });
  await field.fill('["crm"]');
  await page.getByRole('button', { name: 'Save metadata' }).click();
  await expect(field).toHaveAccessibleDescription(/Must be a JSON object/);
  await field.fill('{"crm": "43", "tier": 2}');
  await page.getByRole('button', { name: 'Save metadata' }).click();
  await expect(page.getByText('Metadata saved')).toBeVisible();
  await expect(fact(page, 'Metadata')).toContainText('"tier": 2');
});
