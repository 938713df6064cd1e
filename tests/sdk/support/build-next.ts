import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const nextExample = join(root, 'examples/next-api');
export const nextCli = createRequire(join(nextExample, 'package.json')).resolve(
  'next/dist/bin/next',
);

/** Vitest runs this once, after the package was built: Next bundles it into its routes. */
export function setup(): void {
  if (isFresh()) return;
  execFileSync(process.execPath, [nextCli, 'build'], {
    cwd: nextExample,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
}

function isFresh(): boolean {
  const buildId = join(nextExample, '.next/BUILD_ID');
  if (!existsSync(buildId)) return false;
  const builtAtMs = statSync(buildId).mtimeMs;
  const sources = ['app', 'lib', 'next.config.mjs', 'package.json'];
  const newest = sources.map((path) => newestUnder(join(nextExample, path)));
  const sdk = newestUnder(join(root, 'packages/sdk/dist'));
  return Math.max(...newest, sdk) < builtAtMs;
}

/** When the newest file was written, in ms since 1970. */
function newestUnder(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(path, file)).mtimeMs));
}
