import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@ceiba/devstack/ports';
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
  const snippets = await readSnippets(page);
  await page.getByRole('button', { name: 'Copy project secret', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeAttached();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(/\/projects\/[0-9a-f-]{36}$/);
  const overview = page.url();
  await expect(
    page.getByRole('heading', { name: /^Store the project secret ?, done$/ }),
  ).toBeVisible();
  await expect(page.locator('[aria-current=step]')).toContainText('Add a policy');

  await page.getByRole('main').getByRole('link', { name: 'Add a policy' }).click();
  await expect(page.getByLabel('Path pattern')).toHaveValue('/v1/reports*');
  await page.getByRole('button', { name: 'Add policy' }).click();
  await expect(page.getByRole('table')).toContainText('/v1/reports*');

  await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
  await page.getByRole('link', { name: 'Create the first key' }).click();
  await page.getByLabel('Name').fill('Mobile app');
  await page.getByRole('button', { name: 'Create key' }).click();
  const apiKey = (await page.getByRole('status').filter({ hasText: 'ceiba_' }).innerText()).trim();
  await page.getByRole('button', { name: 'Copy key', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeAttached();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL('**/keys');

  const host = await startHost(snippets);
  try {
    await page.goto(overview);
    await expect(page.locator('[aria-current=step]')).toContainText('Connect your API');
    expect((await fetch(`${host.url}/v1/reports`)).status).toBe(401);
    await expect(page.locator('[aria-current=step]')).toContainText('Get a call allowed');
    const call = (path: string, headers: Record<string, string> = { 'x-api-key': apiKey }) =>
      fetch(`${host.url}${path}`, { headers });
    // The checklist's command works with the key in its place; this host has another port.
    const command = await page.locator('[aria-current=step] pre').innerText();
    const filledIn = command.replace('<the key>', apiKey).replace(/localhost:\d+/, host.address);
    const { stdout } = await run('sh', ['-c', filledIn]);
    expect(JSON.parse(stdout)).toMatchObject({ calledBy: 'Mobile app' });
    await expect(page.getByRole('heading', { name: 'Why calls are denied' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Your first allowed call' })).toHaveCount(0);

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
  await page.getByRole('radio', { name: 'ceiba.env' }).waitFor();
  for (const variant of await page.getByRole('radio').all()) {
    await variant.check();
    snippets[await variant.inputValue()] = await page.locator('pre:visible').innerText();
  }
  return snippets;
}

/** Runs the snippets as they are, in an empty folder. Express is linked; a registry is out of reach. */
async function startHost(snippets: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-first-journey-'));
  const {
    'ceiba.env': environment = '',
    Terminal: terminal = '',
    Express: program = '',
  } = snippets;
  const [, address = ''] = /^npm install (\S+) express$/m.exec(terminal) ?? [];
  const [, ...args] = /^node (.*)$/m.exec(terminal)?.[0].split(' ') ?? [];
  const offline = ['--registry=http://127.0.0.1:1', '--fetch-retries=0', '--no-audit', '--no-fund'];
  await run('npm', ['install', address, ...offline], { cwd: folder });
  symlinkSync(join(packages, 'express'), join(folder, 'node_modules/express'), 'junction');
  writeFileSync(join(folder, 'ceiba.env'), environment);
  writeFileSync(join(folder, 'server.mjs'), program);

  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { stdout } = child;
  if (stdout === null) throw new Error('the host has no output');
  await once(createInterface(stdout), 'line');
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
