import { z } from 'zod';
import {
  API_KEY_STATUSES,
  BILLING_DAY_MAX,
  COST_MAX,
  DENIAL_REASONS,
  DISPLAY_NAME_LENGTH_MAX,
  EMAIL_LENGTH_MAX,
  EXTERNAL_ID_BYTES_MAX,
  HIDDEN_CHARACTERS,
  METADATA_BYTES_MAX,
  OVERLAP_SECONDS_MAX,
  SCOPE_PATTERN,
  SCOPES_MAX,
  SUBSCRIPTION_STATUSES,
  UUID,
  UUID_PATTERN,
} from './sets.ts';

/* What callers send. Each described schema is a shape of the OpenAPI document, by its name here. */

const COST = `must be a whole number from 0 to ${COST_MAX}`;
const BILLING_DAY = `must be a day of the month from 1 to ${BILLING_DAY_MAX}`;

/** The question that a host asks before it serves a request. Unknown fields are ignored. */
export const authorizeRequestSchema = z
  .object({
    apiKey: z.string().nullish(),
    method: z
      .string()
      .regex(
        /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/,
        'must be an HTTP method (RFC 9110, section 9.1)',
      ),
    path: z.string(),
    cost: z
      .int(COST)
      .min(0, COST)
      .max(COST_MAX, COST)
      .optional()
      .describe('What the call takes of quotas, in place of the cost of its policy.'),
  })
  .describe('The caller’s credential, unchecked or null, and its request line without the query.');
export type AuthorizeRequest = z.infer<typeof authorizeRequestSchema>;

/** The largest number of requests in one batch. */
export const BATCH_SIZE_MAX = 256;

/** Several questions of one project; each is judged by {@link authorizeRequestSchema} by itself. */
export const authorizeBatchRequestSchema = z
  .object({
    requests: z
      .array(z.unknown())
      .min(1, 'must hold at least one request')
      .max(BATCH_SIZE_MAX, `must hold at most ${BATCH_SIZE_MAX} requests`),
  })
  .describe('Each request is an AuthorizeRequest; one that is not is answered with 400 by itself.');

/** A character that shows: neither space, nor ignored by fonts, nor the blank pattern of Braille. */
const VISIBLE = '[^\\s\\u2800\\p{Default_Ignorable_Code_Point}]';

/**
 * A human label: 1 to 100 characters after trimming, at least one of them visible, none of them a
 * control character or a hidden one.
 */
export const displayNameSchema = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .refine(
    (name) => [...name].length <= DISPLAY_NAME_LENGTH_MAX,
    `must be at most ${DISPLAY_NAME_LENGTH_MAX} characters`,
  )
  .refine(
    (name) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name),
    'must not hold control characters or lone surrogates',
  )
  .refine(
    (name) => !new RegExp(HIDDEN_CHARACTERS, 'u').test(name),
    'must not hold zero-width characters or overrides of the direction of text',
  )
  .refine(
    (name) => name === '' || new RegExp(VISIBLE, 'u').test(name),
    'must hold a visible character',
  );

/** The name of a customer, which it need not have. */
export const customerNameSchema = z
  .string()
  .trim()
  .superRefine((name, issues) => {
    const [issue] = displayNameSchema.safeParse(name).error?.issues ?? [];
    if (name !== '' && issue !== undefined) issues.addIssue(issue.message);
  });

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** The owner's own id of a customer, byte by byte. */
export const externalIdSchema = z
  .string()
  .min(1, 'must not be empty')
  .refine(
    (id) => bytesOf(id) <= EXTERNAL_ID_BYTES_MAX,
    `must be at most ${EXTERNAL_ID_BYTES_MAX} bytes`,
  )
  .refine(
    (id) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(id),
    'must not hold control characters or lone surrogates',
  );

/** What Postgres can neither hold nor give back as it was: NUL, lone surrogates, numbers with an exponent. */
const canBeStored = (value: unknown): boolean => {
  if (typeof value === 'string') return !/[\p{Cs}\0]/u.test(value);
  if (typeof value === 'number') return Number.isFinite(value) && !String(value).includes('e');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every((entry) => entry.every(canBeStored));
};

const METADATA_DEPTH_MAX = 32;

/** Level by level, because a deep value would exhaust the stack. */
function isShallow(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= METADATA_DEPTH_MAX) return false;
    level = level.flatMap((each) =>
      Object.values(each).filter((inner) => typeof inner === 'object' && inner !== null),
    );
  }
  return true;
}

