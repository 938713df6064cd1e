import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds the console and completes its standalone output: Next.js does not copy the static files and
 * the public folder, without which pages have no scripts.
 */
const here = fileURLToPath(new URL('.', import.meta.url));
const nextCli = createRequire(import.meta.url).resolve('next/dist/bin/next');

packClientLibrary(join(here, 'public'));

const build = spawnSync(process.execPath, [nextCli, 'build'], {
  cwd: here,
  stdio: 'inherit',
  env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
});
if (build.status !== 0) process.exit(build.status ?? 1);

const standalone = join(here, '.next/standalone/apps/console');
for (const [from, to] of [
  ['.next/static', '.next/static'],
  ['public', 'public'],
]) {
  const target = join(standalone, to);
  rmSync(target, { recursive: true, force: true });
  if (existsSync(join(here, from))) cpSync(join(here, from), target, { recursive: true });
}

/**
 * Packs `@ceiba/sdk`, which is built already, as `ceiba-sdk.tgz`: `npm install` takes it from the
 * console, in the version that fits this installation.
 */
function packClientLibrary(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const { npm_execpath: npm } = process.env;
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const args = [...first, 'pack', '--ignore-scripts', '--pack-destination', folder];
  const packed = spawnSync(command, args, {
    cwd: fileURLToPath(new URL('../../packages/sdk', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: npm === undefined && process.platform === 'win32',
  });
  if (packed.status !== 0) process.exit(packed.status ?? 1);
  const [file] = readdirSync(folder);
  renameSync(join(folder, file), join(folder, 'ceiba-sdk.tgz'));
}
