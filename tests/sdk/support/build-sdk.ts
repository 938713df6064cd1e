import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const built = join(root, 'packages/sdk/dist/index.js');

/** Everything that goes into the package. */
const SOURCES = [
  'packages/sdk/build.mjs',
  'packages/sdk/package.json',
  'packages/sdk/src',
  'packages/contract/src/sets.ts',
];

/** Vitest runs this once, before the tests that use the package the way a consumer does. */
export function setup(): void {
  if (isFresh()) return;
  execFileSync(process.execPath, [join(root, 'packages/sdk/build.mjs')], { stdio: 'inherit' });
}

function isFresh(): boolean {
  if (!existsSync(built)) return false;
  const builtAtMs = statSync(built).mtimeMs;
  return SOURCES.every((path) => newestUnder(join(root, path)) < builtAtMs);
}

/** When the newest file was written, in ms since 1970. */
function newestUnder(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(path, file)).mtimeMs));
}
