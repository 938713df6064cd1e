import { CsvError, parse } from 'csv-parse/sync';
import { badInput } from './errors.ts';

export interface CsvRecord {
  cells: readonly string[];
  /** Of its end, from 1. */
  line: number;
}

/**
 * The records of a CSV file, the first of which names the columns.
 *
 * @param name what to call the file in errors
 * @throws CliError for a file that is not CSV
 */
export function csvRecords(name: string, text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  try {
    parse(text, {
      bom: true,
      record_delimiter: ['\r\n', '\n', '\r'],
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

/** The value of a cell of a whole number; undefined for other text. */
export const wholeNumber = (text: string): number | undefined =>
  /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : undefined;

/** The names of the columns. @throws CliError for one that is there twice, or is not among those that are known */
export function columnsOf(
  name: string,
  head: readonly string[],
  known: readonly string[],
): string[] {
  const columns = head.map((column) => column.trim());
  const unknown = columns.find((column) => !known.includes(column));
  if (unknown !== undefined) {
    throw invalidFile(
      `${name} has an unknown column "${unknown}". The columns are ${known.join(', ')}. Nothing was changed.`,
    );
  }
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice === undefined) return columns;
  throw invalidFile(`${name} has the column ${twice} twice. Nothing was changed.`);
}

/**
 * As {@link columnsOf}, of a file that may have secrets in its first line: errors name columns by number.
 *
 * @param known all columns that there may be; absent where others are ignored
 */
export function secretColumnsOf(
  name: string,
  head: readonly string[],
  known?: readonly string[],
): string[] {
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

/** A file that is not what its command expects. */
export const invalidFile = (message: string) =>
  badInput(message, { code: 'invalid_file', field: 'file' });

/** How many cells a row has, where it has more or fewer than there are columns. */
export const wrongLength = (cells: readonly string[], columns: readonly string[]) =>
  `has ${cells.length} cells, and the file ${columns.length} columns`;
