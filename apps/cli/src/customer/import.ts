import type { RowProblem } from '@ceiba/manage';
import { IMPORT_ROWS_MAX, type ImportedRow, importCustomers } from '@ceiba/manage';
import type { Perform } from '../operate.ts';
import type { ImportInput } from '../run-import.ts';
import type { CreateCustomerRequest, CustomerRow } from './csv.ts';

interface Refused extends RowProblem {
  line: number;
  externalId: string;
}

interface Imported {
  created: number;
  /** Rows of customers that are there, with every field that the row gives. */
  unchanged: number;
  refused: Refused[];
}

interface CustomersInput extends ImportInput {
  rows: readonly CustomerRow[];
}

/**
 * Creates customers row by row, each in a transaction of its own: a row that is refused leaves the others,
 * and an import that was interrupted can be repeated.
 *
 * @throws Refusal when there is no such project
 */
export async function importRows(perform: Perform, input: CustomersInput): Promise<Imported> {
  const { projectId, rows, isDryRun, onProgress } = input;
  const imported: Imported = { created: 0, unchanged: 0, refused: [] };
  /** In a dry run, what would be there by now, by external id. */
  const created = new Map<string, CreateCustomerRequest>();
  const count = ({ line, externalId, parsed }: CustomerRow, outcome: ImportedRow) => {
    if (outcome === 'created') {
      imported.created += 1;
      if (isDryRun && !('problem' in parsed)) created.set(externalId, parsed);
    } else if (outcome === 'unchanged') imported.unchanged += 1;
    if (typeof outcome !== 'string') imported.refused.push({ line, externalId, ...outcome });
  };
  for (let first = 0; first < rows.length; first += IMPORT_ROWS_MAX) {
    const page = rows.slice(first, first + IMPORT_ROWS_MAX);
    const customers = page.flatMap(({ parsed }) => ('problem' in parsed ? [] : [parsed]));
    const earlier = customers.flatMap(({ externalId }) => created.get(externalId) ?? []);
    const call = { projectId, customers, dryRun: isDryRun, created: [...new Set(earlier)] };
    const { results } = await perform(importCustomers, call);
    for (const row of page) {
      const outcome = 'problem' in row.parsed ? row.parsed : results.shift();
      if (outcome === undefined) throw new Error('an import has fewer results than rows');
      count(row, outcome);
    }
    onProgress(first + page.length);
  }
  return imported;
}
