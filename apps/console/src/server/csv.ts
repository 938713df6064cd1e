/** What a spreadsheet would run instead of show (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

export type CsvCell = string | number | null;

/**
 * One line of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula gets an
 * apostrophe in front; a number is left as it is, also a negative one. Every text stands in quotes:
 * a spreadsheet that splits at `;` would find a formula in the middle of a bare one.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
