import { CsvError, parse } from 'csv-parse/sync';
import { badInput } from './errors.ts';

/** A row by its columns. */
export interface CsvRow {
  /** Its last line in the file, from 1. */
  row: number;
  fields: Readonly<Record<string, string>>;
  /** Set where it has more or fewer cells than there are columns; completes "the row …". */
  problem?: string;
}

/**
 * The rows of a CSV file whose first line names the columns. Errors name a column by its number, since the
 * first line of a file without names may have secrets.
 *
 * @param name what to call the file in errors
 * @param known all columns that there may be; absent where others are ignored
 * @throws CliError for a file that is not CSV, or has other columns or one of them twice
 */
export function csvTable(
  name: string,
  text: string,
  known?: readonly string[],
): { columns: string[]; rows: CsvRow[] } {
  const [head, ...records] = csvRecords(name, text);
  const columns = columnsOf(name, head?.cells ?? [], known);
  const rows = records.map(({ cells, line }) => ({
    row: line,
    fields: Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])),
    ...(cells.length !== columns.length && {
      problem: `has ${cells.length} cells, and the file ${columns.length} columns`,
    }),
  }));
  return { columns, rows };
}

function csvRecords(name: string, text: string) {
  const records: { cells: readonly string[]; line: number }[] = [];
  try {
    // The parser would count two lines for a CRLF inside a cell.
    parse(text.replace(/\r\n?/g, '\n'), {
      bom: true,
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      on_record(cells: string[], { lines: line }) {
        records.push({ cells, line });
        return null;
      },
    });
    return records;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidFile(
      `${name} is not CSV: a quotation mark in line ${error.lines} is not closed or not doubled. Nothing was changed.`,
    );
  }
}

function columnsOf(name: string, head: readonly string[], known?: readonly string[]): string[] {
  const columns = head.map((column) => column.trim());
  const unknown = columns.findIndex((column) => known?.includes(column) === false);
  if (unknown !== -1) {
    throw invalidFile(
      `${name} has an unknown column: its column ${unknown + 1}. Its first line must name the columns, which are ${known?.join(', ')}. Nothing was changed.`,
    );
  }
  const second = columns.findIndex((column, index) => columns.indexOf(column) !== index);
  if (second === -1) return columns;
  const first = columns.indexOf(columns[second] ?? '');
  throw invalidFile(
    `${name} cannot be read: its columns ${first + 1} and ${second + 1} have the same name. Nothing was changed.`,
  );
}

/** The value of a cell of a whole number; undefined for other text. */
export const wholeNumber = (text: string): number | undefined =>
  /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : undefined;

/** A file that is not what its command expects. */
export const invalidFile = (message: string) =>
  badInput(message, { code: 'invalid_file', field: 'file' });
