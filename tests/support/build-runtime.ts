import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSha } from '@ceiba/build/sha';
import type { TestProject } from 'vitest/node';
import { isFresh } from './is-fresh.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The commit that the Runtime under test was built from. */
    buildSha: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'apps/runtime/dist/main.js');

/** The inputs of the bundle. */
const SOURCES = [
  'apps/runtime/build.mjs',
  'apps/runtime/src',
  'drizzle/meta/_journal.json',
  'packages/contract/src',
  'packages/domain/src',
  'packages/process/src',
  'packages/schema/src',
].map((path) => join(root, path));

/**
 * Vitest runs this once, before the tests that start a Runtime, and before it runs them again after a
 * change, so that they run the current source and `/version` reports its commit.
 */
export function setup(project: TestProject): void {
  const sha = buildSha();
  project.provide('buildSha', sha);
  buildRuntime(sha);
  project.onTestsRerun(() => buildRuntime(sha));
}

function buildRuntime(sha: string): void {
  if (isFresh(built, SOURCES) && readFileSync(built, 'utf8').includes(sha)) return;
  execFileSync(process.execPath, [join(root, 'apps/runtime/build.mjs')], {
    stdio: 'inherit',
    env: { ...process.env, CEIBA_BUILD_SHA: sha },
  });
}
