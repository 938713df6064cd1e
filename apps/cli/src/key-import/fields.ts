import { wholeNumber } from '../csv.ts';
import { jsonOf } from '../options.ts';

/* The values of exported tables, as CSV, JSON and YAML have them. */

/** One key of a file: a row of a table, or an object. */
export interface SourceRecord {
  /** Where it is in the file: its line in CSV, else its number, from 1. */
  row: number;
  fields: Readonly<Record<string, unknown>>;
}

/** Why a key cannot be imported. */
export class FieldError extends Error {
  /** A field of the import or of the source; null where it is the whole row. */
  readonly field: string | null;

  /** @param problem completes a sentence that begins with the field, or with "the row" */
  constructor(field: string | null, problem: string) {
    super(problem);
    this.field = field;
  }
}

/** How exports of databases write a null in CSV. */
const NULLS = new Set(['', '\\N', 'NULL', 'null']);

/** The first of several columns that has a value: their names differ between versions of a source. */
export function cellOf({ fields }: SourceRecord, ...names: readonly string[]): unknown {
  const values = names.map((name) => fields[name]);
  return values.find((value) => value != null && !(typeof value === 'string' && NULLS.has(value)));
}

/**
 * A text, or a whole number that a parser has not changed.
 *
 * @throws FieldError for another value, which names the column that has it
 */
export function textOf(record: SourceRecord, ...names: readonly string[]): string | undefined {
  const value = cellOf(record, ...names);
  if (value === undefined || typeof value === 'string') return value;
  if (Number.isSafeInteger(value)) return String(value);
  throw unquoted(columnOf(record, value, names));
}

/** The one of several columns that has a value. */
const columnOf = ({ fields }: SourceRecord, value: unknown, names: readonly string[]) =>
  names.find((name) => Object.is(fields[name], value)) ?? null;

/** A secret or its digest: of a number, a parser may have changed digits. @param field what an error names */
export function secretOf(record: SourceRecord, field: string, name: string): string | undefined {
  const value = cellOf(record, name);
  if (value === undefined || typeof value === 'string') return value;
  throw unquoted(field);
}

const unquoted = (field: string | null) => new FieldError(field, 'must be in quotation marks');

/** A limit, or a part of one: one that cannot be read must not become none. @throws FieldError for it */
export function numberOf(record: SourceRecord, ...names: readonly string[]): number | undefined {
  const value = cellOf(record, ...names);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' ? wholeNumber(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw new FieldError(columnOf(record, value, names), 'must be a whole number, 0 or more');
}

/** As Postgres, MySQL and JSON write it. @param field what an error names */
export function flagOf(record: SourceRecord, field: string, ...names: readonly string[]) {
  const value = cellOf(record, ...names);
  if (value === undefined) return undefined;
  const text = String(value).toLowerCase();
  if (['true', 't', '1'].includes(text)) return true;
  if (['false', 'f', '0'].includes(text)) return false;
  throw new FieldError(field, 'must be true or false');
}

/** An object, or its JSON as text. */
export function objectOf(record: SourceRecord, name: string) {
  const value = cellOf(record, name);
  return fieldsIn(typeof value === 'string' ? jsonOf(value) : value);
}

/** An object of a record, as a record of its own. @throws FieldError for something else */
export function partOf(record: SourceRecord, name: string): SourceRecord | undefined {
  const fields = objectOf(record, name);
  if (fields) return { ...record, fields };
  if (cellOf(record, name) === undefined) return undefined;
  throw new FieldError(name, 'must be a JSON object');
}

/** The owner's data that a source has, or that it has some which are no object. */
export function metadataOf(record: SourceRecord, name: string) {
  const metadata = objectOf(record, name);
  const isLost = metadata === undefined && isGiven(record, name);
  return { metadata, leftOut: isLost && 'metadata that is no JSON object' };
}

export const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;

/** The objects of a list, or of its JSON as text. */
export function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  const list: unknown = typeof value === 'string' ? jsonOf(value) : value;
  const items: unknown[] = Array.isArray(list) ? list : [];
  return items.map(fieldsIn).filter((fields) => fields !== undefined);
}

/** Whether a restriction says anything: an empty list or object does not. */
export function isGiven(record: SourceRecord, ...names: readonly string[]): boolean {
  const value = cellOf(record, ...names);
  const parsed = typeof value === 'string' ? (jsonOf(value) ?? value) : value;
  if (parsed == null || parsed === '{}') return false;
  return typeof parsed === 'object' ? Object.keys(parsed).length > 0 : true;
}

/** A later time than any in milliseconds of the next century is none in seconds. */
const SECONDS_MAX = 10 ** 11;

/**
 * A time in RFC 3339, from the text of a database or a number since 1970. One without a zone is in UTC.
 *
 * @param field what an error names
 */
export function instantOf(
  record: SourceRecord,
  field: string,
  ...names: readonly string[]
): string | undefined {
  const value = cellOf(record, ...names);
  if (value === undefined) return undefined;
  const at = new Date(value instanceof Date ? value : millisecondsIn(String(value)));
  if (Number.isNaN(at.getTime())) throw new FieldError(field, 'must be a time');
  return at.toISOString();
}

function millisecondsIn(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    return Math.round(number < SECONDS_MAX ? number * 1_000 : number);
  }
  const [, day = '', time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(text) ?? [];
  if (!isDay(day)) return Number.NaN;
  return Date.parse(`${day}T${time}${/^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone}`);
}

/** Whether its month has the day: `Date` makes one of the next month of another. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}
