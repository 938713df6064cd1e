import type { RowProblem } from '@ceiba/manage';
import { IMPORTED_KEYS_PER_CALL, type ImportedKeyOutcome, importKeys } from '@ceiba/manage';
import type { Perform } from '../operate.ts';
import type { ImportInput } from '../run-import.ts';
import type { KeyRow, KeyToSend } from './rows.ts';

interface RefusedKey extends RowProblem {
  row: number;
  name: string;
}

export interface ImportedKeys {
  imported: number;
  /** Keys that the project has already. */
  present: number;
  /** Keys that the source keeps as deleted. */
  deleted: number;
  /** Keys that administer the source itself. */
  rootKeys: number;
  refused: RefusedKey[];
  /** How many of the imported keys lose something, by what it is. */
  leftOut: Record<string, number>;
}

interface KeysInput extends ImportInput {
  rows: readonly KeyRow[];
}

/** Well below what the console reads of one request. */
const BYTES_PER_CALL = 512 * 1024;

/**
 * Sends the keys of a file, several at a time. A row that is refused leaves the others, and an import that
 * was interrupted can be repeated.
 *
 * @throws Refusal when there is no such project
 */
export async function importRows(perform: Perform, input: KeysInput): Promise<ImportedKeys> {
  const { projectId, rows, isDryRun, onProgress } = input;
  const done: ImportedKeys = {
    imported: 0,
    present: 0,
    deleted: 0,
    rootKeys: 0,
    refused: [],
    leftOut: {},
  };
  /** In a dry run, what would be there by now. */
  const digests = new Set<string>();
  const byCustomer = new Map<string, number>();
  let count = 0;
  for (const page of pagesOf(rows)) {
    const asked = page.map(({ parsed }) => isKey(parsed) && !digests.has(digestOf(parsed)));
    const apiKeys = page.flatMap(({ parsed }, at) => (isKey(parsed) && asked[at] ? [parsed] : []));
    const before = placesTaken(apiKeys, byCustomer, done.imported);
    const call = { projectId, apiKeys, ...(isDryRun && { dryRun: true, before }) };
    const results = apiKeys.length === 0 ? [] : (await perform(importKeys, call)).results;
    const outcomes = results.values();
    for (const [at, row] of page.entries()) {
      const outcome = asked[at] ? outcomes.next().value : PRESENT;
      record(done, row, outcome);
      if (!isDryRun || !isKey(row.parsed) || !isImported(outcome)) continue;
      const { externalCustomerId: customer } = row.parsed;
      if (customer != null) byCustomer.set(customer, (byCustomer.get(customer) ?? 0) + 1);
      digests.add(digestOf(row.parsed));
    }
    count += page.length;
    onProgress(count);
  }
  return done;
}

/** How many keys earlier calls would have imported: of each customer of this call, and of all others as ''. */
function placesTaken(
  apiKeys: readonly KeyToSend[],
  byCustomer: ReadonlyMap<string, number>,
  imported: number,
): Record<string, number> {
  const customers = new Set(apiKeys.flatMap(({ externalCustomerId }) => externalCustomerId ?? []));
  const own = [...customers].map((customer) => [customer, byCustomer.get(customer) ?? 0] as const);
  const others = imported - own.reduce((sum, [, count]) => sum + count, 0);
  return Object.fromEntries([...own, ['', others]].filter(([, count]) => count !== 0));
}

/** Of a key that an earlier call of a dry run would have imported. */
const PRESENT = { outcome: 'present' } as const;
type Outcome = ImportedKeyOutcome | typeof PRESENT;

const digestOf = ({ digest, encoding }: KeyToSend) => Buffer.from(digest, encoding).toString('hex');

const isKey = (parsed: KeyRow['parsed']): parsed is KeyToSend =>
  typeof parsed === 'object' && 'digest' in parsed;

const isImported = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && 'outcome' in outcome && outcome.outcome === 'imported';

function record(
  done: ImportedKeys,
  { row, name, parsed, leftOut }: KeyRow,
  outcome: Outcome | undefined,
): void {
  const result = isKey(parsed) ? outcome : parsed;
  if (result === undefined) throw new Error('an import has fewer results than rows');
  if (result === 'deleted') done.deleted += 1;
  else if (result === 'root key') done.rootKeys += 1;
  else if ('problem' in result) done.refused.push({ row, name, ...result });
  else if (result.outcome === 'present') done.present += 1;
  else {
    done.imported += 1;
    for (const what of leftOut) done.leftOut[what] = (done.leftOut[what] ?? 0) + 1;
  }
}

/** As many rows as one call may have. */
function* pagesOf(rows: readonly KeyRow[]): Generator<KeyRow[]> {
  let page: KeyRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row.parsed));
    const isFull = page.length === IMPORTED_KEYS_PER_CALL || bytes + size > BYTES_PER_CALL;
    if (isFull && page.length > 0) {
      yield page;
      page = [];
      bytes = 0;
    }
    page.push(row);
    bytes += size;
  }
  if (page.length > 0) yield page;
}
