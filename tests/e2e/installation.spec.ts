import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashPassword } from '@ceiba/domain/password';
import { expect, test } from '@playwright/test';
import postgres from 'postgres';
import { z } from 'zod';
import { startTestNetwork } from '../chaos/support/proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startConsole } from './console-process.ts';
import { expectAccessible } from './expect-accessible.ts';
import { gotoReady, newAccount, setupToken, signUpFirst, submitSignUp } from './support.ts';

let database: TestDatabase;

test.beforeEach(async () => {
  database = await createTestDatabase();
});
test.afterEach(async () => {
  await database.drop();
});

const NOT_THE_TOKEN = 'Enter the setup token that "ceiba setup-token" printed last. It works once.';

test('the first account takes the setup token and is the administrator, and sign-up closes', async ({
  page,
}) => {
  test.slow();
  const app = await startConsole({ DATABASE_URL: database.url, SIGN_UP: 'first-user' });
  try {
    await expect.poll(app.log).toContain('print a setup token with \\"ceiba setup-token\\"');
    const waiting = await page.context().newPage();
    await waiting.goto(`${app.url}/sign-up`);
    await expect(waiting.getByRole('main')).toContainText('ceiba setup-token');
    await expectAccessible(waiting);
    await signUpFirst(page, { url: app.url, databaseUrl: database.url });
    await page.goto(`${app.url}/account`);
    await expect(page.getByText('Administrator', { exact: true })).toBeVisible();

    await waiting.getByLabel('Setup token').fill('anything');
    await submitSignUp(waiting, newAccount());
    await expect(waiting.getByText('Sign-up is closed').first()).toBeVisible();
    await page.context().clearCookies();
    await page.goto(`${app.url}/sign-up`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign-up is closed');
  } finally {
    await app.stop();
  }
});

test('no stranger creates the first account, even where sign-up is open', async ({ page }) => {
  test.slow();
  const app = await startConsole({ DATABASE_URL: database.url, SIGN_UP: 'open' });
  const sql = postgres(database.url, { max: 1 });
  try {
    const replaced = await setupToken(database.url);
    const token = await setupToken(database.url);
    await page.goto(`${app.url}/sign-up`);
    const account = newAccount();
    const attempts = async () =>
      (await sql`select count from sign_in_attempts where scope = 'address'`)[0]?.count;
    for (const [index, wrong] of ['', 'wrong', replaced].entries()) {
      await page.getByLabel('Setup token').fill(wrong);
      await submitSignUp(page, account);
      await expect.poll(attempts).toBe(index + 1);
      await expect(page.getByText(NOT_THE_TOKEN)).toBeVisible();
    }
    expect([...(await sql`select email from users`)]).toEqual([]);

    await page.getByLabel('Setup token').fill(` ${token} `);
    await submitSignUp(page, account);
    await page.waitForURL(`${app.url}/projects`);
    await page.context().clearCookies();
    await page.goto(`${app.url}/sign-up`);
    await expect(page.getByLabel('Setup token')).toHaveCount(0);
    await submitSignUp(page, newAccount());
    await page.waitForURL(`${app.url}/projects`);
    await page.goto(`${app.url}/account`);
    await expect(page.getByText('Administrator', { exact: true })).toHaveCount(0);
    expect(app.log()).not.toContain(token);
  } finally {
    await sql.end();
    await app.stop();
  }
});

test('where sign-up is closed, the sign-up page names the command for the first account', async ({
  page,
}) => {
  const app = await startConsole({ DATABASE_URL: database.url, SIGN_UP: 'closed' });
  try {
    await expect.poll(app.log).toContain('SIGN_UP is closed');
    await page.goto(`${app.url}/sign-up`);
    await expect(page.getByRole('main')).toContainText('ceiba owner create --email');
    await expect(page.getByLabel('Setup token')).toHaveCount(0);
  } finally {
    await app.stop();
  }
});

test('two installations on one host do not sign each other out', async ({ page }) => {
  test.slow();
  const other = await createTestDatabase();
  const apps = await Promise.all(
    [database, other].map(async ({ url: databaseUrl }) => ({
      databaseUrl,
      ...(await startConsole({ DATABASE_URL: databaseUrl })),
    })),
  );
  try {
    for (const app of apps) await signUpFirst(page, app);
    for (const { url } of apps) {
      await page.goto(`${url}/projects`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Projects');
    }
    const names = (await page.context().cookies()).map(({ name }) => name);
    expect(names.filter((name) => /^ceiba\.[0-9a-f]{8}\.session-token$/.test(name))).toHaveLength(
      2,
    );
    expect(names.filter((name) => name.includes('next-auth'))).toEqual([]);
  } finally {
    await Promise.all(apps.map((app) => app.stop()));
    await other.drop();
  }
});

test('the sign-in limit ignores IP addresses that the client forges', async ({ playwright }) => {
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
    // A proxy that the settings do not name looks like this too.
    const warnings = () => app.log().match(/but TRUSTED_PROXY_HOPS is 0/g) ?? [];
    await expect.poll(() => warnings().length).toBe(1);
  } finally {
    await sql.end();
    await request.dispose();
    await app.stop();
  }
});

test('a form from the configured address works behind a proxy that rewrites the host', async ({
  page,
}) => {
  const proxy = await startRewritingProxy();
  const app = await startConsole({
    DATABASE_URL: database.url,
    NEXTAUTH_URL: proxy.url,
    SIGN_UP: 'open',
  });
  proxy.passTo(app.url);
  try {
    await signUpFirst(page, { url: proxy.url, databaseUrl: database.url });
    const foreign = await fetch(`${proxy.url}/sign-up`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
      body: new URLSearchParams(),
    });
    expect(foreign.status).toBe(403);
    expect(app.log()).not.toContain('Invalid Server Actions request');
  } finally {
    await app.stop();
    await proxy.stop();
  }
});

