import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFresh } from '../../support/is-fresh.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const built = join(root, 'packages/sdk/dist/index.js');

/** The inputs of the package. */
const SOURCES = [
  'packages/sdk/build.mjs',
  'packages/sdk/package.json',
  'packages/sdk/src',
  'packages/contract/src/sets.ts',
].map((path) => join(root, path));

/** Vitest runs this once, before the tests that use the built package. */
export function setup(): void {
  if (isFresh(built, SOURCES)) return;
  execFileSync(process.execPath, [join(root, 'packages/sdk/build.mjs')], { stdio: 'inherit' });
}
