import { expect, type Locator, type Page, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { gotoReady } from './support.ts';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Still used');
});
test.afterAll(() => project?.close());
test.beforeEach(async () => {
  await project.empty();
  await project.usePlan('Starter');
});

const NO_ID = '00000000-0000-0000-0000-000000000000';

interface Calls {
  apiKeyId: string;
  policyId?: string;
  outcome?: string;
  count: number;
}

/** Counts calls of this hour, as a Runtime's flush does. */
async function count(...counted: Calls[]) {
  for (const { apiKeyId, policyId = NO_ID, outcome = 'allowed', count } of counted) {
    await project.sql`insert into usage_hours
      (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
      values (${project.projectId}, date_trunc('hour', now()), ${apiKeyId}, ${policyId}, ${outcome},
        'i', ${count})`;
  }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
/** A key that was used nine minutes ago, for 14 calls of today. */
async function usedKey(columns: Record<string, unknown> = {}) {
  const apiKeyId = await project.addKey('Mobile app', {
    last_used_at: minutesAgo(9.5),
    ...columns,
  });
  await count({ apiKeyId, count: 12 }, { apiKeyId, count: 2, outcome: 'rate_limited' });
  return apiKeyId;
}

async function choose(page: Page, name: string, item: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page
    .getByRole('navigation', { name: `Actions for ${name}` })
    .getByRole('button', { name: item })
    .click();
}

const evidence = (dialog: Locator) => dialog.getByRole('status');

test('each dialog that ends a key says when it was last used and how much today', async () => {
  await usedKey();
  const page = await project.open('keys');
  for (const item of ['Disable key', 'Archive key', 'Revoke key', 'Replace key']) {
    await choose(page, 'Mobile app', item);
    const dialog = page.getByRole(item === 'Replace key' ? 'dialog' : 'alertdialog');
    await expect(evidence(dialog)).toContainText('Last used 9 minutes ago');
    await expect(evidence(dialog)).toContainText('14 calls today (UTC), 2 denied.');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
  }
});

test('the dialog for several keys says it of each, and how many were used today', async () => {
  await usedKey();
  await project.addKey('Never called');
  const page = await project.open('keys');
  await page.getByRole('checkbox', { name: 'Select all keys on this page' }).check();
  await page.getByRole('button', { name: 'Revoke…' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(evidence(dialog)).toContainText('1 of them was used today (UTC)');
  const item = (name: string) => dialog.getByRole('listitem').filter({ hasText: name });
  await expect(item('Mobile app')).toContainText(
    'last used 9 minutes ago, 14 calls today (UTC), 2 denied',
  );
  await expect(item('Never called')).toContainText('never used');
  await expectAccessible(page);
});

test('a key is revoked while who uses it is not answered, and after it failed', async () => {
  await usedKey();
  await project.addKey('Second');
  const page = await project.open('keys');
  await page.route('**/recent-use*', () => {});
  await choose(page, 'Second', 'Revoke key');
  const dialog = page.getByRole('alertdialog');
  await expect(evidence(dialog)).toContainText('Looking up who uses it…');
  await dialog.getByRole('button', { name: 'Revoke key' }).click();
  await expect(page.getByText('Key revoked')).toBeVisible();

  await page.unroute('**/recent-use*');
  await page.route('**/recent-use*', (route) => route.fulfill({ status: 503 }));
  await choose(page, 'Mobile app', 'Revoke key');
  await expect(evidence(dialog)).toContainText('Who uses it is not known now');
  await dialog.getByRole('button', { name: 'Revoke key' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('row').filter({ hasText: 'Mobile app' })).toHaveCount(0);
});

test('the dialogs that end a customer, a policy, a secret and a project say who uses them', async () => {
  const [customer] = await project.sql`insert into customers (project_id, external_id)
    values (${project.projectId}, 'acme') returning id`;
  const apiKeyId = await usedKey({ customer_id: customer?.id });
  const policyId = await project.addPolicy('GET', '/v1/reports*');
  await count({ apiKeyId, policyId, count: 5 });
  const dialog = (page: Page) => page.getByRole('alertdialog');

  const page = await project.open(`customers/${customer?.id}`);
  await page.getByRole('button', { name: 'Suspend customer' }).click();
  await expect(evidence(dialog(page))).toContainText('One of its keys was used 9 minutes ago');
  await expect(evidence(dialog(page))).toContainText('19 calls today (UTC) with 1 key, 2 denied.');

  await gotoReady(page, project.at('policies'));
  await page.getByRole('button', { name: 'Delete GET /v1/reports*' }).click();
  await expect(evidence(dialog(page))).toContainText('It last allowed a call in the hour from');
  await expect(evidence(dialog(page))).toContainText('5 calls today (UTC) with 1 key.');

  await gotoReady(page, project.at('settings'));
  await page.getByRole('button', { name: 'Rotate secret…' }).click();
  await expect(evidence(dialog(page))).toContainText('A call was last allowed 9 minutes ago');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete project…' }).click();
  await expect(evidence(page.getByRole('dialog'))).toContainText(
    '19 calls today (UTC) with 1 key, 2 denied.',
  );

  await gotoReady(page, project.at('subscription'));
  await page.getByRole('button', { name: 'Change status' }).click();
  await page.getByRole('button', { name: 'Cancel subscription…' }).click();
  await expect(evidence(dialog(page))).toContainText('A call was last allowed 9 minutes ago');
});

test('the settings and their dialogs say when the previous secret was last used', async () => {
  await usedKey();
  await project.sql`update projects set previous_secret_digest = sha256('old'),
    previous_secret_expires_at = now() + interval '20 hours' where id = ${project.projectId}`;
  const page = await project.open('settings');
  await expect(page.getByText('not used since it was replaced')).toBeVisible();
  await project.sql`update projects set previous_secret_last_used_at = ${minutesAgo(9.5)}
    where id = ${project.projectId}`;
  await page.reload();
  await expect(page.getByText('last used 9 minutes ago')).toBeVisible();
  const dialog = page.getByRole('alertdialog');
  for (const button of ['End previous secret now…', 'Rotate secret…']) {
    await page.getByRole('button', { name: button }).click();
    await expect(evidence(dialog)).toContainText('The previous secret was last used 9 minutes ago');
    await expect(evidence(dialog)).toContainText('14 calls today (UTC) with either secret');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
  }
  await project.sql`update projects set previous_secret_last_used_at = null
    where id = ${project.projectId}`;
  await page.getByRole('button', { name: 'End previous secret now…' }).click();
  await expect(evidence(dialog)).toContainText('was not used since it was replaced');
  await project.sql`update projects set previous_secret_digest = null,
    previous_secret_expires_at = null where id = ${project.projectId}`;
});
