import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { mintInvitation, mintPasswordReset } from '@ceiba/domain';
import { expect, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { consoleLog } from './own-project.ts';
import { gotoReady, newUser } from './support.ts';

test('the landing page says what Ceiba is and shows five lines of host code', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Access control for the API you already run',
  );
  const code = await page.locator('pre code').innerText();
  expect(code.trim().split('\n')).toHaveLength(5);
});

test('the public pages lead a signed-in user to the console', async ({ page }) => {
  await newUser(page);
  for (const path of ['/', '/status', '/docs', '/nowhere']) {
    await page.goto(path);
    const site = page.getByRole('navigation', { name: 'Site' });
    await expect(site.getByRole('link', { name: 'Open the console' })).toBeVisible();
    await expect(page.getByRole('link', { name: /Sign in|Create an account/ })).toHaveCount(0);
  }
});

test('the guides are found by their words, and their code is copied', async ({ page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/docs');
  await page.locator('html[data-shortcuts]').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('retry after pasted ceiba_4fJx09QaSecretSecretSecret');
  await page.keyboard.press('Enter');
  await page.waitForURL(/[?]q=/);
  expect(page.url()).not.toContain('Secret');
  await page.getByRole('searchbox').fill('cancellation');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Deadlines and cancellation' }).first().click();
  await page.waitForURL('**/docs/sdk-in-production#deadlines-and-cancellation');
  await page
    .getByRole('button', { name: /^Copy code/ })
    .first()
    .click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('@ceiba/sdk');
});

test('the index of a guide marks the part that is being read', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/docs/monitoring');
  const index = page.getByRole('navigation', { name: 'On this page' });
  const marked = () =>
    index
      .getByRole('link')
      .evaluateAll((links) =>
        links.filter((link) => link.ariaCurrent === 'location').map((link) => link.textContent),
      );
  await expect.poll(marked).toEqual(['Health and log']);
  await page.getByRole('heading', { level: 2, name: 'The alerts' }).evaluate((heading) => {
    heading.scrollIntoView();
  });
  await expect.poll(marked).toEqual(['The alerts']);
});

test('a button says in place that the browser refused to copy', async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    document.execCommand = () => false;
  });
  await gotoReady(page, '/docs/sdk');
  await page
    .getByRole('button', { name: /^Copy code/ })
    .first()
    .click();
  await expect(page.getByRole('button', { name: 'Select and copy it yourself' })).toBeVisible();
});

test('the API reference leads from an operation to its schemas, and loads nothing from elsewhere', async ({
  page,
}) => {
  const origins = new Set<string>();
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto('/docs');
  const main = page.getByRole('main');
  await main.getByRole('link', { name: 'API reference' }).click();
  await page.waitForURL('**/docs/reference');
  const index = page.getByRole('navigation', { name: 'On this page' });
  await index.getByRole('link', { name: 'Ask whether one request may proceed' }).click();
  await expect(main.getByText(/^POST .*[/]authorize$/)).toBeInViewport();
  await main.getByRole('link', { name: 'Decision', exact: true }).first().click();
  await expect(main.getByRole('heading', { name: 'Decision', exact: true })).toBeInViewport();
  expect([...origins]).toEqual([new URL(page.url()).origin]);
});

test('the server renders the chosen theme on the next visit', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  // Nothing on this page shows when its scripts run, and an earlier click has no effect.
  await expect(async () => {
    await page.getByRole('button', { name: 'Dark' }).first().click();
    await expect(page.locator('html[data-theme=dark]')).toBeAttached({ timeout: 500 });
  }).toPass();
  const html = await (await page.request.get('/')).text();
  expect(html).toContain('data-theme="dark"');
});

test('every page runs its scripts under a policy that allows no inline script', async ({
  page,
}) => {
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) violations.push(message.text());
  });
  for (const path of ['/', '/status', '/docs/sdk', '/docs/reference', '/sign-in', '/sign-up']) {
    const response = await page.goto(path);
    const policy = response?.headers()['content-security-policy'] ?? '';
    const scripts = policy.split(';').find((part) => part.trim().startsWith('script-src')) ?? '';
    expect(scripts).toMatch(/'nonce-[A-Za-z0-9+/=]{20,}'/);
    expect(scripts).not.toContain('unsafe-inline');
    expect(policy).toContain("frame-ancestors 'none'");
  }
  expect(violations).toEqual([]);
});

