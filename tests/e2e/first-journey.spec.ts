import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@ceiba/devstack/ports';
import { expect, test } from '@playwright/test';
import { pressShortcut, signUp } from './support.ts';

const hostProgram = fileURLToPath(
  new URL('../../examples/express-api/src/server.mjs', import.meta.url),
);

test('a new user gets from sign-up to an allowed call, and to its denial after revoking the key', async ({
  page,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await signUp(page);

  await pressShortcut(page, 'n');
  await page.getByLabel('Name').fill('Reports');
  await page.getByRole('button', { name: 'Create project' }).click();
  const environment = await page.locator('pre').first().innerText();
  await page.getByRole('button', { name: 'Copy project secret', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeAttached();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(/\/projects\/[0-9a-f-]{36}$/);

  await page.getByRole('link', { name: 'Policies', exact: true }).first().click();
  await page.getByRole('link', { name: 'Write your own' }).click();
  await page.getByLabel('Path pattern').fill('/v1/reports*');
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

  const host = await startHost(parse(environment));
  try {
    const call = (path: string, headers: Record<string, string> = { 'x-api-key': apiKey }) =>
      fetch(`${host.url}${path}`, { headers });
    const admitted = await call('/v1/reports');
    expect(admitted.status).toBe(200);
    expect(await admitted.json()).toMatchObject({ calledBy: 'Mobile app' });
    expect((await call('/v1/billing')).status).toBe(403);
    expect((await call('/v1/reports', {})).status).toBe(401);

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

/** The variables of a `.env` file. */
const parse = (file: string): Record<string, string> =>
  Object.fromEntries(
    file
      .trim()
      .split('\n')
      .map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)];
      }),
  );

/** The example host, only with the values that the page showed. */
async function startHost(environment: Record<string, string>) {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [hostProgram], {
    env: { PATH: process.env.PATH, ...environment, HOST_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { stdout } = child;
  if (stdout === null) throw new Error('the host has no output');
  await once(createInterface(stdout), 'line');
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
