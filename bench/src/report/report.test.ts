import { describe, expect, it } from 'vitest';
import { chartSvg } from './chart.ts';
import { charts } from './charts.ts';
import { number, table, withSpread } from './format.ts';
import { blocksOf, withFigures } from './pages.ts';
import { results } from './results.fixture.ts';
import { rounded, spreadOf } from './statistics.ts';

describe('a median', () => {
  it('is the middle value, or the mean of the two middle ones, with the least and the most', () => {
    expect(spreadOf([30, 10, 20])).toEqual({ median: 20, least: 10, most: 30 });
    expect(spreadOf([4, 1, 2, 3])).toEqual({ median: 2.5, least: 1, most: 4 });
  });

  it('sorts by number, not by text', () => {
    expect(spreadOf([9, 10, 100]).median).toBe(10);
  });

  it.each([[[]], [[1, Number.NaN]], [[Number.POSITIVE_INFINITY]]])(
    'of %j is refused instead of published',
    (values) => {
      expect(() => spreadOf(values)).toThrow(RangeError);
    },
  );
});

it('results keep whole numbers, and four digits of all others', () => {
  expect(rounded({ a: 123_456, b: [1.234567], c: 'x', d: null })).toEqual({
    a: 123_456,
    b: [1.235],
    c: 'x',
    d: null,
  });
});

describe('a figure', () => {
  it('has three significant digits', () => {
    expect([12_345, 999.6, 0.012345, 6].map(number)).toEqual(['12,300', '1,000', '0.012', '6']);
  });

  it('is followed by its spread', () => {
    expect(withSpread({ median: 1_234, least: 1_001, most: 2_000 })).toBe('1,230 (1,000–2,000)');
  });
});

it('a table has a head, a line and its rows', () => {
  expect(table(['', 'n'], [['a', '1']])).toBe('|  | n |\n|---|---|\n| a | 1 |');
});

describe('a chart', () => {
  const bar = (amount: number, label = 'a') => ({
    label,
    value: '1',
    parts: [{ series: 's', amount }],
  });
  const chartOf = (...bars: ReturnType<typeof bar>[]) => ({ title: 't', series: ['s'], bars });

  it('draws bars in proportion to their amounts, the longest in full', () => {
    const svg = chartSvg(chartOf(bar(50), bar(200)), 'light');
    expect(
      [...svg.matchAll(/<rect [^>]* width="([\d.]+)" height="16"/g)].map(([, w]) => w),
    ).toEqual(['92.5', '370.0']);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses the amount %d', (amount) => {
    expect(() => chartSvg(chartOf(bar(amount), bar(1)), 'light')).toThrow(RangeError);
  });

  it('escapes its texts', () => {
    expect(chartSvg(chartOf(bar(1, 'a < b & c')), 'dark')).toContain('>a &lt; b &amp; c</text>');
  });

  it('of the results is drawn in both themes, without a number that is none', () => {
    const drawn = charts(results);
    expect(Object.keys(drawn)).toEqual([
      'performance-throughput-light.svg',
      'performance-throughput-dark.svg',
      'performance-cost-light.svg',
      'performance-cost-dark.svg',
    ]);
    for (const svg of Object.values(drawn)) expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe('the figures of a page', () => {
  it('replace what is between their marks, and nothing else', () => {
    const page = 'a\n<!-- bench: memory -->\nold\n<!-- /bench -->\nb\n';
    const written = withFigures(page, results);
    expect(written).toMatch(
      /^a\n<!-- bench: memory -->\nThe Runtime used .*\n<!-- \/bench -->\nb\n$/,
    );
    expect(withFigures(written, results)).toBe(written);
  });

  it('have a known name', () => {
    const page = '<!-- bench: nothing -->\n\n<!-- /bench -->';
    expect(() => withFigures(page, results)).toThrow('no figures called nothing');
    expect(blocksOf(page)).toEqual(['nothing']);
  });

  it('of a system that does not report CPU times have a dash instead', () => {
    const contenders = results.contenders.map((each) => ({ ...each, cpuMicroseconds: {} }));
    const page = '<!-- bench: cost -->\n\n<!-- /bench -->';
    const written = withFigures(page, { ...results, contenders });
    expect(written).toContain('| Ceiba, one by one | – | – | – | – |');
    expect(Object.keys(charts({ ...results, contenders }))).toHaveLength(2);
  });

  it('of a short run are not published', () => {
    const page = '<!-- bench: summary -->\n\n<!-- /bench -->';
    expect(withFigures(page, { ...results, size: 'small' })).toMatch(/Not measured yet/);
    expect(withFigures(page, results)).toMatch(/10,000 decisions a second/);
    for (const svg of Object.values(charts({ ...results, size: 'small' }))) {
      expect(svg).toContain('not a measurement');
    }
  });
});
