import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { build, context } from 'esbuild';

import { buildSha, root } from './sha.mjs';

/**
 * Bundles an app into `dist/main.js`: the workspace's packages, which are TypeScript source, go
 * into the bundle; what npm installs stays outside. The commit and the newest migration are compiled
 * in, so that the running program can report them without git or a database.
 *
 * @param {string} appFolder Holds `src/main.ts`.
 * @param {{ watch?: boolean }} [options] With `watch`, into `dist.dev` instead, and again after each
 *   change, until the process ends: a build beside it leaves the running program alone.
 * @returns {Promise<import('esbuild').BuildContext | undefined>} What builds after each change.
 */
export async function bundleApp(appFolder, { watch = false } = {}) {
  const source = join(appFolder, 'src');
  const output = join(appFolder, watch ? 'dist.dev' : 'dist');
  const newest = newestMigration();
  // A module reads its Lua script or interface from its own folder, which is that of the bundle here.
  const companions = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(lua|proto)$/.test(path))
    .map((path) => join(source, path));
  rmSync(output, { recursive: true, force: true });
  /** @type {import('esbuild').BuildOptions} */
  const options = {
    entryPoints: [join(source, 'main.ts')],
    outfile: join(output, 'main.js'),
    // esbuild would remove the program of the build before when one fails, and it may be running.
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    define: {
      __CEIBA_BUILD_SHA__: JSON.stringify(buildSha()),
      __CEIBA_SCHEMA__: JSON.stringify(newest.tag),
      __CEIBA_SCHEMA_TIME__: JSON.stringify(newest.when),
    },
    plugins: [
      {
        name: 'npm packages stay outside',
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@ceiba/')
              ? null
              : { path, external: true, watchFiles: companions },
          );
        },
      },
      {
        name: 'program and the files beside it',
        setup({ onEnd }) {
          onEnd(({ errors, outputFiles = [] }) => {
            if (errors.length > 0) return;
            mkdirSync(output, { recursive: true });
            for (const path of companions) copyFileSync(path, join(output, basename(path)));
            for (const { path, contents } of outputFiles) writeFileSync(path, contents);
          });
        },
      },
    ],
  };
  if (!watch) {
    await build(options);
    return undefined;
  }
  const builds = await context(options);
  await builds.watch();
  return builds;
}

/** @returns {{ tag: string, when: number }} The journal's newest entry. */
function newestMigration() {
  const journal = readFileSync(join(root, 'drizzle/meta/_journal.json'), 'utf8');
  /** @type {{ entries: { tag: string, when: number }[] }} */
  const { entries } = JSON.parse(journal);
  const [newest] = entries.sort((a, b) => b.when - a.when);
  if (newest === undefined) throw new Error('drizzle/meta/_journal.json names no migration');
  return newest;
}
