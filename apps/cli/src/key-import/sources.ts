import { importedApiKeySchema } from '@ceiba/contract';
import { csvTable, invalidFile } from '../csv.ts';
import { jsonOf } from '../options.ts';
import {
  cellOf,
  FieldError,
  fieldsIn,
  flagOf,
  instantOf,
  isGiven,
  listOf,
  metadataOf,
  numberOf,
  objectOf,
  partOf,
  type SourceRecord,
  secretOf,
  textOf,
} from './fields.ts';
import { type ColumnNames, requireColumns, tableIn } from './file.ts';
import { readKong } from './kong.ts';
import { type KeyRow, keyRows, type ReadOptions, type Skipped, type SourceKey } from './rows.ts';
import { beginningOf, digestOfPlaintext, type SecretDigest } from './secrets.ts';

/** Reads the keys of a file. @throws CliError for a file that is not what the source exports */
type ReadSource = (name: string, text: string, options: ReadOptions) => KeyRow[];

export const SOURCES = {
  csv: readCsv,
  unkey: readUnkey,
  'better-auth': (name, text, options) => {
    const table = tableIn(name, text);
    requireColumns(name, table, [['key'], ['expiresAt', 'expires_at'], ['enabled']]);
    return keyRows(table.rows, betterAuthKey, options);
  },
  litellm: (name, text, options) => {
    const table = tableIn(name, text);
    requireColumns(name, table, [['token'], ['expires'], ['blocked']]);
    return keyRows(table.rows, liteLlmKey, options);
  },
  kong: readKong,
} as const satisfies Record<string, ReadSource>;
export type SourceName = keyof typeof SOURCES;

const NEW_KEYS = 'Its keys cannot be imported: create keys, and hand them out.';

/** Why there is no such source, with what to do. */
export const REFUSED_SOURCES: ReadonlyMap<string, string> = new Map([
  [
    'prefixed-api-key',
    `prefixed-api-key stores the hash of a part of the key, and callers present the whole one. ${NEW_KEYS}`,
  ],
  [
    'sanctum',
    `Sanctum stores the hash of what follows the |, and callers present the whole token. ${NEW_KEYS}`,
  ],
  ['django-rest-framework-api-key', `It stores salted hashes of PBKDF2. ${NEW_KEYS}`],
  [
    'zuplo',
    'Zuplo exports plaintexts: make a CSV file with a column plaintext, and use --from csv.',
  ],
]);

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const LIMITS = ['rateLimitPerMinute', 'dailyQuota', 'monthlyQuota'] as const;

/** Limits that are carried over, and what is not. */
interface Carried {
  fields: Partial<Record<(typeof LIMITS)[number], number>>;
  leftOut: string | false;
}

/** A limit by its window; one that Ceiba does not have, or that has none, is left out. */
function limitOf(limit: number | undefined, windowMs: number | undefined): Carried {
  if (limit === undefined) return { fields: {}, leftOut: false };
  if (windowMs === MINUTE_MS) return { fields: { rateLimitPerMinute: limit }, leftOut: false };
  if (windowMs === DAY_MS) return { fields: { dailyQuota: limit }, leftOut: false };
  return { fields: {}, leftOut: 'rate limit whose window is neither a minute nor a day' };
}

/** Two limits of one window are one field: the smaller, which alone keeps both. */
function smallest(...carried: readonly Carried[]) {
  const given = carried.flatMap(({ fields }) => Object.entries(fields));
  const fields = Object.fromEntries(given.toSorted(([, one], [, other]) => other - one));
  const isShared = Object.keys(fields).length < given.length;
  return { fields, leftOut: isShared && 'the larger of two limits of one window' };
}

const DELETED: ColumnNames = ['deleted_at_m', 'deleted_at', 'deletedAt'];

/** The table `keys` of Unkey's database, or the body of its route `keys.migrateKeys`, which has defaults. */
function readUnkey(name: string, text: string, options: ReadOptions): KeyRow[] {
  const table = tableIn(name, text);
  const ofTable: ColumnNames[] = [['expires'], ['enabled'], DELETED];
  requireColumns(name, table, [['hash'], ...(table.isBody ? [] : ofTable)]);
  return keyRows(table.rows, unkeyKey, options);
}

