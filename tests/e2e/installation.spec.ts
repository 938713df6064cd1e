import { expect, test } from '@playwright/test';
import postgres from 'postgres';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startConsole } from './console-process.ts';
import { startFreezableProxy } from './freezable-proxy.ts';
import { newAccount } from './support.ts';

let database: TestDatabase;

test.beforeEach(async () => {
  database = await createTestDatabase();
});
test.afterEach(async () => {
  await database.drop();
});

test('on an empty installation the first person becomes administrator, and sign-up closes', async ({
  page,
}) => {
  const app = await startConsole({ DATABASE_URL: database.url, SIGN_UP: 'first-user' });
  try {
    const first = newAccount();
    const waiting = await page.context().newPage();
    await waiting.goto(`${app.url}/sign-up`);
    await page.goto(`${app.url}/sign-up`);
    await page.getByLabel('E-mail').fill(first.email);
    await page.getByLabel('Password', { exact: true }).fill(first.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL(`${app.url}/projects`);
    await page.goto(`${app.url}/account`);
    await expect(page.getByText('Administrator', { exact: true })).toBeVisible();

    const second = newAccount();
    await waiting.getByLabel('E-mail').fill(second.email);
    await waiting.getByLabel('Password', { exact: true }).fill(second.password);
    await waiting.getByRole('button', { name: 'Create account' }).click();
    await expect(waiting.getByText('Sign-up is closed here').first()).toBeVisible();
    await page.context().clearCookies();
    await page.goto(`${app.url}/sign-up`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign-up is closed here');
  } finally {
    await app.stop();
  }
});

test('an address that a client writes itself is not believed by the limit', async ({
  playwright,
}) => {
  const app = await startConsole({ DATABASE_URL: database.url });
  const request = await playwright.request.newContext({ baseURL: app.url });
  const sql = postgres(database.url, { max: 1 });
  try {
    const { csrfToken } = await (await request.get('/api/auth/csrf')).json();
    for (const last of [1, 2, 3]) {
      await request.post('/api/auth/callback/credentials', {
        headers: {
          origin: app.url,
          forwarded: `for=192.0.2.${last}`,
          'x-forwarded-for': `198.51.100.${last}`,
          'x-real-ip': `192.0.2.${last}`,
          'x-ceiba-peer-address': `203.0.113.${last}`,
        },
        form: { csrfToken, json: 'true', email: `${last}@example.com`, password: 'wrong' },
      });
    }
    const counted = await sql`select subject, count from sign_in_attempts where scope = 'address'`;
    expect([...counted]).toEqual([{ subject: '127.0.0.1', count: 3 }]);
  } finally {
    await sql.end();
    await request.dispose();
    await app.stop();
  }
});

test('a frozen database is named within a second, pages say so, and all recovers by itself', async ({
  page,
  request,
}) => {
  const proxy = await startFreezableProxy(database.url);
  const app = await startConsole({ DATABASE_URL: proxy.url, SIGN_UP: 'open' });
  try {
    const account = newAccount();
    await page.goto(`${app.url}/sign-up`);
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL(`${app.url}/projects`);
    await page.goto(`${app.url}/projects/new`);
    await page.getByLabel('Name').fill('Kept');
    expect((await request.get(`${app.url}/api/ready`)).status()).toBe(200);

    proxy.freeze();
    for (let round = 0; round < 3; round += 1) {
      const startedAt = performance.now();
      const ready = await request.get(`${app.url}/api/ready`);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
      expect(ready.status()).toBe(503);
      expect(await ready.json()).toEqual({ ok: false, checks: { database: 'unavailable' } });
    }
    expect((await request.get(`${app.url}/api/version`)).status()).toBe(200);

    await page.getByRole('button', { name: 'Create project' }).click();
    await expect(page.getByText('The database is not answering.')).toBeVisible({ timeout: 15_000 });
    await expect(page.getByLabel('Name')).toHaveValue('Kept');

    const status = await page.context().newPage();
    await status.goto(`${app.url}/status`);
    await expect(status.getByRole('heading', { level: 1 })).toContainText('the database');
    await status.goto(`${app.url}/projects`);
    await expect(status.getByRole('heading', { level: 1 })).toHaveText(
      'The database is not answering',
    );

    proxy.thaw();
    await expect
      .poll(async () => (await request.get(`${app.url}/api/ready`)).status(), { timeout: 5_000 })
      .toBe(200);
    await page.getByRole('button', { name: 'Create project' }).click();
    await expect(page.getByText('Kept is created')).toBeVisible();
    await status.getByRole('button', { name: 'Try again' }).click();
    await expect(status.getByRole('heading', { level: 1 })).toHaveText('Projects');
  } finally {
    await app.stop();
    await proxy.stop();
  }
});
