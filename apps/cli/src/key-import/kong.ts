import { invalidFile } from '../csv.ts';
import {
  FieldError,
  fieldsIn,
  instantOf,
  isGiven,
  listOf,
  type SourceRecord,
  secretOf,
  textOf,
} from './fields.ts';
import { documentIn, numbered, refusePage } from './file.ts';
import { type KeyRow, keyRows, type ReadOptions, type SourceKey } from './rows.ts';
import { beginningOf, digestOfPlaintext } from './secrets.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Lists that a consumer has itself, and lists of the configuration that name their consumer. */
const ACLS = { own: ['acls'], listed: ['acls'] };
const PLUGINS = { own: ['plugins', 'groups'], listed: ['plugins', 'consumer_group_consumers'] };

/**
 * What decK exports, what `kong config db_export` writes, or the answer of the Admin API's `/key-auths`. The
 * keys in it are plaintexts.
 *
 * @throws CliError for a file that is none of them, and for one of several pages
 */
export function readKong(name: string, text: string, options: ReadOptions): KeyRow[] {
  const document = fieldsIn(documentIn(name, text)) ?? {};
  refusePage(
    name,
    ['next', 'offset'].filter((field) => document[field] != null),
  );
  const credentials = credentialsIn(document);
  if (credentials.length === 0) {
    throw invalidFile(
      `${name} has no keyauth_credentials, and is no answer of the Admin API's /key-auths. Nothing was changed.`,
    );
  }
  const members = listOf(document.consumer_groups).flatMap(({ consumers }) => listOf(consumers));
  const hasAcls = havingAny(ACLS, document, []);
  const hasPlugins = havingAny(PLUGINS, document, members);
  const read = (record: SourceRecord) => kongKey(record, hasAcls, hasPlugins);
  return keyRows(numbered(credentials), read, options);
}

/** The credentials, each with the fields of its consumer. */
function credentialsIn(document: Fields): Fields[] {
  const consumers = listOf(document.consumers);
  const byReference = new Map(
    consumers.flatMap((consumer) => namesOf(consumer).map((name) => [name, consumer] as const)),
  );
  const nested = consumers.flatMap((consumer) =>
    listOf(consumer.keyauth_credentials).map((credential) => ({ ...credential, consumer })),
  );
  const listed = [...listOf(document.keyauth_credentials), ...listOf(document.data)].map(
    ({ consumer, ...credential }) => {
      const [id] = referencesIn(consumer);
      return { ...credential, consumer: byReference.get(id) ?? fieldsIn(consumer) ?? { id } };
    },
  );
  return [...nested, ...listed];
}

/** What other lists of a configuration name a consumer by. */
const namesOf = ({ id, username }: Fields): unknown[] =>
  [id, username].filter((name) => name != null);

const referencesIn = (consumer: unknown): unknown[] =>
  namesOf(fieldsIn(consumer) ?? { id: consumer });

/** Whether a consumer has one of some lists itself, or is named by one of the configuration's. */
function havingAny(
  { own, listed }: typeof ACLS,
  document: Fields,
  members: readonly Fields[],
): (consumer: SourceRecord) => boolean {
  const named = listed.flatMap((list) => listOf(document[list]).map(({ consumer }) => consumer));
  const names = new Set([...named, ...members].flatMap(referencesIn));
  return (consumer) =>
    own.some((list) => isGiven(consumer, list)) ||
    namesOf(consumer.fields).some((name) => names.has(name));
}

function kongKey(
  record: SourceRecord,
  hasAcls: (consumer: SourceRecord) => boolean,
  hasPlugins: (consumer: SourceRecord) => boolean,
): SourceKey {
  const consumer = { row: record.row, fields: fieldsIn(record.fields.consumer) ?? {} };
  const key = secretOf(record, 'plaintext', 'key');
  if (key === undefined) throw new FieldError('plaintext', 'is missing');
  return {
    secret: digestOfPlaintext(key),
    displayName: textOf(consumer, 'username', 'custom_id'),
    keyPrefix: beginningOf(key),
    owner: textOf(consumer, 'custom_id', 'username', 'id'),
    createdAt: instantOf(record, 'createdAt', 'created_at'),
    metadata: tagsOf(record),
    leftOut: [
      isGiven(record, 'ttl') && 'ttl: the key does not expire until it has an expiry',
      hasAcls(consumer) && 'ACL groups: the key may call every policy until it has scopes',
      hasPlugins(consumer) && 'plugins or consumer groups of its consumer, such as limits',
    ],
  };
}

function tagsOf({ row, fields: { tags } }: SourceRecord): SourceKey['metadata'] {
  if (!Array.isArray(tags) || tags.length === 0) return undefined;
  return { tags: tags.map((tag) => textOf({ row, fields: { tags: tag } }, 'tags')) };
}
