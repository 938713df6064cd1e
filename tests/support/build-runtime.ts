import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSha } from '@ceiba/build/sha';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The commit that the Runtime under test was built from. */
    buildSha: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'apps/runtime/dist/main.js');

/** Everything that goes into the bundle. */
const SOURCES = [
  'apps/runtime/build.mjs',
  'apps/runtime/src',
  'drizzle/meta/_journal.json',
  'packages/contract/src',
  'packages/domain/src',
  'packages/schema/src',
];

/**
 * Vitest runs this once, before the tests that start a Runtime: they run what is in the tree, and
 * `/version` tells the commit that it was built from.
 */
export function setup(project: TestProject): void {
  const sha = buildSha();
  project.provide('buildSha', sha);
  if (isFresh(sha)) return;
  execFileSync(process.execPath, [join(root, 'apps/runtime/build.mjs')], {
    stdio: 'inherit',
    env: { ...process.env, CEIBA_BUILD_SHA: sha },
  });
}

function isFresh(sha: string): boolean {
  if (!existsSync(built) || !readFileSync(built, 'utf8').includes(sha)) return false;
  const builtAtMs = statSync(built).mtimeMs;
  return SOURCES.every((path) => newestUnder(join(root, path)) < builtAtMs);
}

/** When the newest file was written, in ms since 1970. */
function newestUnder(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(path, file)).mtimeMs));
}
