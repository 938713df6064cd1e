import { dateOf, type ImportedApiKey, importedPrefixSchema } from '@ceiba/contract';
import { digestOf, listLimits } from '@ceiba/domain';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { arrayOf, bulk } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';
import type { VerbContext } from '../context.ts';
import { checked, InvalidInputError, instant } from '../input.ts';
import { changingProject } from '../project/change.ts';
import { customers, projects } from '../tables.ts';
import { readNow } from '../time.ts';
import {
  type FullPlan,
  fullPlanOf,
  type Places,
  placesOfCustomers,
  placesOfProject,
} from './cap.ts';
import { API_KEY_FIELDS, type ApiKeyFields, orInvalid } from './create.ts';
import { findSecrets, type KnownSecret } from './digests.ts';

/** A key of another issuer. */
export interface KeyToImport extends Omit<ApiKeyFields, 'customerId'> {
  /** SHA-256 of the whole secret, as callers present it: 32 bytes. */
  digest: Buffer;
  displayName: string;
  /** The beginning of the secret, or another text that helps to recognise it. */
  keyPrefix: string;
  /** Whether its calls are denied until it is enabled. */
  disabled?: boolean | undefined;
  /** By the database's clock not in the future. */
  createdAt?: Date | undefined;
}

/** The key that a row of an import describes. */
export const keyToImport = ({
  digest,
  encoding,
  expiresAt,
  createdAt,
  ...fields
}: ImportedApiKey): KeyToImport => ({
  ...fields,
  digest: Buffer.from(digest, encoding),
  expiresAt: dateOf(expiresAt),
  createdAt: dateOf(createdAt),
});

export interface ImportApiKeysInput {
  projectId: string;
  keys: readonly KeyToImport[];
  /**
   * In a dry run, how many keys the calls before would have imported, by the external id of their
   * customer; empty for none. They take places of the plans.
   */
  before?: Readonly<Record<string, number>>;
}

/** What became of one key. */
export type KeyImport =
  /**
   * `present`: the project had it before, in any status, or an earlier row has made it. `replaced`: it was
   * not imported, because a rotation has replaced the secret of this key.
   */
  | { kind: 'imported' | 'present' | 'replaced'; apiKeyId: string }
  | FullPlan
  /** The project has no customer of that id: an import creates none. */
  | { kind: 'unknown_customer' }
  | { kind: 'invalid'; error: InvalidInputError };

export type ImportApiKeysResult =
  | {
      kind: 'done';
      /** One per key, in their order. */
      results: KeyImport[];
    }
  | { kind: 'not_found' };

/**
 * Takes over keys of another issuer, of which it stores digests as of its own. A run may be repeated: a
 * key that the project has is left as it is. One that is refused leaves the others. From the first
 * imported key on, decisions of the project look up secrets without a checksum too (ADR 0062).
 */
export async function importApiKeys(
  ctx: VerbContext,
  { projectId, keys: given, before = {} }: ImportApiKeysInput,
): Promise<ImportApiKeysResult> {
  const keys = given.map((key) => orInvalid(() => checkedKey(key)));
  return changingProject<ImportApiKeysResult>(ctx, projectId, async (tx, project, audit) => {
    const valid = keys.flatMap((key) => ('kind' in key ? [] : [key]));
    const facts = await readFacts(tx, projectId, valid);
    takePlaces(facts, before);
    const planned = new Map<string, PlannedKey>();
    const judged = keys.map((key) => ('kind' in key ? key : judge(key, facts, planned)));
    if (planned.size > 0) {
      const { acceptsImportedKeys } = project;
      if (!acceptsImportedKeys) await acceptImportedKeys(tx, projectId);
      await audit(
        'project.import_keys',
        { id: projectId, label: project.name },
        {
          before: { acceptsImportedKeys },
          after: { acceptsImportedKeys: true, imported: planned.size },
        },
      );
    }
    const ids = await insertKeys(tx, projectId, [...planned.values()]);
    const results = judged.map((result) =>
      'digest' in result ? { kind: result.kind, apiKeyId: idIn(ids, result.digest) } : result,
    );
    return { kind: 'done', results };
  });
}

function checkedKey(given: KeyToImport): KeyToImport {
  const key = checked(given, ['displayName', ...API_KEY_FIELDS], {
    keyPrefix: importedPrefixSchema,
    createdAt: instant,
  });
  if (key.digest.length !== 32) refuse('digest', 'must be 32 bytes');
  if (digestOf(key.keyPrefix).equals(key.digest))
    refuse('keyPrefix', 'must not be the whole secret');
  return key;
}

function refuse(field: string, rule: string): never {
  throw new InvalidInputError([{ field, rule }]);
}

/** What the project has, before the import. */
interface Facts {
  now: Date;
  secrets: Map<string, KnownSecret>;
  customerIds: Map<string, string>;
  places: { ofProject: Places; ofCustomers: Map<string, Places> };
}

