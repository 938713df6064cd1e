import {
  displayNameSchema,
  expirySchema,
  HIDDEN_CHARACTERS,
  SUBSCRIPTION_STATUSES,
} from '@ceiba/contract';
import {
  COST_MAX,
  DISPLAY_NAME_LENGTH_MAX,
  EMAIL_LENGTH_MAX,
  SCOPE_PATTERN,
  SCOPES_MAX,
} from '@ceiba/contract/sets';
import {
  KEY_BRAND_PATTERN,
  PATH_PATTERN_SOURCE,
  PLAN_LIMIT_MAX,
  POLICIES_MAX,
  POLICY_METHOD_SOURCE,
  parsePathPattern,
  parsePolicyMethod,
  QUOTA_MAX,
} from '@ceiba/domain';
import { keyBrandSchema } from '@ceiba/schema';
import { z } from 'zod';

/** The schema of a Ceiba file. Absent fields keep their values; null removes a value. */

/** An object that refuses unknown fields with a list of the known ones. */
const record = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `is not a known field; the fields here are ${Object.keys(shape).join(', ')}`
        : undefined,
  });

/** Each item of these lists is a change of its own, so that a file has not too many for one transaction. */
export const ITEMS_MAX = 1_000;

const listOf = <Item extends z.ZodType>(item: Item, items: string) =>
  z.array(item).max(ITEMS_MAX, {
    error: `must be at most ${ITEMS_MAX.toLocaleString('en')} ${items}; divide the file`,
  });

/** The error for a value that breaks a rule, or for a missing one. */
const must = (rule: string) => ({
  error: (issue: z.core.$ZodRawIssue) => (issue.input === undefined ? 'is missing' : rule),
});

const WHOLE_NUMBER = must(`must be a whole number from 0 to ${PLAN_LIMIT_MAX}`);
const limit = z.int(WHOLE_NUMBER).min(0, WHOLE_NUMBER).max(PLAN_LIMIT_MAX, WHOLE_NUMBER);

const QUOTA = must(`must be a whole number from 0 to ${QUOTA_MAX}`);
const quota = z.int(QUOTA).min(0, QUOTA).max(QUOTA_MAX, QUOTA);

const COST = must(`must be a whole number from 0 to ${COST_MAX}`);
const scopes = z
  .array(
    z.string().regex(new RegExp(`^${SCOPE_PATTERN}$`), {
      error:
        'must be a label of 1 to 64 characters of a-z, 0-9, ".", "_", ":" and "-", which begins with a letter or a digit',
    }),
  )
  .max(SCOPES_MAX, { error: `must be at most ${SCOPES_MAX} labels` })
  .nullable();

/** The rules of a name that are functions, as a regular expression for the JSON Schema. */
const name = displayNameSchema.meta({
  pattern: String.raw`^(?!.*${HIDDEN_CHARACTERS})\s*[^\s\p{Cc}\p{Cs}](?:[^\p{Cc}\p{Cs}\u2028\u2029]{0,${DISPLAY_NAME_LENGTH_MAX - 2}}[^\s\p{Cc}\p{Cs}])?\s*$`,
});

const planSchema = record({
  name: name.meta({ description: 'Created, or updated if there is a plan of this name.' }),
  activeKeyCap: limit,
  rateLimitPerMinute: limit,
  monthlyQuota: quota,
  dailyQuota: quota.nullable().meta({ description: 'Null for none.' }).optional(),
});

const customerPlanSchema = record({
  name: name.meta({ description: 'Created, or updated if the project has one of this name.' }),
  activeKeyCap: limit
    .nullable()
    .meta({ description: 'Of each customer; null for none.' })
    .optional(),
  rateLimitPerMinute: limit.nullable().optional(),
  dailyQuota: quota.nullable().optional(),
  monthlyQuota: quota.nullable().optional(),
  scopes: scopes
    .meta({ description: 'The labels of the policies that its customers may call; null for all.' })
    .optional(),
});

const subscriptionSchema = record({
  plan: name.meta({ description: 'A plan of this file, or an existing one.' }).optional(),
  status: z
    .enum(SUBSCRIPTION_STATUSES, { error: `must be one of ${SUBSCRIPTION_STATUSES.join(', ')}` })
    .optional(),
  currentPeriodEnd: expirySchema
    .transform((text) => (text === null ? null : new Date(text)))
    .optional(),
});

export const policySchema = record({
  method: z
    .string()
    .meta({
      pattern: POLICY_METHOD_SOURCE,
      description: "One HTTP method in upper case, or '*' for every method.",
    })
    .transform((text, context) => {
      const parsed = parsePolicyMethod(text);
      if (parsed.ok) return parsed.method;
      context.addIssue(parsed.reason);
      return z.NEVER;
    }),
  pathPattern: z
    .string()
    .meta({
      pattern: PATH_PATTERN_SOURCE,
      description: 'A path, a path that ends in *, or a single *.',
    })
    .transform((text, context) => {
      const parsed = parsePathPattern(text);
      if (parsed.ok) return parsed.pattern;
      context.addIssue(parsed.reason);
      return z.NEVER;
    }),
  scopes: scopes
    .meta({ description: 'The labels that open it to restricted keys; null for none.' })
    .optional(),
  cost: z
    .int(COST)
    .min(0, COST)
    .max(COST_MAX, COST)
    .nullable()
    .meta({ description: 'What a call takes of quotas; null for 1.' })
    .optional(),
});

const projectSchema = record({
  name: name.meta({ description: 'Unique per owner; a new project starts on the plan Free.' }),
  subscription: subscriptionSchema.optional(),
  defaultKeyRateLimitPerMinute: limit
    .nullable()
    .meta({ description: 'Of each key without its own limit; null for none.' })
    .optional(),
  keyPrefix: keyBrandSchema
    .meta({
      pattern: `^${KEY_BRAND_PATTERN}$`,
      description: 'What new keys begin with; those that exist keep theirs.',
    })
    .optional(),
  customerPlans: listOf(customerPlanSchema, 'customerPlans')
    .meta({ description: 'The complete list: others of the project are removed.' })
    .optional(),
  policies: z
    .array(policySchema)
    .max(POLICIES_MAX, { error: `must be at most ${POLICIES_MAX} policies` })
    .meta({ description: 'The complete list: others of the project are removed.' })
    .optional(),
});

/** The rule of `emailSchema`, whose trimming a JSON Schema cannot express. */
const EMAIL = z
  .email(must('must be an e-mail address'))
  .max(EMAIL_LENGTH_MAX, `must be at most ${EMAIL_LENGTH_MAX} characters`);

export const fileSchema = record({
  owner: record({ email: EMAIL }).optional(),
  plans: listOf(planSchema, 'plans').default([]),
  projects: listOf(projectSchema, 'projects').default([]),
});

/** A file as it is written, with every list. */
export type CeibaFileText = Required<z.input<typeof fileSchema>>;
/** A valid file. */
export type CeibaFile = z.output<typeof fileSchema>;
export type ProjectEntry = CeibaFile['projects'][number];
