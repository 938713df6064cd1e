import { createCustomerRequestSchema } from '@ceiba/contract';
import type { RowProblem } from '@ceiba/manage';
import type { z } from 'zod';
import { csvTable, invalidFile, wholeNumber } from '../csv.ts';
import { jsonOf } from '../options.ts';

export type CreateCustomerRequest = z.infer<typeof createCustomerRequestSchema>;

/** A row of a file: a customer that can be created, or why there is none. */
export interface CustomerRow {
  /** Its last line in the file, from 1. */
  line: number;
  externalId: string;
  parsed: CreateCustomerRequest | RowProblem;
}

const COLUMNS = Object.keys(createCustomerRequestSchema.shape);
const WHOLE_NUMBERS = ['billingDay', 'rateLimitPerMinute', 'dailyQuota', 'monthlyQuota'];

/**
 * The rows of a CSV file whose columns are named as the fields of the route that creates a customer. An
 * empty cell is a field that is not given.
 *
 * @param name what to call the file in errors
 * @throws CliError for a file that is not CSV, or whose columns are others
 */
export function readCustomers(name: string, text: string): CustomerRow[] {
  const { columns, rows } = csvTable(name, text, COLUMNS);
  if (!columns.includes('externalId')) {
    throw invalidFile(
      `${name} has no column externalId in its first line. The columns are ${COLUMNS.join(', ')}. Nothing was changed.`,
    );
  }
  return rows.map(({ row: line, fields, problem }) => ({
    line,
    externalId: fields.externalId ?? '',
    parsed: problem === undefined ? parseRow(fields) : { field: null, problem },
  }));
}

function parseRow(cells: Readonly<Record<string, string>>): CreateCustomerRequest | RowProblem {
  const fields: Record<string, unknown> = {};
  for (const [field, text] of Object.entries(cells)) {
    if (text === '' && field !== 'externalId') continue;
    const value = cellValue(field, text);
    if (typeof value === 'object' && 'problem' in value) return { field, ...value };
    fields[field] = value.value;
  }
  const result = createCustomerRequestSchema.safeParse(fields);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return { field: String(issue?.path[0] ?? ''), problem: issue?.message ?? 'is not valid' };
}

/** The value of a cell as the route would get it in JSON. */
function cellValue(field: string, text: string): { value: unknown } | { problem: string } {
  if (field === 'metadata') {
    const value = jsonOf(text);
    return value === undefined ? { problem: 'must be JSON' } : { value };
  }
  if (!WHOLE_NUMBERS.includes(field)) return { value: text };
  const value = wholeNumber(text);
  return value === undefined ? { problem: 'must be a whole number, 0 or more' } : { value };
}