const metadataRecord = z
  .record(z.string(), z.unknown(), 'must be an object')
  .refine((metadata) => isShallow(metadata), {
    error: `must be nested at most ${METADATA_DEPTH_MAX} levels deep`,
    abort: true,
  })
  .refine(
    (metadata) => bytesOf(JSON.stringify(metadata)) <= METADATA_BYTES_MAX,
    `must be at most ${METADATA_BYTES_MAX} bytes of JSON`,
  )
  .refine(
    (metadata) => Object.entries(metadata).every((entry) => entry.every(canBeStored)),
    'must not hold NUL, lone surrogates or numbers that need an exponent',
  );

/** What an owner keeps with a customer or a key: any JSON object, of at most 4 KiB. */
export const metadataSchema = z.preprocess((given: Metadata, issues) => {
  // A record drops this name without an error. `given` may still be anything.
  if (Object.hasOwn(Object(given), '__proto__')) {
    issues.addIssue('must not have the name __proto__ at its top level');
  }
  return given;
}, metadataRecord);
export type Metadata = z.infer<typeof metadataRecord>;

/** The e-mail address of an account. */
export const emailSchema = z
  .string()
  .trim()
  .max(EMAIL_LENGTH_MAX, `must be at most ${EMAIL_LENGTH_MAX} characters`)
  .pipe(z.email('must be an e-mail address'));

