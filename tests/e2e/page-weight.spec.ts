import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { PAGES } from './pages.ts';

/** The most compressed JavaScript that a page of the console may load first, in kB of 1,000 bytes. */
const JAVASCRIPT_LIMIT_KB = 173;

test('no page of the build loads more JavaScript than the limit', () => {
  const weights = builtPageWeights();
  // A page with a catch-all segment, or that only redirects, is built too, so there are no fewer.
  const listed = new Set(Object.values(PAGES).flatMap(({ route }) => route ?? []));
  expect(weights.length).toBeGreaterThanOrEqual(listed.size);
  // React alone is more, so a smaller sum has missed scripts.
  expect(weights.filter(({ javascriptKb }) => javascriptKb < 50)).toEqual([]);
  expect(weights.filter(({ javascriptKb }) => javascriptKb > JAVASCRIPT_LIMIT_KB)).toEqual([]);
});

/** The compressed JavaScript of each page, as the last build of the console wrote it. */
function builtPageWeights(): { route: string; javascriptKb: number }[] {
  const built = new URL('../../apps/console/', import.meta.url);
  const stats = new URL('.next/diagnostics/route-bundle-stats.json', built);
  const routes: { route: string; firstLoadChunkPaths: string[] }[] = JSON.parse(
    readFileSync(stats, 'utf8'),
  );
  const sizes = new Map<string, number>();
  const sizeOf = (path: string) => {
    const size = sizes.get(path) ?? gzipSync(readFileSync(new URL(path, built))).length;
    sizes.set(path, size);
    return size;
  };
  return routes.map(({ route, firstLoadChunkPaths }) => ({
    route,
    javascriptKb: firstLoadChunkPaths.reduce((sum, path) => sum + sizeOf(path), 0) / 1_000,
  }));
}
