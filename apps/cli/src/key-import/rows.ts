import { importedApiKeySchema } from '@ceiba/contract';
import type { RowProblem } from '@ceiba/manage';
import type { z } from 'zod';
import { FieldError, type SourceRecord } from './fields.ts';
import { requireSha256, type SecretDigest } from './secrets.ts';

export type KeyToSend = z.input<typeof importedApiKeySchema>;

/** What a source says of one key, in the fields of the import. */
export interface SourceKey extends Omit<KeyToSend, keyof SecretDigest | 'displayName'> {
  secret: SecretDigest;
  displayName?: string | undefined;
  /** The user or customer that the source has it for. */
  owner?: string | undefined;
  /** What the source has, and the import has not. */
  leftOut?: readonly (string | false | undefined)[];
}

/** A key that a source keeps as deleted, or one that administers the source itself. */
export type Skipped = 'deleted' | 'root key';

/** A key of a file: one that can be sent, why it cannot, or why it need not. */
export interface KeyRow {
  row: number;
  name: string;
  parsed: KeyToSend | RowProblem | Skipped;
  leftOut: readonly string[];
}

export interface ReadOptions {
  /** Whether a key belongs to the customer whose external id is its owner in the source. */
  linksCustomers: boolean;
}

/** The keys of records. @param read what the source says, or why the key need not be sent */
export const keyRows = (
  records: readonly (SourceRecord & { problem?: string })[],
  read: (record: SourceRecord) => SourceKey | Skipped,
  options: ReadOptions,
): KeyRow[] =>
  records.map(({ problem, ...record }) => {
    const { row } = record;
    if (problem !== undefined) return refused(row, { field: null, problem });
    try {
      const key = read(record);
      if (typeof key === 'string') return { row, name: '', parsed: key, leftOut: [] };
      return rowOf(row, key, options);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      return refused(row, { field: error.field, problem: error.message });
    }
  });

const refused = (row: number, problem: RowProblem, name = ''): KeyRow => ({
  row,
  name,
  parsed: problem,
  leftOut: [],
});

function rowOf(
  row: number,
  { secret, owner, leftOut = [], displayName, ...fields }: SourceKey,
  { linksCustomers }: ReadOptions,
): KeyRow {
  const name = displayName ?? `Key ${fields.keyPrefix}`;
  requireSha256(secret.digest);
  const metadata = { ...fields.metadata, ...(owner !== undefined && { owner }) };
  const key = {
    ...fields,
    ...secret,
    displayName: name,
    ...(owner !== undefined && linksCustomers
      ? { externalCustomerId: owner }
      : Object.keys(metadata).length > 0 && { metadata }),
  };
  // As it is sent: without the fields that are undefined.
  const parsed: KeyToSend = JSON.parse(JSON.stringify(key));
  const result = importedApiKeySchema.safeParse(parsed);
  if (!result.success) {
    const [issue] = result.error.issues;
    const field = issue?.path[0];
    const problem = issue?.message ?? '';
    return refused(row, { field: field === undefined ? null : String(field), problem }, name);
  }
  return { row, name, parsed, leftOut: leftOut.filter((one) => typeof one === 'string') };
}
