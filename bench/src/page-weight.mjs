import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** The most compressed JavaScript that a page of the console may load first, in kB of 1,000 bytes. */
export const JAVASCRIPT_LIMIT_KB = 173;

const consoleFolder = fileURLToPath(new URL('../../apps/console/', import.meta.url));

/**
 * The compressed JavaScript of each page, as the last build of the console wrote it.
 *
 * @returns {{ route: string, javascriptKb: number }[]}
 * @throws {Error} where the console has not been built
 */
export function builtPageWeights() {
  const stats = readFileSync(`${consoleFolder}.next/diagnostics/route-bundle-stats.json`, 'utf8');
  /** @type {{ route: string, firstLoadChunkPaths: string[] }[]} */
  const routes = JSON.parse(stats);
  /** @type {Map<string, number>} */
  const sizes = new Map();
  const sizeOf = (/** @type {string} */ path) => {
    const size = sizes.get(path) ?? gzipSync(readFileSync(consoleFolder + path)).length;
    sizes.set(path, size);
    return size;
  };
  return routes.map(({ route, firstLoadChunkPaths }) => ({
    route,
    javascriptKb: firstLoadChunkPaths.reduce((sum, path) => sum + sizeOf(path), 0) / 1_000,
  }));
}
