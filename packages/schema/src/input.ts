import {
  customerNameSchema,
  displayNameSchema,
  emailSchema,
  expirySchema,
  externalIdSchema,
  metadataSchema,
} from '@ceiba/contract';
import { BILLING_DAY_MAX, COST_MAX, SUBSCRIPTION_STATUSES } from '@ceiba/contract/sets';
import {
  ALERT_TYPES,
  type AlertType,
  API_KEY_NOTE_LENGTH_MAX,
  DECISION_RETENTION_DAYS_MAX,
  DECISION_RETENTION_DAYS_MIN,
  eachLimit,
  isKeyBrand,
  KEY_BRAND_LENGTH_MAX,
  knownTimeZone,
  listLimits,
  PLAN_LIMIT_MAX,
  parsePathPattern,
  parsePolicyMethod,
  RETENTION_DAYS_MAX,
  RETENTION_DAYS_MIN,
  sortedLabels,
  whyNoLabels,
} from '@ceiba/domain';
import { z } from 'zod';

/** A free text of some lines. Browsers send line ends as CR LF. */
const text = (most: number) =>
  z
    .string()
    .transform((given) => given.replaceAll('\r\n', '\n').trim())
    .refine((given) => [...given].length <= most, `must be at most ${most} characters`)
    .refine((given) => !/[\p{Cs}\0]/u.test(given), 'must not hold NUL or lone surrogates');

/** JSON as Postgres returns it: without -0, which is no value of its own there. */
const asStored = <Json>(given: Json): Json => JSON.parse(JSON.stringify(given));

const shown = (count: number) => count.toLocaleString('en-US');
const WHOLE_NUMBER = 'must be a whole number, 0 or more';
const limitTo = (most: number) =>
  z
    .number(WHOLE_NUMBER)
    .min(0, WHOLE_NUMBER)
    .max(most, `must be at most ${shown(most)}`)
    .refine(Number.isInteger, WHOLE_NUMBER)
    .overwrite(asStored);
const limit = limitTo(PLAN_LIMIT_MAX);
const days = (least: number, most: number, orNone = '') => {
  const rule = `must be from ${shown(least)} to ${shown(most)} days${orNone}`;
  return z.int(rule).min(least, rule).max(most, rule);
};
const retention = days(RETENTION_DAYS_MIN, RETENTION_DAYS_MAX, ', or empty').nullable();

const INSTANT = 'must be a date and time within the years 0100 to 9999 in UTC';
export const instant = z
  .date(INSTANT)
  .refine((given) => expirySchema.safeParse(given.toISOString()).success, INSTANT);

const LABELS = 'must be a list of labels';
/** In their order and each once, which is how lists of labels are stored. */
const labels = z.array(z.string(LABELS), LABELS).transform((given, issues) => {
  const stored = sortedLabels(given);
  const why = whyNoLabels(stored);
  if (why === null) return stored;
  issues.addIssue(why);
  return z.NEVER;
});

const BILLING_DAY = `must be a day of the month from 1 to ${BILLING_DAY_MAX}`;

/** A part of a policy, in the normal form that its parser returns. */
const ofPolicy = (parse: (text: string) => string | { reason: string }) =>
  z.string().transform((text, issues) => {
    const parsed = parse(text.trim());
    if (typeof parsed === 'string') return parsed;
    issues.addIssue(parsed.reason);
    return z.NEVER;
  });

const timeZone = z.string().transform((given, issues) => {
  const known = knownTimeZone(given);
  if (known !== null) return known;
  issues.addIssue('must be a time zone, such as Europe/Berlin');
  return z.NEVER;
});

/** The rules of what users write, by the name of the field in every verb. */
const RULES = {
  displayName: displayNameSchema,
  label: displayNameSchema,
  name: displayNameSchema,
  email: emailSchema,
  timeZone: timeZone.nullable(),
  description: text(100),
  note: text(API_KEY_NOTE_LENGTH_MAX),
  activeKeyCap: limit.nullable(),
  ...eachLimit((_, { most }) => limitTo(most).nullable()),
  defaultKeyRateLimitPerMinute: limit.nullable(),
  loggedAllowsPercent: limitTo(100),
  usageDays: retention,
  auditDays: retention,
  decisionDays: days(DECISION_RETENTION_DAYS_MIN, DECISION_RETENTION_DAYS_MAX),
  expiresAt: instant.nullable(),
  currentPeriodEnd: instant.nullable(),
  eventTypes: z
    .array(z.enum(Object.keys(ALERT_TYPES) as AlertType[]))
    .min(1, 'must hold at least one alert'),
  method: ofPolicy((text) => {
    const parsed = parsePolicyMethod(text);
    return parsed.ok ? parsed.method : parsed;
  }),
  pathPattern: ofPolicy((text) => {
    const parsed = parsePathPattern(text);
    return parsed.ok ? parsed.pattern : parsed;
  }),
  scopes: labels.nullable(),
  cost: limitTo(COST_MAX).nullable(),
  externalId: externalIdSchema,
  externalCustomerId: externalIdSchema.nullable(),
  metadata: metadataSchema.overwrite(asStored),
  billingDay: z.int(BILLING_DAY).min(1, BILLING_DAY).max(BILLING_DAY_MAX, BILLING_DAY),
  subscriptionStatus: z.enum(
    SUBSCRIPTION_STATUSES,
    `must be one of ${SUBSCRIPTION_STATUSES.join(', ')}`,
  ),
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** The rules of a customer that differ: its name may be empty too. */
export const CUSTOMER_RULES = { name: customerNameSchema } as const;

/** What the keys of a project begin with. */
export const keyBrandSchema = z
  .string()
  .refine(
    isKeyBrand,
    `must be a small letter, then at most ${KEY_BRAND_LENGTH_MAX - 2} of a to z, 0 to 9 and _, and end with _, without ceiba_ or whsec_ (but ceiba_ alone is allowed)`,
  );

export const LIMIT_NAMES = listLimits((name) => name);

type Ruled<Input> = Extract<keyof Input, keyof typeof RULES>;

interface InputProblem {
  field: string;
  /** Completes a sentence that begins with the field: `must not be empty`. */
  rule: string;
}

/** An input that breaks a rule, whether a page, a command, a file or a host gave it. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';

  constructor(readonly problems: readonly InputProblem[]) {
    super(problems.map(({ field, rule }) => `${field} ${rule}`).join('; '));
  }
}

/**
 * The input with its texts as they are stored. Each verb that stores what a user writes calls it first,
 * so that no caller can skip a rule.
 *
 * @param named The fields that have a rule: one that is left out does not compile.
 * @param own Rules of this verb alone.
 * @throws InvalidInputError with every field that breaks its rule
 */
export function checked<Input extends object, const Named extends Ruled<Input>>(
  input: Input,
  named: Exclude<Ruled<Input>, Named> extends never ? readonly Named[] : never,
  own: { readonly [Field in keyof Input]?: z.ZodType } = {},
): Input {
  const rules = Object.entries<z.ZodType>({
    ...Object.fromEntries(named.map((field) => [field, RULES[field]])),
    ...own,
  });
  const given = new Map<string, unknown>(Object.entries(input));
  const stored = { ...input };
  const problems: InputProblem[] = [];
  for (const [field, rule] of rules) {
    if (given.get(field) === undefined) continue;
    const result = rule.safeParse(given.get(field));
    const [issue] = result.error?.issues ?? [];
    if (issue !== undefined) problems.push({ field, rule: issue.message });
    Object.assign(stored, { [field]: result.data });
  }
  if (problems.length > 0) throw new InvalidInputError(problems);
  return stored;
}
