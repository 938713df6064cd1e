import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { accepts, freePort } from '@ceiba/devstack/ports';
import { waitFor } from '@ceiba/devstack/wait';
import { expect, type Page, test } from '@playwright/test';
import { pressShortcut, signUp } from './support.ts';

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));
const run = promisify(execFile);

test('a new user gets from sign-up to an allowed call, and to its denial after revoking the key', async ({
  page,
}) => {
  // It runs npm too.
  test.slow();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await signUp(page);

  await pressShortcut(page, 'n');
  await page.getByLabel('Name').fill('Reports');
  await page.getByRole('button', { name: 'Create project' }).click();
  const secret = (
    await page.getByRole('status').filter({ hasText: 'ceiba_secret_' }).innerText()
  ).trim();
  await page.getByRole('button', { name: 'Copy project secret', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeAttached();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(/\/projects\/[0-9a-f-]{36}$/);
  const overview = page.url();
  await expect(page.getByRole('heading', { name: /^Create the project.* ?, done$/ })).toBeVisible();

  // Each step is on the page that the one before leads to.
  const step = page.locator('[aria-current=step]');
  await expect(step).toContainText('Add policies for your routes');
  await step.getByLabel('Routes of your API').fill('/v1/reports/:id\nPOST /v1/orders');
  await expect(step).toContainText('GET /v1/reports*, POST /v1/orders');
  await step.getByRole('button', { name: 'Add policies' }).click();
  await step.getByRole('link', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('Mobile app');
  await page.getByRole('button', { name: 'Create key' }).click();
  const apiKey = (await page.getByRole('status').filter({ hasText: 'ceiba_' }).innerText()).trim();
  await page.getByRole('button', { name: 'Copy key', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeAttached();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL('**/keys');
  await page.getByRole('link', { name: 'Make the first call' }).click();
  await expect(step).toContainText('Make the first call');
  await expect(step).toContainText('Waiting for the first call.');

  await step.getByLabel('Framework').selectOption('Hono');
  await expect(step.getByRole('radio', { name: 'hono.mjs' })).toBeVisible();
  await step.getByLabel('Framework').selectOption('Express');
  await expect(step.getByRole('radio', { name: 'server.mjs' })).toBeVisible();
  const snippets = await readSnippets(page);
  const host = await startHost(snippets, secret);
  try {
    await page.goto(overview);
    expect((await fetch(`${host.url}/v1/reports`)).status).toBe(401);
    await expect(step).toContainText('its call arrived, and was denied');
    const call = (path: string, headers: Record<string, string> = { 'x-api-key': apiKey }) =>
      fetch(`${host.url}${path}`, { headers });
    // The checklist's command works with the key in its place; this host has another port.
    const command = await step.locator('pre').last().innerText();
    const filledIn = command.replace('<the key>', apiKey).replace(/localhost:\d+/, host.address);
    const { stdout } = await run('sh', ['-c', filledIn]);
    expect(JSON.parse(stdout)).toEqual({ reports: [] });
    await expect(page.getByRole('heading', { name: 'It works' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'See every check of this call' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Why calls are denied' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Your first allowed call' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'It works' })).toHaveCount(0);

    await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
    await page.getByRole('button', { name: 'Actions for Mobile app' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await expect(page.getByText('Key revoked')).toBeVisible();

    const denied = await call('/v1/reports');
    expect(denied.status).toBe(401);
    expect(await denied.json()).toMatchObject({ error: 'service_unauthorized' });
  } finally {
    await host.stop();
  }
});

/** The text of each variant, by its name. */
async function readSnippets(page: Page): Promise<Record<string, string>> {
  const snippets: Record<string, string> = {};
  const variants = page.getByRole('radiogroup').first().getByRole('radio');
  for (const variant of await variants.all()) {
    await variant.check();
    snippets[await variant.inputValue()] = await page.locator('pre').first().innerText();
  }
  return snippets;
}

/** Runs the snippets as they are, in an empty folder. Express is linked; a registry is out of reach. */
async function startHost(snippets: Record<string, string>, secret: string) {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-first-journey-'));
  const { 'ceiba.env': environment = '', Terminal: terminal = '', ...files } = snippets;
  const [, address = ''] = /^npm install (\S+\.tgz)$/m.exec(terminal) ?? [];
  const [, args = ''] = /^PORT=\d+ node (.*)$/m.exec(terminal) ?? [];
  const offline = ['--registry=http://127.0.0.1:1', '--fetch-retries=0', '--no-audit', '--no-fund'];
  await run('npm', ['install', address, ...offline], { cwd: folder });
  symlinkSync(join(packages, 'express'), join(folder, 'node_modules/express'), 'junction');
  const settings = environment.replace('<the project secret>', secret);
  writeFileSync(join(folder, 'ceiba.env'), settings);
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);

  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, args.split(' '), {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: 'inherit',
  });
  await waitFor(() => accepts(port), { timeoutMs: 15_000 });
  return {
    url: `http://127.0.0.1:${port}`,
    address: `127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