function unkeyKey(record: SourceRecord): SourceKey | Skipped {
  if (cellOf(record, ...DELETED) !== undefined) return 'deleted';
  if (cellOf(record, 'for_workspace_id', 'forWorkspaceId') !== undefined) return 'root key';
  const given = objectOf(record, 'hash');
  const variant = given?.variant ?? 'sha256_base64';
  if (variant !== 'sha256_base64') {
    throw new FieldError(
      'digest',
      `is of the variant ${variant}: only sha256_base64 can be imported`,
    );
  }
  const digest = given === undefined ? secretOf(record, 'digest', 'hash') : String(given.value);
  const rates = listOf(cellOf(record, 'ratelimits'));
  if (rates.length === 0 && isGiven(record, 'ratelimits')) {
    throw new FieldError('ratelimits', 'must be a list of objects');
  }
  const [only] = rates.length === 1 ? rates : [];
  const rate = partOf(record, 'ratelimit') ?? { ...record, fields: only ?? record.fields };
  const rateLimit = limitOf(
    numberOf(rate, 'limit', 'ratelimit_limit'),
    numberOf(rate, 'duration', 'refillInterval', 'ratelimit_duration'),
  );
  const refill = refillOf(record);
  const limits = smallest(rateLimit, refill);
  const meta = metadataOf(record, 'meta');
  return {
    secret: { digest: requiredDigest(digest), encoding: 'base64' },
    displayName: textOf(record, 'name'),
    keyPrefix: textOf(record, 'start', 'prefix') ?? 'unkey',
    owner: textOf(record, 'external_id', 'externalId', 'owner_id', 'ownerId', 'identity_id'),
    expiresAt: instantOf(record, 'expiresAt', 'expires'),
    createdAt: instantOf(record, 'createdAt', 'created_at_m', 'created_at', 'createdAt'),
    disabled: flagOf(record, 'disabled', 'enabled') === false,
    metadata: meta.metadata,
    ...limits.fields,
    leftOut: [
      rateLimit.leftOut,
      rates.length > 1 && 'several rate limits',
      refill.leftOut,
      limits.leftOut,
      meta.leftOut,
      (isGiven(record, 'permissions') || isGiven(record, 'roles')) && RESTRICTION,
    ],
  };
}

const USES = 'uses that are left, without a refill';
const RESTRICTION = 'permissions: the key may call every policy until it has scopes';

/** Credits that are refilled each day or month are a quota; others run out for good. */
function refillOf(record: SourceRecord): Carried {
  const credits = partOf(record, 'credits') ?? record;
  const refill = partOf(credits, 'refill') ?? credits;
  const amount = numberOf(refill, 'amount', 'refill_amount');
  const remaining = numberOf(credits, 'remaining_requests', 'remaining');
  if (amount === undefined) {
    return { fields: {}, leftOut: remaining === undefined ? false : USES };
  }
  const isMonthly =
    cellOf(refill, 'interval', 'refill_interval') === 'monthly' ||
    cellOf(refill, 'refill_day') !== undefined;
  return { fields: isMonthly ? { monthlyQuota: amount } : { dailyQuota: amount }, leftOut: false };
}

/** SHA-256 as better-auth writes it. */
const BASE64URL = /^[\w-]{43}$/;

/** The table `apikey` of better-auth's plugin. */
function betterAuthKey(record: SourceRecord): SourceKey {
  const key = secretOf(record, 'digest', 'key');
  const start = textOf(record, 'start');
  const isLimited = flagOf(record, 'rateLimitPerMinute', 'rateLimitEnabled', 'rate_limit_enabled');
  const rateLimit = isLimited
    ? limitOf(
        numberOf(record, 'rateLimitMax', 'rate_limit_max'),
        numberOf(record, 'rateLimitTimeWindow', 'rate_limit_time_window'),
      )
    : limitOf(undefined, undefined);
  const refill = numberOf(record, 'refillAmount', 'refill_amount');
  const refilled = limitOf(refill, numberOf(record, 'refillInterval', 'refill_interval'));
  const limits = smallest(rateLimit, refilled);
  const remaining = numberOf(record, 'remaining');
  const { metadata, leftOut } = metadataOf(record, 'metadata');
  return {
    // With `disableKeyHashing` the table has the secrets themselves.
    secret:
      key !== undefined && start !== undefined && key.startsWith(start) && !BASE64URL.test(key)
        ? digestOfPlaintext(key)
        : { digest: requiredDigest(key), encoding: 'base64url' },
    displayName: textOf(record, 'name'),
    keyPrefix: start ?? textOf(record, 'prefix') ?? 'better-auth',
    owner: textOf(record, 'referenceId', 'reference_id', 'userId', 'user_id'),
    expiresAt: instantOf(record, 'expiresAt', 'expiresAt', 'expires_at'),
    createdAt: instantOf(record, 'createdAt', 'createdAt', 'created_at'),
    disabled: flagOf(record, 'disabled', 'enabled') === false,
    metadata,
    ...limits.fields,
    leftOut: [
      rateLimit.leftOut,
      refilled.leftOut && 'uses that are refilled in another time than a day',
      limits.leftOut,
      remaining !== undefined && refill === undefined && USES,
      leftOut,
      isGiven(record, 'permissions') && RESTRICTION,
    ],
  };
}