test('behind HTTPS every cookie of sign-in is Secure and of this host alone, and replicas agree on its name', async () => {
  const origin = 'https://ceiba.example';
  const settings = { DATABASE_URL: database.url, NEXTAUTH_URL: origin };
  const [app, replica] = await Promise.all([startConsole(settings), startConsole(settings)]);
  const sql = postgres(database.url, { max: 1 });
  try {
    const password = 'a passphrase of some length';
    await sql`insert into users (email, password_hash)
      values ('owner@example.com', ${await hashPassword(password)})`;
    const csrf = await fetch(`${app.url}/api/auth/csrf`);
    const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await csrf.json());
    const cookie = csrf.headers.getSetCookie().map((line) => line.split(';')[0]);
    const answer = await fetch(`${app.url}/api/auth/callback/credentials`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin, cookie: cookie.join('; ') },
      body: new URLSearchParams({ csrfToken, json: 'true', email: 'owner@example.com', password }),
    });
    const set = [...csrf.headers.getSetCookie(), ...answer.headers.getSetCookie()];
    for (const line of set) {
      expect(line).toMatch(/^__Host-ceiba\.[0-9a-f]{8}\.(session-token|csrf-token|callback-url)=/);
      expect(line).toMatch(/; Path=\/;/);
      expect(line).toMatch(/; Secure/);
      expect(line).toMatch(/; HttpOnly/);
      expect(line).toMatch(/; SameSite=Lax/);
      expect(line).not.toMatch(/Domain/i);
    }
    const session = set.find((line) => line.includes('.session-token='))?.split(';')[0] ?? '';
    for (const { url } of [app, replica]) {
      const headers = { cookie: session };
      const page = await fetch(`${url}/projects`, { redirect: 'manual', headers });
      expect(page.status).toBe(200);
    }
  } finally {
    await sql.end();
    await app.stop();
    await replica.stop();
  }
});

test('a frozen database is reported within a second, on every page, until it recovers', async ({
  page,
  request,
}) => {
  const network = await startTestNetwork(database.url);
  const app = await startConsole({ DATABASE_URL: network.url, SIGN_UP: 'open' });
  try {
    await signUpFirst(page, { url: app.url, databaseUrl: database.url });
    await gotoReady(page, `${app.url}/projects/new`);
    await page.getByLabel('Name').fill('Kept');
    expect((await request.get(`${app.url}/api/ready`)).status()).toBe(200);

    network.darken();
    for (let round = 0; round < 3; round += 1) {
      const startedAt = performance.now();
      const ready = await request.get(`${app.url}/api/ready`);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
      expect(ready.status()).toBe(503);
      expect(await ready.json()).toEqual({ ok: false, checks: { database: 'unavailable' } });
    }
    expect((await request.get(`${app.url}/api/version`)).status()).toBe(200);

    await page.getByRole('button', { name: 'Create project' }).click();
    await expect(page.getByText('The database is not answering.')).toBeVisible();
    await expect(page.getByLabel('Name')).toHaveValue('Kept');

    const status = await page.context().newPage();
    await status.goto(`${app.url}/status`);
    await expect(status.getByRole('heading', { level: 1 })).toContainText(/the database/i);
    await status.goto(`${app.url}/projects`);
    await expect(status.getByRole('heading', { level: 1 })).toHaveText(
      'The database is not answering',
    );

    network.heal();
    await expect
      .poll(async () => (await request.get(`${app.url}/api/ready`)).status(), { timeout: 5_000 })
      .toBe(200);
    await page.getByRole('button', { name: 'Create project' }).click();
    await expect(page.getByText('Kept is created')).toBeVisible();
    await status.getByRole('button', { name: 'Try again' }).click();
    await expect(status.getByRole('heading', { level: 1 })).toHaveText('Projects');
  } finally {
    await app.stop();
    await network.close();
  }
});

/** A reverse proxy that sends its upstream as `Host`, as nginx does by default. */
async function startRewritingProxy() {
  let upstream = '';
  const server = http.createServer((request, response) => {
    const { method, url = '/' } = request;
    const headers = { ...request.headers, host: new URL(upstream).host };
    const passed = http.request(new URL(url, upstream), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    passTo: (address: string) => {
      // The console listens on IPv4 alone.
      upstream = address.replace('localhost', '127.0.0.1');
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
