import { randomBytes } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject, stack } from './own-project.ts';
import { expectListening, gotoReady, hold } from './support.ts';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Reports');
});
test.afterAll(() => project?.close());

/** The status with which the Runtime answers a host with this secret. */
async function statusFor(secret: string): Promise<number> {
  const url = `${stack().runtimeUrl}/rt/projects/${project.projectId}/authorize`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-project-secret': secret },
    body: JSON.stringify({ apiKey: null, method: 'GET', path: '/' }),
  });
  return response.status;
}

async function confirmRotation(page: Page): Promise<string> {
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click();
  return rotatedSecret(page);
}

async function rotatedSecret(page: Page): Promise<string> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Secret rotated');
  return (await page.getByRole('status').filter({ hasText: 'ceiba_secret_' }).innerText()).trim();
}

async function storeSecret(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings');
}

test("the Runtime's address is shown beside the project's ID, each to copy", async () => {
  const page = await project.open('settings');
  const both = page.getByRole('region', { name: 'Project ID and Runtime' });
  for (const text of [project.projectId, stack().runtimeUrl]) {
    await expect(both.getByRole('button', { name: text })).toHaveText(text);
  }
});

test('the code of a host is folded, and opens with the framework that its address names', async () => {
  const page = await project.open('settings');
  const framework = page.getByLabel('Framework');
  await expect(framework).toBeHidden();
  await page.getByText('Connect a host').click();
  await framework.selectOption('Hono');
  await expect(page).toHaveURL(/\?framework=hono$/);
  await expect(framework).toBeVisible();
  await page.reload();
  await expect(framework).toHaveValue('hono');
  await expect(framework).toBeVisible();
});

test('the index marks the part that is read, or that its link named where the page cannot scroll to it', async () => {
  const page = await project.open('settings');
  const index = page.getByRole('navigation', { name: 'On this page' });
  const marked = index.locator('[aria-current]');
  // The whole page is in view.
  await page.setViewportSize({ width: 1280, height: 3000 });
  await expect(marked).toHaveText(['Project ID and Runtime']);
  await index.getByRole('link', { name: 'Key prefix' }).click();
  await expect(marked).toHaveText(['Key prefix']);
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const name of ['Transfer project', 'Project secret']) {
    await index.getByRole('link', { name }).click();
    await expect(marked).toHaveText([name]);
  }
  const scrollTo = (top: number) => page.evaluate((y) => window.scrollTo(0, y), top);
  await scrollTo(100_000);
  await expect(marked).toHaveText(['Delete project']);
  await scrollTo(0);
  await expect(marked).toHaveText(['Project ID and Runtime']);
});

test('a taken name is refused beside its field, and a new name shows everywhere', async () => {
  await project.sql`insert into projects (owner_id, name, secret_digest)
    select owner_id, 'Billing', sha256('another') from projects where id = ${project.projectId}`;
  const page = await project.open('settings');
  await page.getByLabel('Project name').fill('Billing');
  await page.getByRole('button', { name: 'Rename project' }).click();
  await expect(page.getByText('You already have a project with this name')).toBeVisible();
  await expect(page.getByLabel('Project name')).toHaveValue('Billing');
  await page.getByLabel('Project name').fill('Reports, renamed');
  await page.getByRole('button', { name: 'Rename project' }).click();
  await expect(page.getByText('Project renamed')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Reports, renamed/ })).toBeVisible();
});

test('a form without an answer keeps its input, shows an error, and can be sent again', async () => {
  const page = await project.open('settings');
  const field = page.getByLabel('Project name');
  const rename = page.getByRole('button', { name: 'Rename project' });
  await field.fill('Reports, kept');
  const here = ({ pathname }: URL) => pathname === project.at('settings');
  await page.route(here, (route) => route.abort());
  await rename.click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    'The console is not answering.',
  );
  await expect(field).toHaveValue('Reports, kept');
  await page.unroute(here);
  // The answer of a console that was updated after the page was loaded.
  await page.route(here, (route) =>
    route.fulfill({ status: 404, headers: { 'x-nextjs-action-not-found': '1' } }),
  );
  await rename.click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('The console was updated');
  await expect(field).toHaveValue('Reports, kept');
  await page.unroute(here);
  await rename.click();
  await expect(page.getByText('Project renamed')).toBeVisible();
});

test('the default rate applies from the next decision on', async () => {
  await project.addPolicy('GET', '/v1/reports*');
  const page = await project.open('settings');
  const { plaintext, digest } = mintApiKey(randomBytes);
  await project.addKey('Mobile app', { key_digest: digest });
  const call = { apiKey: plaintext, method: 'GET', path: '/v1/reports' };
  const field = page.getByLabel('Requests per minute');
  await field.fill('a few');
  await page.getByRole('button', { name: 'Save default rate' }).click();
  await expect(page.getByText('Must be a whole number, 0 or more.')).toBeVisible();
  await expect(field).toHaveValue('a few');
  await field.fill('0');
  await page.getByRole('button', { name: 'Save default rate' }).click();
  await expect(page.getByText('Default rate saved')).toBeVisible();
  expect(await project.authorize(call)).toMatchObject({ denialReason: 'rate_limited' });
  await field.fill('1,000');
  await page.getByRole('button', { name: 'Save default rate' }).click();
  await expect
    .poll(async () => (await project.authorize(call)).allowed, { timeout: 10_000 })
    .toBe(true);
});

