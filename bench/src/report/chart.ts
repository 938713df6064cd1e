/** A small writer of bar charts as SVG: stacked horizontal bars below their labels. */

export interface Bar {
  label: string;
  /** Written to the right of the bar. */
  value: string;
  parts: readonly { series: string; amount: number }[];
}

export interface Chart {
  title: string;
  /** In the order of the legend; a chart of one series has no legend. */
  series: readonly string[];
  bars: readonly Bar[];
}

export type Theme = 'light' | 'dark';

const COLOURS = {
  light: { text: '#1f2328', muted: '#59636e', bars: ['#1f6feb', '#cf222e', '#9a6700'] },
  dark: { text: '#f0f6fc', muted: '#9198a1', bars: ['#4493f8', '#f85149', '#d29922'] },
} as const satisfies Record<Theme, { text: string; muted: string; bars: readonly string[] }>;

const WIDTH = 520;
/** Leaves room for the value of the longest bar. */
const BAR_WIDTH_MAX = 370;
const ROW = 46;
const BAR_HEIGHT = 16;
const FONT = `font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"`;

/**
 * @param theme - The background is transparent, so the colours have to suit it.
 * @throws RangeError where an amount is not a number, or negative
 */
export function chartSvg(chart: Chart, theme: Theme): string {
  const colours = COLOURS[theme];
  const hasLegend = chart.series.length > 1;
  const top = hasLegend ? 66 : 40;
  const height = top + chart.bars.length * ROW;
  const most = Math.max(...chart.bars.map(totalOf));
  if (!(most > 0)) throw new RangeError('a chart needs an amount');
  const colourOf = (series: string) => colours.bars[chart.series.indexOf(series)] ?? colours.muted;
  const rows = chart.bars.map((bar, index) => {
    const y = top + index * ROW;
    let x = 0;
    const parts = bar.parts.map(({ series, amount }) => {
      const width = (amount / most) * BAR_WIDTH_MAX;
      const rect = `<rect x="${fixed(x)}" y="${y + 20}" width="${fixed(width)}" height="${BAR_HEIGHT}" fill="${colourOf(series)}"/>`;
      x += width;
      return rect;
    });
    return [
      `<text x="0" y="${y + 14}" font-size="15" fill="${colours.text}">${escaped(bar.label)}</text>`,
      ...parts,
      `<text x="${fixed(x + 8)}" y="${y + 33}" font-size="14" fill="${colours.muted}">${escaped(bar.value)}</text>`,
    ].join('\n');
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" ${FONT}>`,
    `<title>${escaped(chart.title)}</title>`,
    `<text x="0" y="20" font-size="16" font-weight="600" fill="${colours.text}">${escaped(chart.title)}</text>`,
    ...(hasLegend ? legend(chart.series, colourOf, colours.text) : []),
    ...rows,
    '</svg>',
  ].join('\n')}\n`;
}

function legend(series: readonly string[], colourOf: (series: string) => string, text: string) {
  return series.map((name, index) => {
    const x = index * 110;
    return `<rect x="${x}" y="36" width="12" height="12" fill="${colourOf(name)}"/><text x="${x + 18}" y="47" font-size="14" fill="${text}">${escaped(name)}</text>`;
  });
}

function totalOf({ label, parts }: Bar): number {
  if (parts.some(({ amount }) => !Number.isFinite(amount) || amount < 0)) {
    throw new RangeError(`the bar "${label}" has no amount`);
  }
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}

const fixed = (value: number) => value.toFixed(1);

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string) => text.replaceAll(/[&<>]/g, (found) => ENTITIES[found] ?? found);
