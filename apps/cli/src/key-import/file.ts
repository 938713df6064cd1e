import { parseDocument, visit } from 'yaml';
import { csvTable, invalidFile } from '../csv.ts';
import { jsonOf } from '../options.ts';
import { fieldsIn, type SourceRecord } from './fields.ts';

/** The columns of a table, and its rows: one that has more or fewer cells is a problem. */
export interface Table {
  /** In JSON, the names that at least one row has. */
  columns: readonly string[];
  rows: readonly (SourceRecord & { problem?: string })[];
}

/** A table, and whether it was an object that has it as `keys`, such as the body of a request. */
export interface TableFile extends Table {
  isBody: boolean;
}

/**
 * A table that was exported as CSV, as a JSON array, as an object that has it as `keys`, or as one JSON
 * object per line.
 *
 * @throws CliError for a file that is none of them, and for a page of an answer
 */
export function tableIn(name: string, text: string): TableFile {
  if (!/^\s*[[{]/.test(text)) return { ...csvTable(name, text), isBody: false };
  const whole = jsonOf(text);
  const { keys: body, ...beside } = fieldsIn(whole) ?? {};
  const list = Array.isArray(whole) ? whole : (body ?? jsonLines(text));
  if (body !== undefined) refusePage(name, Object.keys(beside), BODY);
  if (!Array.isArray(list)) throw invalidFile(`${name} is not JSON. Nothing was changed.`);
  const rows = numbered(list);
  const columns = new Set(rows.flatMap(({ fields }) => Object.keys(fields)));
  return { columns: [...columns], rows, isBody: body !== undefined };
}

/** What the body of Unkey's `keys.migrateKeys` has beside its keys. */
const BODY = ['migrationId', 'apiId'];

/**
 * Keys that are missing would be denied after the import, as if they were unknown.
 *
 * @param beside the names of what is beside the list of keys
 * @throws CliError where one may belong to a page, such as `next` or `total_pages`
 */
export function refusePage(name: string, beside: readonly string[], known: readonly string[] = []) {
  const page = beside.find((field) => !known.includes(field));
  if (page === undefined) return;
  throw invalidFile(
    `${name} has ${page} beside its keys, so it may be one page of several. Export all keys into one list. Nothing was changed.`,
  );
}

/** The names that a column has in the versions of a source. */
export type ColumnNames = readonly [string, ...string[]];

/**
 * A column that was renamed or not exported would read as an expiry or a block that no key has.
 *
 * @throws CliError for a table that has none of the names of a column
 */
export function requireColumns(name: string, { columns }: Table, required: readonly ColumnNames[]) {
  const missing = required.find((names) => !names.some((column) => columns.includes(column)));
  if (missing === undefined) return;
  throw invalidFile(
    `${name} has no column ${missing.join(' or ')}. Export the whole table, with the names of its columns as they are. Nothing was changed.`,
  );
}

/** Null where a line is not JSON. */
function jsonLines(text: string): unknown[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const values = lines.map(jsonOf);
  return values.includes(undefined) ? null : values;
}

export const numbered = (list: readonly unknown[]): Table['rows'] =>
  list.map((item, index) => {
    const fields = fieldsIn(item);
    return { row: index + 1, fields: fields ?? {}, ...(!fields && { problem: 'is no object' }) };
  });

/**
 * A file in YAML or JSON. A number of YAML that is not written plainly, such as 007, is NaN.
 *
 * @throws CliError for one that is neither
 */
export function documentIn(name: string, text: string): unknown {
  const json = jsonOf(text);
  if (json !== undefined) return json;
  try {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error !== undefined) throw error;
    visit(document, {
      Scalar(_, scalar) {
        const { value, source } = scalar;
        if (typeof value === 'number' && source !== String(value)) scalar.value = Number.NaN;
      },
    });
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw invalidFile(`${name} is neither YAML nor JSON. Nothing was changed.`);
  }
}
