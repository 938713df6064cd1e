import { parse as parseYaml } from 'yaml';
import { csvRecords, invalidFile, wrongLength } from '../csv.ts';
import { jsonOf } from '../options.ts';
import { fieldsIn, type SourceRecord } from './fields.ts';

/** The columns of a file in CSV, and its rows: one that has more or fewer cells is a problem. */
export interface Table {
  columns: readonly string[];
  rows: readonly (SourceRecord & { problem?: string })[];
}

/** @throws CliError for a file that is not CSV */
export function csvTable(name: string, text: string): Table {
  const [head, ...rows] = csvRecords(name, text);
  const columns = (head?.cells ?? []).map((column) => column.trim());
  return {
    columns,
    rows: rows.map(({ cells, line }) => ({
      row: line,
      fields: Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])),
      ...(cells.length !== columns.length && { problem: wrongLength(cells, columns) }),
    })),
  };
}

/**
 * The rows of a table that was exported as CSV, as a JSON array, as an object that has it as `keys`, or as
 * one JSON object per line.
 *
 * @throws CliError for a file that is none of them
 */
export function tableRecords(name: string, text: string): Table['rows'] {
  if (!/^\s*[[{]/.test(text)) return csvTable(name, text).rows;
  const whole = jsonOf(text);
  const list = Array.isArray(whole) ? whole : (fieldsIn(whole)?.keys ?? jsonLines(text));
  if (!Array.isArray(list)) throw invalidFile(`${name} is not JSON. Nothing was changed.`);
  return numbered(list);
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

/** A file in YAML or JSON. @throws CliError for one that is neither */
export function documentIn(name: string, text: string): unknown {
  const json = jsonOf(text);
  if (json !== undefined) return json;
  try {
    return parseYaml(text, { maxAliasCount: 0 });
  } catch {
    throw invalidFile(`${name} is neither YAML nor JSON. Nothing was changed.`);
  }
}
