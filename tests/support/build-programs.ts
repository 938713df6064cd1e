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

const PROGRAMS = ['runtime', 'cli'];

/** The inputs of every program, beside its own. */
const SOURCES = [
  'drizzle/meta/_journal.json',
  'packages/contract/src',
  'packages/domain/src',
  'packages/manage/src',
  'packages/process/src',
  'packages/schema/src',
];

/**
 * Vitest runs this once, before the tests that start a program, and before it runs them again after a
 * change, so that they run the current source and `/version` reports its commit.
 */
export function setup(project: TestProject): void {
  const sha = buildSha();
  project.provide('buildSha', sha);
  const buildAll = () => {
    for (const program of PROGRAMS) build(join(root, 'apps', program), sha);
  };
  // Turbo takes an earlier build from its cache, whose files are older than sources that were checked
  // out again.
  if (process.env.CEIBA_PROGRAMS_ARE_BUILT !== '1') buildAll();
  project.onTestsRerun(buildAll);
}

function build(app: string, sha: string): void {
  const built = join(app, 'dist/main.js');
  const script = join(app, 'build.mjs');
  const sources = [script, join(app, 'src'), ...SOURCES.map((path) => join(root, path))];
  if (isFresh(built, sources) && readFileSync(built, 'utf8').includes(sha)) return;
  execFileSync(process.execPath, [script], {
    stdio: 'inherit',
    env: { ...process.env, CEIBA_BUILD_SHA: sha },
  });
}