test('a secret that cannot be shown is not created, with the mouse or the keyboard', async () => {
  const page = await project.open('settings');
  const secretMadeAt = async () => {
    const [row] = await project.sql`
      select secret_created_at as at from projects where id = ${project.projectId}`;
    return row?.at;
  };
  const before = await secretMadeAt();
  await page.route('**/_next/static/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Rotate secret…' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Rotate secret' }).press('Enter');
  await expect(question.getByRole('alert')).toContainText('so the secret was not rotated');
  expect(await secretMadeAt()).toEqual(before);
  await page.close();
});

test('a rotation shows the secret once, and both secrets are accepted for a day', async () => {
  const page = await project.open('settings');
  await page.goto(project.at('keys'));
  await gotoReady(page, project.at('settings'));
  await page.getByRole('button', { name: 'Rotate secret…' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('stays valid for another 24 hours');
  // Closed before the answer arrives, the dialog would lose the secret.
  const answer = await hold(page, '**/settings', 'POST');
  await question.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(question.getByRole('button', { name: /working/ })).toBeVisible();
  // A browser asks at the first press, and closes a dialog at the second.
  for (const _ of [1, 2, 3]) await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Keep secret' }).click();
  await expect(question).toBeVisible();
  answer.release();
  const second = await rotatedSecret(page);
  await expect(page.locator('pre')).toContainText(`CEIBA_PROJECT_SECRET=${second}`);
  await expect(page.locator('pre')).toContainText(`CEIBA_PROJECT_ID=${project.projectId}`);
  expect(await statusFor(second)).toBe(200);
  expect(await statusFor(project.projectSecret)).toBe(200);

  await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await storeSecret(page);
  await expect(page.getByText(/accepted for another 2[34] h/)).toBeVisible();
  expect(await page.content()).not.toContain(second);
  await expectAccessible(page);
  await page.goBack();
  await expect(page).toHaveURL(project.at('keys'));
  await page.goForward();
  await expectListening(page);

  // A second rotation explains its effect and needs a confirmation.
  await page.getByRole('button', { name: 'Rotate secret…' }).click();
  await expect(question).toContainText('Rotating again ends the previous one immediately');
  await question.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(question).toContainText('Confirm this first');
  await expectAccessible(page);
  expect(await statusFor(project.projectSecret)).toBe(200);
  await question.getByRole('checkbox').check();
  const third = await confirmRotation(page);
  expect(await statusFor(third)).toBe(200);
  expect(await statusFor(second)).toBe(200);
  expect(await statusFor(project.projectSecret)).toBe(401);

  // The secret leaves at once, and the page of before the rotation, with another current secret, does
  // not come back.
  const { release } = await hold(page, '**/settings?_rsc=*', 'GET');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await expect(page.getByText('Loading the page…')).toBeVisible();
  expect(await page.content()).not.toContain(third);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Secret rotated');
  release();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings');

  // The previous secret can also be ended alone.
  await page.getByRole('button', { name: 'End previous secret now…' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('servers that still use it');
  await page.getByRole('button', { name: 'End previous secret', exact: true }).click();
  await expect(page.getByText('No other secret is accepted.')).toBeVisible();
  expect([await statusFor(third), await statusFor(second)]).toEqual([200, 401]);
  project.projectSecret = third;
  await page.close({ runBeforeUnload: false });
});

test('a stale tab does not rotate the secret, and reports why', async () => {
  await project.sql`update projects set previous_secret_digest = null,
    previous_secret_expires_at = null where id = ${project.projectId}`;
  const [stale, fresh] = [await project.open('settings'), await project.open('settings')];
  for (const page of [stale, fresh]) {
    await page.getByRole('button', { name: 'Rotate secret…' }).click();
  }
  const current = await confirmRotation(fresh);
  const question = stale.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(question.getByRole('alert')).toContainText('was rotated in another window');
  // The dialog shows the current state now, so an immediate retry does not end a secret either.
  await expect(question).toContainText('Rotating again ends the previous one immediately');
  await question.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(question).toContainText('Confirm this first');
  expect(await statusFor(current)).toBe(200);
  project.projectSecret = current;
  for (const page of [stale, fresh]) await page.close({ runBeforeUnload: false });
});

test('a project is deleted only by its name, and its hosts then get 401', async () => {
  const [{ name } = { name: '' }] = await project.sql<{ name: string }[]>`
    select name from projects where id = ${project.projectId}`;
  const [page, stale] = [await project.open('settings'), await project.open('keys/new')];
  await stale.getByLabel('Name').fill('Too late');
  expect(await statusFor(project.projectSecret)).toBe(200);
  await page.getByRole('button', { name: 'Delete project…' }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Delete project' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Delete project…' }).click();
  await dialog.getByLabel(/to confirm/).fill('Not its name');
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(/to confirm/).fill(name);
  await confirm.click();
  await page.waitForURL('**/projects');
  await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0);
  expect(await statusFor(project.projectSecret)).toBe(401);
  expect((await page.goto(project.at('settings')))?.status()).toBe(404);

  await stale.getByRole('button', { name: 'Create key' }).click();
  await expect(stale.getByText('It no longer exists')).toBeVisible();
  await expect(stale.getByLabel('Name')).toHaveValue('Too late');
});
