import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { charts } from '../../bench/src/report/charts.ts';
import { blocksOf, PAGES, withFigures } from '../../bench/src/report/pages.ts';
import type { Results } from '../../bench/src/report/results.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const results: Results = JSON.parse(read('docs/performance.json'));

describe('the figures of the benchmark', () => {
  it.each(PAGES)('in %s are those of docs/performance.json', (page) => {
    const text = read(page);
    expect(blocksOf(text)).not.toEqual([]);
    expect(text).toBe(withFigures(text, results));
  });

  it.each(Object.entries(charts(results)))('in docs/images/%s are the same', (name, svg) => {
    expect(read(`docs/images/${name}`)).toBe(svg);
  });
});
