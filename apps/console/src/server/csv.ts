import 'server-only';
import { utcDay } from '../lib/instant.ts';
import { streamOf } from './data-route.ts';
import { log } from './log.ts';

/** Text that a spreadsheet would run as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

export type CsvCell = string | number | null;

/**
 * One line of a CSV file (RFC 4180). Text that looks like a formula gets an apostrophe in front;
 * numbers stay as they are. All text is quoted, because a spreadsheet that splits at `;` could find
 * a formula inside unquoted text.
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

/** Makes spreadsheets read UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The columns of a file, in their order: a plain name, which is not quoted, because after the byte order
 * mark a quote would not start a cell, and its cell of each row.
 */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>;

/**
 * Streams a CSV file. Its first rows are read before it answers, so that their error has an answer of
 * its own. A later error aborts the download, so that a part is never mistaken for the whole file.
 *
 * @param fileName letters, digits and hyphens
 */
export async function csvResponse<Row>(
  fileName: string,
  columns: CsvColumns<Row>,
  pages: AsyncGenerator<Row[]>,
): Promise<Response> {
  const first = await pages.next();
  return new Response(streamOf(linesOf(columns, first, pages)), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}.csv"`,
      'cache-control': 'no-store',
    },
  });
}

async function* linesOf<Row>(
  columns: CsvColumns<Row>,
  first: IteratorResult<Row[]>,
  pages: AsyncGenerator<Row[]>,
) {
  const cells = Object.values(columns);
  const lineOf = (row: Row) => csvLine(cells.map((cellOf) => cellOf(row)));
  try {
    yield `${BYTE_ORDER_MARK}${Object.keys(columns).join(',')}\r\n`;
    for (let page = first; !page.done; page = await pages.next()) {
      yield page.value.map(lineOf).join('');
    }
  } catch (error) {
    log.error({ err: error }, 'csv.aborted');
    throw error;
  } finally {
    await pages.return(undefined);
  }
}

/** The day in the name of a file. */
export const csvDay = (): string => utcDay(new Date());