test('the version endpoint returns the sha of the build and nothing else', async ({ request }) => {
  const response = await request.get('/api/version');
  expect(response.status()).toBe(200);
  const body = await response.json();
  expect(Object.keys(body)).toEqual(['sha']);
  expect(body.sha).toMatch(/^([0-9a-f]{40}|unknown)$/);
});

for (const file of ['/ceiba-sdk.tgz', '/ceiba-cli.tgz']) {
  test(`${file} is served to npm, and each use asks whether it has changed`, async ({
    request,
  }) => {
    const first = await request.get(file);
    expect(first.status()).toBe(200);
    expect([...(await first.body()).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    const { etag = '', ...headers } = first.headers();
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-encoding']).toBeUndefined();
    const second = await request.get(file, { headers: { 'if-none-match': etag } });
    expect(second.status()).toBe(304);
  });
}

test('the readiness endpoint returns the state of the database and nothing else', async ({
  request,
}) => {
  const response = await request.get('/api/ready');
  expect(response.status()).toBe(200);
  expect(await response.json()).toEqual({ ok: true, checks: { database: 'ok' } });
});

test('a body of unknown length is counted as it arrives, at every entrance', async ({
  baseURL,
}) => {
  const entrances = ['/sign-up', '/api/auth/callback/credentials', '/api/ready', '/no-such-page'];
  for (const path of entrances) {
    const headers = { origin: baseURL ?? '', 'next-action': '0'.repeat(42) };
    const sent = send(new URL(path, baseURL), { method: 'POST', headers });
    const answered = once(sent, 'response');
    for (let n = 0; n < 30; n += 1) sent.write('a'.repeat(100_000));
    sent.end();
    const [response] = await answered;
    expect(response.statusCode, path).toBe(413);
    expect(await text(response)).toBe('A form may have at most 1 MB.\n');
  }
});

test('the status page shows each service and is not cached', async ({ page }) => {
  const response = await page.goto('/status');
  expect(response?.headers()['cache-control']).toContain('no-store');
  await expect(page.getByRole('heading', { level: 2, name: 'Console' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: 'Runtime' })).toBeVisible();
});

test('a link that the console cannot read now is kept, tried again, and dropped once it is refused', async ({
  page,
}) => {
  for (const [path, { plaintext }, incomplete] of [
    ['/join', mintInvitation(randomBytes), 'Open the whole link of your invitation'],
    ['/reset-password', mintPasswordReset(randomBytes), 'Open the whole link again.'],
  ] as const) {
    const tryAgain = page.getByRole('button', { name: 'Try again' });
    const isUsed = page.getByText(/This (invitation was accepted|link was used)/);
    const shown = async () => `${page.url()} ${await page.content()}`;
    for (const code of ['rate_limited', 'internal', 'no answer']) {
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        if (code === 'no answer') return route.abort();
        const response = await route.fetch();
        const body = await response.text();
        return route.fulfill({ response, body: body.replace('"not_found"', `"${code}"`) });
      });
      await page.goto('/status');
      await page.goto(`${path}#${plaintext}`);
      await expect(page.getByText('The console cannot read this link right now.')).toBeVisible();
      await tryAgain.click();
      await expect(tryAgain).not.toHaveAttribute('aria-disabled');
      await expectAccessible(page);
      expect(await shown()).not.toContain(plaintext);
      await page.unrouteAll({ behavior: 'wait' });
      if (path === '/join') await page.reload();
      else await tryAgain.click();
      await expect(isUsed).toBeVisible();
      await expect(tryAgain).toHaveCount(0);
      expect(await shown()).not.toContain(plaintext);
      await page.reload();
      await expect(page.getByText(incomplete)).toBeVisible();
    }
    expect(consoleLog()).not.toContain(plaintext);
  }
});
