import { type Spread, significant } from './statistics.ts';

/** Three significant digits, with commas: 12,300 or 4.56. */
export const number = (value: number) => significant(value).toLocaleString('en-GB');

/** The median with its least and most: `12,300 (12,000–12,900)`. */
export const withSpread = ({ median, least, most }: Spread) =>
  `${number(median)} (${number(least)}–${number(most)})`;

/** A Markdown table; the first column is text, the others are numbers unless they hold letters. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