/** `Date` would read an earlier year, as Postgres writes it, as one of the 20th or 21st century. */
const FIRST_INSTANT = Date.parse('0100-01-01T00:00:00.000Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** RFC 3339, within the years that stay four digits long in UTC. */
const instantSchema = z.iso
  .datetime({
    offset: true,
    // RFC 3339, section 5.6: "t" and "z" may be lower case. An option that the types of zod lack.
    ...{ pattern: new RegExp(z.regexes.datetime({ offset: true }).source, 'i') },
    error: 'must be an RFC 3339 date-time with Z or an offset, such as 2027-01-31T12:00:00Z',
  })
  .refine((text) => {
    const instant = Date.parse(text);
    return instant >= FIRST_INSTANT && instant <= LAST_INSTANT;
  }, 'must lie within the years 0100 to 9999 in UTC');

/** Null means that it never expires. */
export const expirySchema = instantSchema.nullable();

/** The verbs know the largest. */
const NUMBER = 'must be a whole number, 0 or more';
const number = z.int(NUMBER).min(0, NUMBER).nullable().optional();
const limits = {
  rateLimitPerMinute: number.describe('Calls per minute; null for no limit.'),
  dailyQuota: number.describe('What calls of a day in UTC may cost; null for no limit.'),
  monthlyQuota: number.describe('What calls of a month may cost; null for no limit.'),
};

const uuid = z.string().toLowerCase().regex(UUID, 'must be a UUID').meta({ format: 'uuid' });

const metadata = metadataSchema
  .optional()
  .describe(`Any JSON object of at most ${METADATA_BYTES_MAX} bytes; replaced whole.`);

/** What an owner may set of a key, apart from its name and its customer. */
const settings = {
  scopes: z
    .array(z.string().meta({ pattern: `^${SCOPE_PATTERN}$` }))
    .nullable()
    .optional()
    .describe(`The labels of the policies that it may call, at most ${SCOPES_MAX}; null for all.`),
  expiresAt: expirySchema
    .optional()
    .describe('An RFC 3339 time with Z or an offset; null removes the expiry.'),
  metadata,
  ...limits,
};

/** What an owner may set of a key, apart from its name. */
const keyFields = {
  customerId: uuid
    .nullable()
    .optional()
    .describe('The customer that the key belongs to; null for none.'),
  externalCustomerId: externalIdSchema
    .nullable()
    .optional()
    .describe('Its other name, in place of `customerId`: created where the project has none.'),
  ...settings,
};
const displayName = displayNameSchema.describe(
  'A label of 1 to 100 characters, none of them a control character.',
);

export const createApiKeyRequestSchema = z
  .strictObject({ displayName, ...keyFields })
  .describe('A new key. Only its label is required.');

/** The header of a creation that may be repeated without a second key. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
export const idempotencyKeySchema = z
  .string()
  .regex(/^[ -~]{1,255}$/, 'must be 1 to 255 printable characters of ASCII');

/** @param item how the OpenAPI document describes one; each is judged by itself */
const several = (most: number, item = z.unknown()) =>
  z.array(item).min(1, 'must hold at least one key').max(most, `must hold at most ${most} keys`);

/** The most keys of one {@link createApiKeysRequestSchema}. */
export const CREATED_KEYS_MAX = 100;

/** Several new keys; each is judged by {@link createApiKeyRequestSchema} by itself. */
export const createApiKeysRequestSchema = z
  .strictObject({ apiKeys: several(CREATED_KEYS_MAX) })
  .describe('Each is a CreateApiKeyRequest; one that is not is answered with 400 by itself.');

/** SHA-256 in each encoding that other issuers store: 64 digits, or 43 and the padding. */
const DIGESTS = {
  hex: /^[0-9A-Fa-f]{64}$/,
  base64: /^[0-9A-Za-z+/]{42}[AEIMQUYcgkosw048]=?$/,
  base64url: /^[0-9A-Za-z_-]{42}[AEIMQUYcgkosw048]=?$/,
} as const;
const ENCODINGS = Object.keys(DIGESTS) as (keyof typeof DIGESTS)[];

/** What an imported key is recognised by: it is stored and shown. */
export const importedPrefixSchema = z
  .string()
  .regex(/^[!-~]{1,32}$/, 'must be 1 to 32 printable characters of ASCII without spaces');

/** A key that another issuer made: of its secret only the digest and the beginning. */
export const importedApiKeySchema = z
  .strictObject({
    digest: z.string().describe('SHA-256 of the whole secret, as callers present it.'),
    encoding: z
      .enum(ENCODINGS, `must be one of ${ENCODINGS.join(', ')}`)
      .describe('How `digest` is written.'),
    displayName,
    keyPrefix: importedPrefixSchema.describe(
      'The beginning of the secret, or another text that helps to recognise it.',
    ),
    externalCustomerId: externalIdSchema
      .nullable()
      .optional()
      .describe('The owner’s own id of a customer that the project has; null for none.'),
    ...settings,
    disabled: z.boolean().optional().describe('Whether its calls are denied until it is enabled.'),
    createdAt: instantSchema.optional().describe('When it was made, not in the future.'),
  })
  .refine(({ digest, encoding }) => DIGESTS[encoding].test(digest), {
    path: ['digest'],
    message: 'must be SHA-256, 32 bytes, in its encoding',
  })
  .describe('A key that another issuer made.');
export type ImportedApiKey = z.infer<typeof importedApiKeySchema>;

/** The most keys of one {@link importApiKeysRequestSchema}, and the most bytes of its body. */
export const IMPORTED_KEYS_MAX = 1_000;
export const IMPORT_BYTES_MAX = 5 * 1024 * 1024;

/** Several keys of another issuer; each is judged by {@link importedApiKeySchema} by itself. */
export const importApiKeysRequestSchema = z
  .strictObject({
    apiKeys: several(
      IMPORTED_KEYS_MAX,
      z.unknown().meta({ $ref: '#/components/schemas/ImportedApiKey' }),
    ),
  })
  .describe('Each is an ImportedApiKey; one that is not is answered with 400 by itself.');

const OVERLAP = `must be a whole number from 0 to ${OVERLAP_SECONDS_MAX}`;
export const overlapSecondsSchema = z
  .int(OVERLAP)
  .min(0, OVERLAP)
  .max(OVERLAP_SECONDS_MAX, OVERLAP);

export const rotateApiKeyRequestSchema = z
  .strictObject({
    keyPrefix: z
      .string()
      .min(1, 'must not be empty')
      .describe('Of the secret to replace, so that a repeated call replaces no other one.'),
    overlapSeconds: overlapSecondsSchema.describe(
      'How long the replaced secret stays valid; 0 ends it with the next decision.',
    ),
    confirm: z
      .boolean()
      .optional()
      .describe('Whether a secret that is still within its overlap may end at once.'),
  })
  .describe('Which secret of a key to replace, and how long it stays valid.');

export const endPreviousSecretRequestSchema = z
  .strictObject({
    keyPrefix: z
      .string()
      .min(1, 'must not be empty')
      .optional()
      .describe('Of the secret to end, so that the one of a later rotation is left.'),
  })
  .describe('Which replaced secret of a key to end; without a prefix, the one that it has.');

/** For `refine`: a change names what it changes. */
const isNotEmpty = [
  (fields: object) => Object.keys(fields).length > 0,
  'must have at least one field',
] as const;

export const updateApiKeyRequestSchema = z
  .strictObject({ displayName: displayNameSchema.optional(), ...keyFields })
  .refine(...isNotEmpty)
  .describe('What to change of an active key, at least one field; null clears it.');

const customerFields = {
  name: customerNameSchema.optional().describe('At most 100 characters; empty for none.'),
  metadata,
  plan: z
    .string()
    .nullable()
    .optional()
    .describe('The name of a customer plan of the project; null for none.'),
  subscriptionStatus: z
    .enum(SUBSCRIPTION_STATUSES, `must be one of ${SUBSCRIPTION_STATUSES.join(', ')}`)
    .optional()
    .describe('Only with a plan; `active` by default.'),
  currentPeriodEnd: expirySchema
    .optional()
    .describe('Only with a plan: when it lapses, as an RFC 3339 time; null for never.'),
  billingDay: z
    .int(BILLING_DAY)
    .min(1, BILLING_DAY)
    .max(BILLING_DAY_MAX, BILLING_DAY)
    .optional()
    .describe(
      'The day of the month, in UTC, on which the month of its quota begins; 1 by default.',
    ),
  ...limits,
};
const externalId = externalIdSchema.describe(
  `The owner’s own id, unique in the project: 1 to ${EXTERNAL_ID_BYTES_MAX} bytes.`,
);

export const createCustomerRequestSchema = z
  .strictObject({ externalId, ...customerFields })
  .describe('A new customer. Only its external id is required.');

export const updateCustomerRequestSchema = z
  .strictObject({ externalId: externalId.optional(), ...customerFields })
  .refine(...isNotEmpty)
  .describe(
    'What to change of a customer, at least one field; null clears a number, the plan or its end.',
  );

/** Revoke and archive take an explicit empty object. */
export const emptyRequestSchema = z.strictObject({}).describe('An empty object.');

/** The most items of one page of the log or of the customers, and how many there are by default. */
export const PAGE_MAX = 500;
export const PAGE_DEFAULT = 50;

/** The longest text that is searched for, in characters. */
const SEARCH_LENGTH_MAX = 2_048;
const searchSchema = z
  .string()
  .max(SEARCH_LENGTH_MAX, `must be at most ${SEARCH_LENGTH_MAX} characters`)
  .refine((text) => !/\p{Cc}/u.test(text), 'must not hold control characters');

const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

const WHOLE_NUMBER = /^\d{1,9}$/;
const limitSchema = z
  .string()
  .refine(
    (text) => WHOLE_NUMBER.test(text) && Number(text) >= 1 && Number(text) <= PAGE_MAX,
    `must be a whole number from 1 to ${PAGE_MAX}`,
  )
  .transform(Number);

const pageQuery = {
  limit: limitSchema.default(PAGE_DEFAULT),
  cursor: z
    .string()
    .regex(new RegExp(`^after\\.${UUID_PATTERN}$`), 'must be a "nextCursor" of this list')
    .optional(),
};

/** The query of a list of decisions: filters, each of which narrows the list, and the page. */
export const decisionQuerySchema = z.strictObject({
  outcome: oneOf(['allowed', 'denied']).optional(),
  reason: oneOf(DENIAL_REASONS).optional(),
  apiKeyId: uuid.optional(),
  customerId: uuid.optional(),
  method: searchSchema.optional(),
  pathPrefix: searchSchema.optional(),
  requestId: searchSchema.optional(),
  /** Inclusive. */
  from: instantSchema.optional(),
  /** Exclusive. */
  to: instantSchema.optional(),
  ...pageQuery,
});

/** The query of a list of customers: filters, each of which narrows the list, and the page. */
export const customerQuerySchema = z.strictObject({
  externalId: externalIdSchema.optional(),
  status: oneOf(['active', 'suspended']).optional(),
  search: searchSchema.optional(),
  ...pageQuery,
});

const METADATA_PARAMETER = /^metadata\.(\P{Cc}{1,255})$/u;

/** The name of the top-level field that a parameter selects by; undefined for other parameters. */
export const metadataParameter = (name: string) => METADATA_PARAMETER.exec(name)?.[1];

/**
 * The query of a list of keys: filters, each of which narrows the list, and the page. Any number of
 * parameters `metadata.<name>` is among them; an empty one is refused, because a call that meant to
 * narrow the list would get all keys.
 */
export const apiKeyQuerySchema = z
  .object({
    customerId: uuid.optional(),
    status: oneOf(API_KEY_STATUSES).optional(),
    search: searchSchema.optional(),
    ...pageQuery,
    limit: limitSchema.optional(),
  })
  .catchall(searchSchema.optional())
  .superRefine((query, issues) => {
    const isKnown = (name: string) =>
      Object.hasOwn(apiKeyQuerySchema.shape, name) || metadataParameter(name) !== undefined;
    const keys = Object.keys(query).filter((name) => !isKnown(name));
    if (keys.length > 0) issues.addIssue({ code: 'unrecognized_keys', keys, input: query });
    const empty = Object.keys(query).find((name) => query[name] === '');
    if (empty !== undefined) {
      issues.addIssue({ code: 'custom', path: [empty], message: 'must not be empty' });
    }
  });

/** The query of usage: a range, widened to whole steps. */
export const usageQuerySchema = z.strictObject({
  /** Inclusive. */
  from: instantSchema.optional(),
  /** Exclusive. */
  to: instantSchema.optional(),
  step: oneOf(['day', 'month']).default('day'),
});
