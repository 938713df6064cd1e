import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds the console and completes its standalone output: Next.js does not copy the static files and
 * the public folder, without which pages have no scripts.
 */
const here = fileURLToPath(new URL('.', import.meta.url));
const nextCli = createRequire(import.meta.url).resolve('next/dist/bin/next');

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
