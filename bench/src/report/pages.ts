import type { Results } from './results.ts';
import {
  arithmeticTable,
  costTable,
  flatTable,
  guaranteeTable,
  limitTable,
  memoryText,
  setupText,
  summaryText,
  throughputTable,
} from './tables.ts';

/** The pages that quote the results, from the root of the repository. */
export const PAGES = ['docs/reference/performance.md', 'README.md', 'docs/run/sizing.md'] as const;

const BLOCKS: Record<string, (results: Results) => string> = {
  setup: setupText,
  throughput: throughputTable,
  cost: costTable,
  guarantees: guaranteeTable,
  limits: limitTable,
  flat: flatTable,
  memory: memoryText,
  arithmetic: arithmeticTable,
  summary: summaryText,
};

/** A short run only shows that the benchmark works; its figures are not published. */
const PENDING = '*Not measured yet: `npm run bench -- --write`.*';

const BLOCK = /(<!-- bench: (\w+) -->\n).*?(<!-- \/bench -->)/gs;

/**
 * Replaces the blocks of a page: what is between `<!-- bench: name -->` and `<!-- /bench -->`.
 *
 * @throws Error where a block has an unknown name
 */
export function withFigures(page: string, results: Results): string {
  return page.replaceAll(BLOCK, (_, start: string, name: string, end: string) => {
    const write = BLOCKS[name];
    if (write === undefined) throw new Error(`there are no figures called ${name}`);
    return `${start}${results.size === 'full' ? write(results) : PENDING}\n${end}`;
  });
}

/** The names of the blocks of a page. */
export const blocksOf = (page: string): string[] =>
  [...page.matchAll(BLOCK)].map(([, , name = '']) => name);
