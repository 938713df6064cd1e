/**
 * docs/learn/quickstart.md, from top to bottom. The tests of the launcher run `npm start`, so a
 * Runtime and the built library take the place of `npm start` and `npm install` here.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accepts, freePort } from '@ceiba/devstack/ports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { readGuide } from '../../support/guide.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import { until } from '../../support/until.ts';

const guide = readGuide('learn/quickstart.md');
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ceiba-quickstart-'));

/** As `npx --no-install ceiba` in the folder of Ceiba. */
const NPX = `npx() {
  test "$1 $2" = '--no-install ceiba' && shift 2
  "${process.execPath}" "${root}/apps/cli/bin/ceiba.mjs" "$@"
}\n`;

let database: TestDatabase;
let runtime: RunningRuntime;

beforeAll(async () => {
  database = await createTestDatabase();
  runtime = await startRuntime({
    databaseUrl: database.url,
    redisUrl: process.env.REDIS_URL ?? '',
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'ceiba.yaml'), guide.block('yaml', '# ceiba.yaml'));
  writeFileSync(join(folder, 'app.mjs'), guide.block('js', '// app.mjs'));
});
afterAll(async () => {
  await runtime?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const shell = (script: string, env: Record<string, string>) =>
  execFileSync('sh', ['-euc', NPX + script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, ...env },
  });

const NAMES = ['CEIBA_PROJECT_ID', 'CEIBA_PROJECT_SECRET', 'API_KEY', 'API_KEY_ID'];

it('leads from nothing to a route that answers 200, 403 and 401, and denies a revoked key', async () => {
  const printed = shell(`${guide.block('sh', 'create')}\nprintenv ${NAMES.join(' ')}`, {});
  const values = printed.trim().split('\n').slice(-NAMES.length);
  const env = Object.fromEntries(NAMES.map((name, index) => [name, values[index] ?? '']));

  const port = await freePort();
  const [, command = ''] =
    /CEIBA_RUNTIME_URL=\S+ node (\S+) &/.exec(guide.block('sh', 'serve')) ?? [];
  const host = spawn(process.execPath, [command], {
    cwd: folder,
    env: { ...env, PORT: `${port}`, CEIBA_RUNTIME_URL: runtime.url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await until('the host listens', () => accepts(port));
    const curls = [...guide.text.matchAll(/^curl -i (\S+)(?: -H "(\w+): (.+?)")? +# (\d+)/gm)].map(
      ([, url = '', name, value = '', status]) => ({
        url: url.replace(':4101', `:${port}`),
        headers: { ...(name && { [name]: value.replace('$API_KEY', env.API_KEY ?? '') }) },
        status: Number(status),
      }),
    );
    // As curl, each on a connection of its own.
    const statusOf = async ({ url, headers }: (typeof curls)[number]) =>
      (await fetch(url, { headers: { connection: 'close', ...headers } })).status;
    expect(await Promise.all(curls.map(statusOf))).toEqual([200, 403, 401]);
    expect(curls.map(({ status }) => status)).toEqual([200, 403, 401]);

    shell(guide.block('sh', 'revoke'), env);
    expect(await statusOf(curls[0]!)).toBe(401);
  } finally {
    const exited = once(host, 'exit');
    host.kill();
    await exited;
  }
});
