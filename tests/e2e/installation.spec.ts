import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashPassword } from '@ceiba/domain/password';
import { expect, test } from '@playwright/test';
import postgres from 'postgres';
import { z } from 'zod';
import { reportsCpuTime } from '../../bench/src/processes.mjs';
import { startTestNetwork } from '../chaos/support/proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startConsole } from './console-process.ts';
import { gotoReady, newAccount } from './support.ts';

let database: TestDatabase;

test.beforeEach(async () => {
  database = await createTestDatabase();
});
test.afterEach(async () => {
  await database.drop();
});

test('the first user of an installation becomes administrator, and sign-up closes', async ({
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
    await expect(waiting.getByText('Sign-up is closed').first()).toBeVisible();
    await page.context().clearCookies();
    await page.goto(`${app.url}/sign-up`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign-up is closed');
  } finally {
    await app.stop();
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
    const { email, password } = newAccount();
    await page.goto(`${proxy.url}/sign-up`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL(`${proxy.url}/projects`);
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

test('refusing an unknown e-mail address costs as much as refusing a known one', async ({
  playwright,
}) => {
  test.skip(!reportsCpuTime(), 'needs the CPU times of Linux');
  const app = await startConsole({ DATABASE_URL: database.url, SIGN_UP: 'open' });
  const request = await playwright.request.newContext({ baseURL: app.url });
  const sql = postgres(database.url, { max: 1 });
  try {
    const passwordHash = await hashPassword('a passphrase of some length');
    // Many accounts, since each may fail only ten times from one network.
    await sql`insert into users (email, password_hash)
      select 'known' || n || '@example.com', ${passwordHash} from generate_series(0, 99) as n`;
    const { csrfToken } = await (await request.get('/api/auth/csrf')).json();
    const refuse = async (who: string) => {
      const answer = await request.post('/api/auth/callback/credentials', {
        headers: { origin: app.url },
        form: { csrfToken, json: 'true', email: `${who}@example.com`, password: 'wrong' },
      });
      expect((await answer.json()).url).toContain('error=CredentialsSignin');
    };
    const cost = { known: 0, unknown: 0 };
    for (let round = 0; round < 100; round += 1) {
      for (const who of ['known', 'unknown'] as const) {
        const before = app.cpuMs();
        await refuse(`${who}${round}`);
        // The first requests are also compiled.
        if (round >= 40) cost[who] += app.cpuMs() - before;
      }
    }
    // Without hashing for unknown addresses the ratio is below 0.5: the rest is the request itself.
    expect(cost.unknown / cost.known).toBeGreaterThan(0.65);
    expect(cost.unknown / cost.known).toBeLessThan(1.5);
  } finally {
    await sql.end();
    await request.dispose();
    await app.stop();
  }
});

test('the session cookie is Secure behind HTTPS', async () => {
  const origin = 'https://ceiba.example';
  const app = await startConsole({ DATABASE_URL: database.url, NEXTAUTH_URL: origin });
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
    const session = answer.headers
      .getSetCookie()
      .find((line) => line.startsWith('__Secure-next-auth.session-token='));
    expect(session).toMatch(/; Secure/);
    expect(session).toMatch(/; HttpOnly/);
    expect(session).toMatch(/; SameSite=Lax/);
    const page = await fetch(`${app.url}/projects`, {
      redirect: 'manual',
      headers: { cookie: session?.split(';')[0] ?? '' },
    });
    expect(page.status).toBe(200);
  } finally {
    await sql.end();
    await app.stop();
  }
});

test('a frozen database is reported within a second, on every page, until it recovers', async ({
  page,
  request,
}) => {
  const network = await startTestNetwork(database.url);
  const app = await startConsole({ DATABASE_URL: network.url, SIGN_UP: 'open' });
  try {
    const account = newAccount();
    await page.goto(`${app.url}/sign-up`);
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL(`${app.url}/projects`);
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
