import { expect, type Page, test } from '@playwright/test';
import { addDecisions } from './decisions.ts';
import { expectAccessible } from './expect-accessible.ts';
import { createKey, type OwnProject, ownProject } from './own-project.ts';
import { gotoReady } from './support.ts';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Timeline');
});
test.afterAll(() => project?.close());
test.beforeEach(async () => {
  await project.empty();
  await project.usePlan('Starter');
});

const history = (page: Page) => page.getByRole('region', { name: 'History' });
const entries = (page: Page) => history(page).getByRole('listitem');

/** A key that was created, called, and revoked by its page. */
async function revokedKey() {
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('keys');
  const apiKey = await createKey(page, project, 'Mobile app');
  const call = { apiKey, method: 'GET', path: '/v1/reports' };
  expect(await project.authorize(call)).toMatchObject({ allowed: true });
  const [key] = await project.sql`
    select id from api_keys where project_id = ${project.projectId}`;
  await gotoReady(page, project.at(`keys/${key?.id}`));
  await page.getByRole('button', { name: 'Actions for Mobile app' }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
  await expect(page.getByText('Key revoked')).toBeVisible();
  return { page, call, apiKeyId: key?.id as string };
}

test('the history of a key pairs its revocation with the first call that it denied, each with its page', async () => {
  const { page, call, apiKeyId } = await revokedKey();
  await gotoReady(page, project.at(`keys/${apiKeyId}`));
  await expect(entries(page).first()).toContainText('revoked this key');
  await expect(entries(page).first()).toContainText('No call was denied for it since.');
  expect(await project.authorize(call)).toMatchObject({ denialReason: 'revoked_api_key' });
  // The log is written within seconds.
  await expect(async () => {
    await gotoReady(page, project.at(`keys/${apiKeyId}`));
    await expect(entries(page).first()).toContainText('First denied', { timeout: 100 });
  }).toPass();
  await expect(entries(page).first()).toContainText('GET /v1/reports, revoked key.');
  await expect(entries(page).last()).toContainText('created this key');
  await expect(history(page)).toContainText(/Used first|First recorded call allowed/);
  await expectAccessible(page);

  const since = entries(page).first().getByRole('link', { name: 'All since' });
  await expect(since).toHaveAttribute('href', /reason=revoked_api_key&key=/);
  await entries(page).first().getByRole('link', { name: 'GET /v1/reports' }).click();
  await page.waitForURL('**/requests/*');
  const before = page.getByRole('region', { name: 'What changed before' });
  await expect(before).toContainText('revoked key Mobile app');
  await expect(before).toContainText('before this request.');
  await expectAccessible(page);
  await expect(before.getByRole('link', { name: 'Create a key in its place' })).toBeVisible();
  await expect(before.getByRole('link', { name: 'Go to the key' })).toHaveAttribute(
    'href',
    project.at(`keys/${apiKeyId}`),
  );
  await before.getByRole('link', { name: 'Open in the audit log' }).click();
  await page.waitForURL('**/audit?q=*');
  await expect(page.getByText('revoked key Mobile app')).toBeVisible();
});

test('a request that a disabled key denied leads to Replace key', async () => {
  const page = await project.open('keys');
  await createKey(page, project, 'Paused');
  await page.getByRole('link', { name: 'Paused' }).click();
  await page.getByRole('button', { name: 'Disable key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable key' }).click();
  await expect(page.getByText('Key disabled')).toBeVisible();
  const [key] = await project.sql`
    select id from api_keys where project_id = ${project.projectId}`;
  const [decisionId] = await addDecisions(project.projectId, [
    { apiKeyId: key?.id, outcome: 'expired_api_key', denialDetail: 'disabled' },
  ]);
  await gotoReady(page, project.at(`requests/${decisionId}`));
  const before = page.getByRole('region', { name: 'What changed before' });
  await expect(before).toContainText('disabled key Paused');
  await before.getByRole('link', { name: 'Replace key on its page' }).click();
  await expect(page.getByRole('button', { name: 'Replace key' })).toBeVisible();
});

test('the history of a customer has its keys, and the first call that its suspension denied', async () => {
  const page = await project.open('customers/new');
  await page.getByLabel('External ID').fill('acme');
  await page.getByRole('button', { name: 'Create customer' }).click();
  await expect(page.getByRole('button', { name: 'Suspend customer' })).toBeVisible();
  const [customer] = await project.sql`
    select id from customers where project_id = ${project.projectId}`;
  await page.getByRole('button', { name: 'Suspend customer' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Suspend customer' }).click();
  await expect(page.getByText('Customer suspended')).toBeVisible();
  await addDecisions(project.projectId, [
    {
      customerId: customer?.id,
      outcome: 'inactive_subscription',
      denialDetail: 'customer_suspended',
    },
  ]);
  await gotoReady(page, project.at(`customers/${customer?.id}`));
  await expect(entries(page).first()).toContainText('suspended this customer');
  await expect(entries(page).first()).toContainText('First denied');
  await expect(entries(page).last()).toContainText('created this customer');
  await expectAccessible(page);
});
