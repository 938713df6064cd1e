import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { changePlan, gotoReady } from './support.ts';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'Reports');
});
test.afterAll(() => project?.close());

test('a change shows its actor, its IP address and the values before and after', async () => {
  const page = await project.open('subscription');
  await changePlan(page, 'Pro');
  await gotoReady(page, project.at('audit'));
  const line = page
    .getByRole('listitem')
    .filter({ hasText: 'changed the subscription of Reports' });
  await expect(line).toContainText(/person-\w+@example\.com/);
  await expect(line).toContainText(/from [\d.:a-f]+/);
  await line.locator('summary').click();
  await expect(line.getByRole('deletion')).toHaveText('Free');
  await expect(line.getByRole('insertion')).toHaveText('Pro');
  await expectAccessible(page);
  await line.getByRole('link', { name: 'Open subscription' }).click();
  await page.waitForURL(`**${project.at('subscription')}`);
});

test('the filter is in the URL and applies to the CSV file too', async () => {
  await project.sql`insert into audit_log
    (owner_id, project_id, actor_kind, actor_label, action, target_kind, target_id, target_label)
    select owner_id, id, 'cli', 'ceiba CLI', 'policy.create', 'policy', 'p1', '=1+1'
    from projects where id = ${project.projectId}`;
  const page = await project.open('audit');
  await expect(page.getByRole('listitem').filter({ hasText: 'created project' })).toBeVisible();
  await page.getByLabel('Type').selectOption('Policies');
  await expect(page).toHaveURL(/kind=policy/);
  const lines = page.getByRole('main').getByRole('listitem');
  await expect(lines).toHaveCount(1);
  await expect(lines).toContainText('ceiba CLI added policy =1+1');
  await gotoReady(page, page.url());
  await expect(lines).toHaveCount(1);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  expect(text.trimEnd().split('\r\n')).toHaveLength(2);
  expect(text).toContain(`"policy","p1","'=1+1"`);
  await page.getByLabel('User, item or IP address').fill('no such user');
  await page.keyboard.press('Enter');
  await expect(page.getByText('No changes match this filter.')).toBeVisible();
});

test('changes of members and alerts can be filtered, and link to their page', async () => {
  await project.sql`insert into audit_log
    (owner_id, project_id, actor_kind, actor_label, action, target_kind, target_id, target_label)
    select owner_id, id, 'cli', 'ceiba CLI', action, split_part(action, '.', 1),
      gen_random_uuid()::text, 'for a test'
    from projects, unnest(array['member.set_role', 'invitation.create', 'alert_destination.delete'])
      action
    where id = ${project.projectId}`;
  const page = await project.open('audit');
  for (const address of [project.at('audit'), '/audit']) {
    for (const type of ['Members', 'Invitations', 'Alerts']) {
      await gotoReady(page, address);
      await page.getByLabel('Type').selectOption(type);
      await expect(page).toHaveURL(/kind=/);
      await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1);
    }
    await expect(
      page.getByLabel('Type').getByRole('option', { name: 'Plans', exact: true }),
    ).toHaveCount(0);
  }
  await gotoReady(page, project.at('audit?kind=member'));
  await page.getByRole('main').getByRole('listitem').locator('summary').click();
  await page.getByRole('link', { name: 'Open members' }).click();
  await page.waitForURL(`**${project.at('members')}`);
});

test('older rows are on the next page, and the account’s log has all projects', async () => {
  await project.sql`insert into audit_log
    (at, owner_id, project_id, actor_kind, actor_label, action, target_kind, target_id, target_label)
    select now() - n * interval '1 hour', owner_id, id, 'project_secret', 'project secret',
      'api_key.create', 'api_key', n::text, 'Key ' || n
    from projects, generate_series(1, 60) n where id = ${project.projectId}`;
  const page = await project.open('audit?kind=api_key');
  const lines = page.getByRole('main').getByRole('listitem');
  await expect(lines).toHaveCount(50);
  await page.getByRole('link', { name: 'Older' }).click();
  await expect(lines).toHaveCount(10);
  await expect(page).toHaveURL(/kind=api_key/);
  await page.getByRole('link', { name: 'Newer' }).click();
  await expect(lines).toHaveCount(50);
  await page.goto('/audit?q=Key 60');
  await expect(lines).toHaveCount(1);
  await expect(lines).toContainText('created key Key 60 in Reports');
});

test('changes are listed by day, in the time zone of the browser', async ({ browser, baseURL }) => {
  await project.sql`insert into audit_log
    (at, owner_id, project_id, actor_kind, actor_label, action, target_kind, target_id, target_label)
    select at, owner_id, id, 'cli', 'ceiba CLI', 'policy.create', 'policy', 'p1', 'Day test'
    from projects, unnest(array[timestamptz '2026-03-02 23:30Z', '2026-03-02 14:30Z']) at
    where id = ${project.projectId}`;
  const asked = project.at('audit?kind=policy&q=Day test&to=2026-03-03T23:59Z');
  const signedIn = await project.open('audit');
  const timesBy = async (timezoneId: string) => {
    const context = await browser.newContext({ ...(baseURL && { baseURL }), timezoneId });
    await context.addCookies(await signedIn.context().cookies());
    const page = await context.newPage();
    await gotoReady(page, asked);
    await expect(page.getByText(`Times are in ${timezoneId}.`)).toBeVisible();
    const days = page.getByRole('region', { name: /2026$/ });
    const shown = await days.evaluateAll((regions) =>
      regions.map((region) => [
        // Versions of ICU differ in the comma.
        region.querySelector('h2')?.textContent?.replace(',', ''),
        ...[...region.querySelectorAll('summary time')].map((time) => time.textContent),
      ]),
    );
    await expectAccessible(page);
    await context.close();
    return shown;
  };
  expect(await timesBy('UTC')).toEqual([['Monday 2 March 2026', '23:30', '14:30']]);
  expect(await timesBy('Asia/Tokyo')).toEqual([
    ['Tuesday 3 March 2026', '08:30'],
    ['Monday 2 March 2026', '23:30'],
  ]);
});

test('a key in the search does not reach the URL, and a search keeps the days of the filter', async () => {
  const page = await project.open('audit');
  for (const address of [project.at('audit'), '/audit']) {
    await gotoReady(page, address);
    const search = page.getByLabel('User, item or IP address');
    await search.fill(`ceiba_${'A'.repeat(49)}`);
    await expect(search).toHaveValue(`ceiba_${'A'.repeat(8)}`);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/q=ceiba_A{8}$/);
    await expect(page.getByText('No changes match this filter.')).toBeVisible();
  }
  await expect(page.getByText('A text search covers one year')).toBeVisible();
  await expect(page.getByLabel('From, UTC')).toHaveValue('');
  await page.getByLabel('User, item or IP address').fill('');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listitem').filter({ hasText: 'created project' })).toBeVisible();
  await expect(page).not.toHaveURL(/from=/);
});
