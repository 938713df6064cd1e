import { digestOf } from '@ceiba/domain';
import { expect, type Page, test } from '@playwright/test';
import postgres from 'postgres';
import { expectAccessible } from './expect-accessible.ts';
import { createProject, gotoReady, newUser } from './support.ts';

let sql: postgres.Sql;
test.beforeAll(() => {
  if (!process.env.DATABASE_URL) throw new Error('needs the DATABASE_URL of a stack');
  sql = postgres(process.env.DATABASE_URL, { max: 1 });
});
test.afterAll(() => sql.end());

const list = (page: Page) => page.getByRole('list', { name: 'Access tokens' });

async function openForm(page: Page) {
  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Create access token…' }).click();
  return page.getByRole('dialog');
}

test('an access token is created with the password, shown once, listed with its scope, and revoked', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const { password } = await newUser(page);
  const { projectId } = await createProject(page, 'Tokens of one');
  await createProject(page, 'Tokens of another');
  const dialog = await openForm(page);
  await dialog.getByLabel('Name').fill('Deploy workflow');
  await dialog.getByLabel('Access').selectOption('write');
  await dialog.getByLabel('Expires').selectOption('90');
  await dialog.getByLabel('Projects').selectOption('listed');
  await dialog.getByLabel('Your password', { exact: true }).fill('a wrong password');
  await dialog.getByRole('button', { name: 'Create access token' }).click();
  await expect(dialog.getByText('Choose at least one project.')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel('Tokens of one').check();
  await expect(dialog.getByText('Choose at least one project.')).toBeHidden();
  await dialog.getByRole('button', { name: 'Create access token' }).click();
  await expect(dialog.getByText('This is not your current password.')).toBeVisible();
  // What was chosen is kept.
  await expect(dialog.getByLabel('Tokens of one')).toBeChecked();
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Create access token' }).click();

  const shown = page.getByRole('status').filter({ hasText: 'ceiba_token_' });
  const token = (await shown.innerText()).trim();
  expect(token).toMatch(/^ceiba_token_[0-9A-Za-z]{49}$/);
  await expectAccessible(page);
  const [row] = await sql`
    select access, project_ids, round(extract(epoch from expires_at - created_at) / 86400)::int as days
    from access_tokens where token_digest = ${digestOf(token)}`;
  expect(row).toEqual({ access: 'write', project_ids: [projectId], days: 90 });
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();

  await expect(list(page)).toContainText('Deploy workflow');
  await expect(list(page)).toContainText('Read and write, Tokens of one');
  await expect(list(page)).toContainText('never used');
  await expect(list(page)).toContainText(token.slice(0, 'ceiba_token_'.length + 8));
  expect(await page.content()).not.toContain(token);
  await list(page).getByRole('button', { name: 'Revoke… Deploy workflow' }).click();
  const question = page.getByRole('alertdialog');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Revoke access token' }).click();
  await expect(page.getByText('Access token revoked')).toBeVisible();
  await expect(list(page)).toHaveCount(0);
  expect(await sql`select 1 from access_tokens where token_digest = ${digestOf(token)}`).toEqual(
    [],
  );
  await page.goto('/audit');
  await expect(page.getByText('revoked an access token of')).toBeVisible();
  await expect(page.getByText('created an access token for')).toBeVisible();
});

test('a token is for all projects where there are none, and for some of the first 300 where there are many', async ({
  page,
}) => {
  test.setTimeout(120_000);
  const { email, password } = await newUser(page);
  const empty = await openForm(page);
  await expect(empty.getByLabel('Projects').getByRole('option')).toHaveText([/^All that you have/]);
  await expectAccessible(page);
  await sql`
    insert into projects (owner_id, name, secret_digest)
    select id, 'Project ' || to_char(n, 'FM000'), sha256((email || n)::bytea)
    from users, generate_series(1, 301) n where email = ${email}`;
  const dialog = await openForm(page);
  await dialog.getByLabel('Name').fill('Of many');
  await dialog.getByLabel('Projects').selectOption('listed');
  await expect(dialog.getByText('These are the first 300 of your projects')).toBeVisible();
  const boxes = dialog.getByRole('checkbox', { name: /^Project/ });
  await expect(boxes).toHaveCount(300);
  const choose = (first: number, last: number) =>
    boxes.evaluateAll(
      (all, range) => {
        for (const box of all.slice(...range)) (box as HTMLInputElement).click();
      },
      [first, last] as const,
    );
  await choose(0, 101);
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Create access token' }).click();
  await expect(dialog.getByText('Choose at most 100 projects, or all.')).toBeVisible();
  await expectAccessible(page);
  await choose(100, 101);
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Create access token' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'ceiba_token_' })).toBeVisible();
  const [row] = await sql`
    select cardinality(project_ids) as count from access_tokens where name = 'Of many'`;
  expect(row).toEqual({ count: 100 });
});

test('a session alone runs no operation of the management API: no other site can send a token', async ({
  page,
}) => {
  await newUser(page);
  await createProject(page, 'Not by cookie');
  const origin = new URL(page.url()).origin;
  const response = await page.request.get('/api/manage/projects', { headers: { origin } });
  expect(response.status()).toBe(401);
  expect(await response.json()).toMatchObject({ error: 'unauthorized' });
});

test('an expired access token is marked until it is removed', async ({ page }) => {
  test.setTimeout(120_000);
  const { email } = await newUser(page);
  await sql`
    insert into access_tokens (user_id, name, token_prefix, token_digest, access, expires_at)
    select id, 'Old job', 'ceiba_token_oldjob00', sha256(id::text::bytea), 'read',
      now() - interval '1 day' from users where email = ${email}`;
  await gotoReady(page, '/account');
  await expect(list(page)).toContainText('Expired');
  await list(page).getByRole('button', { name: 'Remove… Old job' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove access token' }).click();
  await expect(list(page)).toHaveCount(0);
});

test('a change with a token names the token beside its user in the audit log', async ({ page }) => {
  test.setTimeout(120_000);
  const { email } = await newUser(page);
  const { projectId } = await createProject(page, 'Changed by a token');
  await sql`
    insert into audit_log (owner_id, project_id, actor_kind, actor_id, actor_label,
      actor_token_id, actor_token_name, action, target_kind, target_id, target_label)
    select id, ${projectId}, 'user', id, email, gen_random_uuid(), 'Deploy workflow',
      'policy.create', 'policy', gen_random_uuid(), 'GET /v1' from users where email = ${email}`;
  await page.goto(`/projects/${projectId}/audit`);
  await expect(
    page.getByText(`${email} with the token Deploy workflow added policy GET /v1`),
  ).toBeVisible();
  const csv = await page.request.get(`/projects/${projectId}/audit/csv`);
  expect(await csv.text()).toContain(`"${email}","Deploy workflow","policy.create"`);
});
