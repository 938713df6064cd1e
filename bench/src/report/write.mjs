import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@ceiba/devstack/settings';
import { charts } from './charts.ts';
import { PAGES, withFigures } from './pages.ts';
import {
  arithmeticTable,
  costTable,
  flatTable,
  guaranteeTable,
  limitTable,
  memoryText,
  setupText,
  throughputTable,
} from './tables.ts';

const RESULTS = 'docs/performance.json';

/** @returns {import('./results.ts').Results} Those of the last run that was written. */
export const readResults = () => JSON.parse(readFileSync(join(root, RESULTS), 'utf8'));

/** @param {import('./results.ts').Results} results */
export function printResults(results) {
  const sections = [
    setupText(results),
    throughputTable(results),
    costTable(results),
    guaranteeTable(results),
    limitTable(results),
    flatTable(results),
    memoryText(results),
    arithmeticTable(results),
  ];
  console.log(`\n${sections.join('\n\n')}\n`);
}

/**
 * Writes the results, the charts, and the figures of every page that quotes them.
 *
 * @param {import('./results.ts').Results} results
 */
export function writeResults(results) {
  write(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  for (const [name, svg] of Object.entries(charts(results))) write(`docs/images/${name}`, svg);
  for (const page of PAGES) {
    write(page, withFigures(readFileSync(join(root, page), 'utf8'), results));
  }
}

function write(path, text) {
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}`);
}