async function readFacts(
  tx: Executor,
  projectId: string,
  keys: readonly KeyToImport[],
): Promise<Facts> {
  const externalIds = new Set(keys.flatMap(({ externalCustomerId }) => externalCustomerId ?? []));
  const found = await tx
    .select({ externalId: customers.externalId, customerId: customers.id })
    .from(customers)
    .where(
      and(eq(customers.projectId, projectId), inArray(customers.externalId, [...externalIds])),
    );
  const customerIds = new Map(found.map(({ externalId, customerId }) => [externalId, customerId]));
  return {
    now: await readNow({ orm: tx }),
    secrets: await findSecrets(
      tx,
      projectId,
      keys.map(({ digest }) => digest),
    ),
    customerIds,
    places: {
      ofProject: await placesOfProject(tx, projectId),
      ofCustomers: await placesOfCustomers(tx, projectId, [...customerIds.values()]),
    },
  };
}

function takePlaces({ customerIds, places }: Facts, taken: Readonly<Record<string, number>>): void {
  for (const [externalId, count] of Object.entries(taken)) {
    places.ofProject.left -= count;
    const ofCustomer = places.ofCustomers.get(customerIds.get(externalId) ?? '');
    if (ofCustomer) ofCustomer.left -= count;
  }
}

interface PlannedKey extends KeyToImport {
  customerId: string | null;
}

/** A key that is inserted with the others: by this row, or by an earlier one of the same digest. */
interface Planned {
  kind: 'imported' | 'present';
  digest: string;
}

/** Decides on one key, and plans it where it can be imported. */
function judge(
  key: KeyToImport,
  { now, secrets, customerIds, places }: Facts,
  planned: Map<string, PlannedKey>,
): KeyImport | Planned {
  const digest = key.digest.toString('hex');
  const known = secrets.get(digest);
  if (known) return { kind: known.isPrevious ? 'replaced' : 'present', apiKeyId: known.apiKeyId };
  if (planned.has(digest)) return { kind: 'present', digest };
  if (key.createdAt && key.createdAt > now) {
    const problem = { field: 'createdAt', rule: 'must not be in the future' };
    return { kind: 'invalid', error: new InvalidInputError([problem]) };
  }
  const { externalCustomerId } = key;
  const customerId = externalCustomerId == null ? null : customerIds.get(externalCustomerId);
  if (customerId === undefined) return { kind: 'unknown_customer' };
  const ofCustomer = customerId === null ? undefined : places.ofCustomers.get(customerId);
  const full = fullPlanOf(places.ofProject) ?? fullPlanOf(ofCustomer);
  if (full !== null) return full;
  places.ofProject.left -= 1;
  if (ofCustomer) ofCustomer.left -= 1;
  planned.set(digest, { ...key, customerId });
  return { kind: 'imported', digest };
}

const KEYS = bulk<PlannedKey>({
  key_digest: ['bytea', ({ digest }) => digest],
  key_prefix: ['text', ({ keyPrefix }) => keyPrefix],
  display_name: ['text', ({ displayName }) => displayName],
  customer_id: ['uuid', ({ customerId }) => customerId],
  expires_at: ['timestamptz', ({ expiresAt }) => expiresAt ?? null],
  metadata: ['jsonb', ({ metadata }) => metadata ?? {}],
  ...Object.fromEntries(
    listLimits((limit, { column }) => [
      column,
      ['bigint', (key: PlannedKey) => key[limit] ?? null] as const,
    ]),
  ),
  // The literal of an array: an array of arrays would have to be rectangular.
  labels: ['text', ({ scopes }) => (scopes == null ? null : arrayOf(scopes))],
  made_at: ['timestamptz', ({ createdAt }) => createdAt ?? null],
  is_disabled: ['boolean', ({ disabled }) => String(disabled ?? false)],
});
const COMPUTED = ['labels', 'made_at', 'is_disabled'];
const COLUMNS = sql.raw(KEYS.names.filter((name) => !COMPUTED.includes(name)).join(', '));

/** As one statement. @returns the ids by the digests */
async function insertKeys(
  tx: Executor,
  projectId: string,
  keys: readonly PlannedKey[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await tx.execute<{ id: string; digest: string }>(sql`
    insert into api_keys (project_id, is_imported, imported_digest, scopes, created_at, disabled_at, ${COLUMNS})
    select ${projectId}::uuid, true, row.key_digest, row.labels::text[], coalesce(row.made_at, now()),
      case when row.is_disabled then now() end, ${COLUMNS}
    from ${KEYS.of(keys)} order by row.position
    returning id, encode(key_digest, 'hex') as digest`);
  return new Map(rows.map(({ digest, id }) => [digest, id]));
}

const acceptImportedKeys = (tx: Executor, projectId: string) =>
  tx.update(projects).set({ acceptsImportedKeys: true }).where(eq(projects.id, projectId));

function idIn(ids: ReadonlyMap<string, string>, digest: string): string {
  const id = ids.get(digest);
  if (id === undefined) throw new Error('a key that was planned is not there');
  return id;
}
