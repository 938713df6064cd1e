import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFresh } from '../../support/is-fresh.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const nextExample = join(root, 'examples/next-api');
export const nextCli = createRequire(join(nextExample, 'package.json')).resolve(
  'next/dist/bin/next',
);

/** The inputs of the build. */
const SOURCES = [
  ...['app', 'lib', 'next.config.mjs', 'package.json'].map((path) => join(nextExample, path)),
  join(root, 'packages/sdk/dist'),
];

/** Vitest runs this once, after the build of the package, which Next bundles into its routes. */
export function setup(): void {
  if (isFresh(join(nextExample, '.next/BUILD_ID'), SOURCES)) return;
  execFileSync(process.execPath, [nextCli, 'build'], {
    cwd: nextExample,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
}
