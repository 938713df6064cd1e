import { expect, test } from '@playwright/test';
import { builtPageWeights, JAVASCRIPT_LIMIT_KB } from '../../bench/src/page-weight.mjs';
import { PAGES } from './pages.ts';

test('no page of the build loads more JavaScript than the limit', () => {
  const weights = builtPageWeights();
  // A page with a catch-all segment, or that only redirects, is built too, so there are no fewer.
  const listed = new Set(Object.values(PAGES).flatMap(({ route }) => route ?? []));
  expect(weights.length).toBeGreaterThanOrEqual(listed.size);
  // React alone is more, so a smaller sum has missed scripts.
  expect(weights.filter(({ javascriptKb }) => javascriptKb < 50)).toEqual([]);
  expect(weights.filter(({ javascriptKb }) => javascriptKb > JAVASCRIPT_LIMIT_KB)).toEqual([]);
});
