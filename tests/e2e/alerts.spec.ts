import { expect, test } from '@playwright/test';
import { Webhook } from 'standardwebhooks';
import { type ReceivedWebhook, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { addAlertMail } from './alerts.ts';
import { expectAccessible } from './expect-accessible.ts';
import { consoleLog, type OwnProject, ownProject } from './own-project.ts';
import { gotoReady, newUser } from './support.ts';

let project: OwnProject;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Alerts');
  receiver = await startWebhookReceiver();
});
test.afterAll(async () => {
  await project.close();
  await receiver.close();
});

const verify = ({ body, headers }: ReceivedWebhook, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test('a webhook is added, tested, repaired and deleted, and its secret is shown once', async ({
  browser,
}) => {
  test.setTimeout(150_000);
  const page = await project.open('alerts');
  await expect(page.getByText('No destinations yet')).toBeVisible();
  await expect(page.getByText('Mail is off')).toBeVisible();
  await expectAccessible(page);

  // What cannot work is refused beside its field, and what was typed stays.
  const url = page.getByLabel('URL');
  const add = page.getByRole('button', { name: 'Add webhook' });
  for (const [typed, words] of [
    ['https://169.254.169.254/latest', 'Must not be private'],
    ['https://user:password@example.com/', 'Must not contain a user or password'],
    ['example.com', 'Must be a URL such as'],
  ] as const) {
    await url.fill(typed);
    await add.click();
    await expect(page.getByText(new RegExp(words, 'i'))).toBeVisible();
    await expect(url).toHaveValue(typed);
  }
  await url.fill(receiver.url);
  const group = (name: string) =>
    page.getByRole('group', { name, exact: true }).getByRole('checkbox');
  await expect(group('Keys').and(page.getByLabel('A key is revoked'))).toBeVisible();
  await expect(group('Keys').and(page.getByLabel(/quota/))).toHaveCount(0);
  const quota = group('Limits').and(page.getByLabel('80% or 100% of the monthly quota is used'));
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
  await add.click();
  await expect(page.getByText('Choose at least one alert.')).toBeVisible();
  await quota.check();
  await expect(page.getByText('Choose at least one alert.')).toBeHidden();
  await add.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Webhook added' })).toBeVisible();
  const secret = (
    await page
      .getByRole('status')
      .filter({ hasText: /^whsec_/ })
      .innerText()
  ).trim();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  // Beside a destination, the form of another one is behind its button.
  const unfold = page.locator('summary', { hasText: 'Add a webhook' });
  await expect(unfold).toBeVisible();
  await expect(url).toBeHidden();
  await unfold.click();
  await add.click();
  await expect(url).toHaveAccessibleDescription(/Fill this in/);

  // A test that fails says why, and can be sent again.
  receiver.answer = 500;
  await page.getByRole('link', { name: `http://127.0.0.1:${receiver.port}` }).click();
  await expect(page.getByText('Nothing was sent here yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText('it answered 500')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText('Attempts are failing')).toBeVisible();
  await project.sql`update alert_deliveries set status = 'failed' where status = 'pending'
    and event_id in (select id from alert_events where project_id = ${project.projectId})`;
  receiver.answer = 204;
  await page.reload();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('Delivered · 204')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText('Attempts are failing')).toHaveCount(0, { timeout: 20_000 });
  const [first] = receiver.received;
  const last = receiver.received.at(-1)!;
  expect(last.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(verify(last, secret)).toMatchObject({
    type: 'alert.test',
    data: { project: { id: project.projectId, name: 'Alerts' } },
  });

  // A threshold that is reached arrives by itself.
  await project.sql`
    insert into usage_months (project_id, month, scope, incarnation, count)
    select ${project.projectId}, extract(year from now() at time zone 'UTC') * 12
      + extract(month from now() at time zone 'UTC') - 1, 'project', 'e2e',
      ceil(monthly_quota * 0.8) from subscriptions s join plans p on p.id = s.plan_id
    where project_id = ${project.projectId}`;
  await expect
    .poll(() => receiver.received.map(({ body }) => JSON.parse(body).type), { timeout: 30_000 })
    .toContain('quota.threshold_reached');

  // After a rotation, both secrets verify.
  await page.getByRole('button', { name: 'Rotate signing secret…' }).click();
  await page.getByRole('button', { name: 'Rotate secret', exact: true }).click();
  const next = (
    await page
      .getByRole('status')
      .filter({ hasText: /^whsec_/ })
      .innerText()
  ).trim();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  const before = receiver.received.length;
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(before + 1);
  for (const key of [secret, next]) verify(receiver.received.at(-1)!, key);

  // A viewer sees where alerts go, but neither the path, which may hold a token, nor forms.
  const here = new URL(page.url()).pathname;
  const viewer = await (await browser.newContext()).newPage();
  const { email } = await newUser(viewer);
  await project.sql`insert into project_members (project_id, user_id, role)
    select ${project.projectId}, id, 'viewer' from users where email = ${email}`;
  for (const path of [project.at('alerts'), here]) {
    await gotoReady(viewer, path);
    await expect(viewer.getByText(`127.0.0.1:${receiver.port}`).first()).toBeVisible();
    expect(await viewer.content()).not.toContain(`${receiver.port}/hooks`);
    await expect(viewer.getByRole('main').getByRole('button')).toHaveCount(0);
  }
  await viewer.context().close();

  // A disabled destination offers no test, and can be enabled.
  await page.getByRole('button', { name: 'Disable' }).click();
  await expect(page.getByText('No alert is sent here')).toBeVisible();
  await expect(page.getByLabel('Notifications')).toContainText('Disabled');
  await expect(page.getByRole('button', { name: 'Send a test' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Enable' }).click();
  await expect(page.getByRole('button', { name: 'Send a test' })).toBeVisible();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete destination' }).click();
  await page.waitForURL(`**${project.at('alerts')}`);
  await expect(page.getByText('No destinations yet')).toBeVisible();

  // Everything is audited, and no secret is anywhere.
  await gotoReady(page, project.at('audit'));
  for (const words of ['added alerts to', 'sent a test to', 'rotated the signing secret of']) {
    await expect(page.getByText(words).first()).toBeVisible();
  }
  const audit = JSON.stringify(await project.sql`select to_jsonb(a) from audit_log a`);
  for (const key of [secret, next]) {
    const digits = key.slice('whsec_'.length);
    const hex = Buffer.from(digits, 'base64').toString('hex');
    for (const text of [audit, consoleLog(), await page.content()]) {
      expect(text).not.toContain(digits);
      expect(text).not.toContain(hex);
    }
  }
  expect(audit).not.toContain(`${receiver.port}/hooks`);
});

test('a mail address confirms, unsubscribes with a button or one click, and opening a link changes nothing', async ({
  browser,
  request,
}) => {
  const { projectId, sql } = project;
  const [destination] = await sql`
    insert into alert_destinations (project_id, kind, address, description, event_types)
    values (${projectId}, 'mail', 'ops@example.com', '', '{api_key.revoked}') returning id`;
  const token = await addAlertMail(projectId);
  const answer = async () => {
    const [row] = await sql`select answer from alert_consents where project_id = ${projectId}`;
    return row?.answer ?? null;
  };
  const owner = await project.open(`alerts/${destination?.id}`);
  await expect(owner.getByRole('main').getByText('Not confirmed').first()).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Send a test' })).toHaveCount(0);
  await expectAccessible(owner);

  // Mail is off, so no mail could ask another address.
  await owner.getByLabel('E-mail address').fill('other@example.com');
  await owner.getByRole('button', { name: 'Save destination' }).click();
  await expect(owner.getByText('Mail is off. Ask your administrator')).toBeVisible();

  // Someone without a session, as the recipient is.
  const opened = await request.get(`/api/alert-mail/${token}`, { maxRedirects: 0 });
  expect(opened.status()).toBe(303);
  expect(new URL(opened.headers().location ?? '').hash).toBe(`#${token}`);
  const page = await (await browser.newContext()).newPage();
  await page.goto(`/alert-mail#${token}`);
  await expect(page.getByText('ops@example.com')).toBeVisible();
  await expectAccessible(page);
  expect(page.url()).not.toContain(token);
  expect(await answer()).toBeNull();
  await page.getByRole('button', { name: 'Send me these alerts' }).click();
  await expect(page.getByText('Confirmed.')).toBeVisible();
  expect(await answer()).toBe('confirmed');
  await owner.reload();
  await expect(owner.getByRole('button', { name: 'Send a test' })).toBeVisible();
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await expect(page.getByText('Unsubscribed.')).toBeVisible();
  expect(await answer()).toBe('unsubscribed');
  await page.getByRole('button', { name: 'Send me these alerts' }).click();
  await expect(page.getByText('Confirmed.')).toBeVisible();
  await page.context().close();

  // As a mail program does: no session, no origin.
  const clicked = await request.post(`/api/alert-mail/${token}`, {
    form: { 'List-Unsubscribe': 'One-Click' },
  });
  expect([clicked.status(), await clicked.text()]).toEqual([200, 'Unsubscribed.\n']);
  expect(await answer()).toBe('unsubscribed');
  const unknown = await request.post('/api/alert-mail/ceiba_mail_none');
  expect(unknown.status()).toBe(404);
  await owner.reload();
  await expect(owner.getByRole('main').getByText('Unsubscribed').first()).toBeVisible();
  expect(consoleLog()).not.toContain(token);
});
