import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The commit and the newest migration of the previous release. */
export const PREVIOUS_RELEASE = z
  .strictObject({ commit: z.string().regex(/^[0-9a-f]{40}$/), migration: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'drizzle/previous-release.json'), 'utf8')));

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });

/** Whether git has its source: neither a source archive nor a shallow clone does. */
export const hasPreviousRelease = ((): boolean => {
  try {
    git('cat-file', '-e', `${PREVIOUS_RELEASE.commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
})();

/** What the bundles of the Runtime and the command line are built from. */
const SOURCES = [
  'LICENSE',
  'package.json',
  'tsconfig.base.json',
  'drizzle',
  'packages',
  'apps/cli',
  'apps/runtime',
];

/**
 * Builds the previous release's Runtime and command line from its source, with the npm packages that
 * are installed here.
 *
 * @returns the folder of its workspace, which the caller removes
 */
export function buildPreviousRelease(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-previous-'));
  unpack(folder, SOURCES);
  linkPackages(folder);
  for (const app of ['runtime', 'cli']) {
    execFileSync(process.execPath, [join(folder, 'apps', app, 'build.mjs')], {
      env: { ...process.env, CEIBA_BUILD_SHA: PREVIOUS_RELEASE.commit },
    });
  }
  return folder;
}

/** @returns the folder of the previous release's migrations, in a new folder that the caller removes */
export function previousMigrations(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-previous-'));
  unpack(folder, ['drizzle']);
  return join(folder, 'drizzle');
}

function unpack(folder: string, paths: readonly string[]): void {
  const archive = join(folder, 'source.tar');
  git('archive', '-o', archive, PREVIOUS_RELEASE.commit, ...paths);
  execFileSync('tar', ['-xf', archive], { cwd: folder });
}

/** Ceiba's own packages are those of the folder; all others are those installed here. */
function linkPackages(folder: string): void {
  const installed = join(root, 'node_modules');
  mkdirSync(join(folder, 'node_modules/@ceiba'), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name !== '@ceiba') symlinkSync(join(installed, name), join(folder, 'node_modules', name));
  }
  for (const kind of ['apps', 'packages']) {
    for (const name of readdirSync(join(folder, kind))) {
      const own = join(root, kind, name, 'node_modules');
      if (existsSync(own)) symlinkSync(own, join(folder, kind, name, 'node_modules'));
      if (kind === 'packages') {
        symlinkSync(join(folder, kind, name), join(folder, 'node_modules/@ceiba', name));
      }
    }
  }
}