/** The table `LiteLLM_VerificationToken` of LiteLLM's proxy. */
function liteLlmKey(record: SourceRecord): SourceKey {
  const token = secretOf(record, 'digest', 'token');
  const shown = textOf(record, 'key_name');
  const rest = ['max_budget', 'tpm_limit', 'max_parallel_requests'];
  return {
    // A token that is not hashed is one that an early version, or the operator, has written.
    secret: token?.startsWith('sk-')
      ? digestOfPlaintext(token)
      : { digest: requiredDigest(token), encoding: 'hex' },
    displayName: textOf(record, 'key_alias') ?? shown,
    keyPrefix: shown ?? 'sk-',
    owner: textOf(record, 'user_id', 'team_id'),
    expiresAt: instantOf(record, 'expiresAt', 'expires'),
    createdAt: instantOf(record, 'createdAt', 'created_at'),
    disabled: flagOf(record, 'disabled', 'blocked') === true,
    rateLimitPerMinute: numberOf(record, 'rpm_limit'),
    leftOut: [
      rest.some((name) => isGiven(record, name)) &&
        'budget, limits of tokens or of parallel requests',
      (isGiven(record, 'models') ||
        isGiven(record, 'allowed_routes') ||
        isGiven(record, 'permissions')) &&
        RESTRICTION,
      isGiven(record, 'metadata') && 'metadata',
    ],
  };
}

const FIELDS = Object.keys(importedApiKeySchema.shape);
const COLUMNS = [...FIELDS, 'plaintext'];

/** Columns that are named as the fields of the import, and `plaintext` in place of `digest`. */
function readCsv(name: string, text: string, options: ReadOptions): KeyRow[] {
  const { columns, rows } = csvTable(name, text, COLUMNS);
  if (!columns.includes('plaintext') && !columns.includes('digest')) {
    throw invalidFile(
      `${name} has neither a column digest nor plaintext in its first line. Nothing was changed.`,
    );
  }
  return keyRows(rows, csvKey, options);
}

function csvKey(record: SourceRecord): SourceKey {
  const plaintext = textOf(record, 'plaintext');
  const metadata = textOf(record, 'metadata');
  const parsed = metadata === undefined ? undefined : jsonOf(metadata);
  const object = fieldsIn(parsed);
  if (metadata !== undefined && object === undefined) {
    throw new FieldError('metadata', 'must be a JSON object');
  }
  return {
    secret: csvSecret(record, plaintext),
    displayName: textOf(record, 'displayName'),
    keyPrefix:
      textOf(record, 'keyPrefix') ?? (plaintext === undefined ? '' : beginningOf(plaintext)),
    externalCustomerId: textOf(record, 'externalCustomerId'),
    expiresAt: instantOf(record, 'expiresAt', 'expiresAt'),
    createdAt: instantOf(record, 'createdAt', 'createdAt'),
    disabled: flagOf(record, 'disabled', 'disabled'),
    scopes: textOf(record, 'scopes')?.trim().split(/\s+/),
    metadata: object,
    ...Object.fromEntries(LIMITS.map((field) => [field, numberOf(record, field)])),
  };
}

function csvSecret(record: SourceRecord, plaintext: string | undefined): SecretDigest {
  const digest = textOf(record, 'digest');
  if (digest !== undefined && plaintext !== undefined) {
    throw new FieldError('plaintext', 'must be empty where there is a digest');
  }
  if (plaintext !== undefined) return digestOfPlaintext(plaintext);
  const { data: encoding } = importedApiKeySchema.shape.encoding.safeParse(
    textOf(record, 'encoding'),
  );
  if (encoding === undefined) {
    throw new FieldError('encoding', 'must be hex, base64 or base64url');
  }
  return { digest: requiredDigest(digest), encoding };
}

function requiredDigest(digest: string | undefined): string {
  if (digest === undefined) throw new FieldError('digest', 'is missing');
  return digest;
}
