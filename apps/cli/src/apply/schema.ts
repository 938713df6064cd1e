import { displayNameSchema, expirySchema, SUBSCRIPTION_STATUSES } from '@ceiba/contract';
import { PLAN_LIMIT_MAX, parsePathPattern, parsePolicyMethod } from '@ceiba/domain';
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

/** The error for a value that breaks a rule, or for a missing one. */
const must = (rule: string) => ({
  error: (issue: z.core.$ZodRawIssue) => (issue.input === undefined ? 'is missing' : rule),
});

const WHOLE_NUMBER = must(`must be a whole number from 0 to ${PLAN_LIMIT_MAX}`);
const limit = z.int(WHOLE_NUMBER).min(0, WHOLE_NUMBER).max(PLAN_LIMIT_MAX, WHOLE_NUMBER);

const planSchema = record({
  name: displayNameSchema,
  activeKeyCap: limit,
  rateLimitPerMinute: limit,
  monthlyQuota: limit,
});

const subscriptionSchema = record({
  plan: displayNameSchema.optional(),
  status: z
    .enum(SUBSCRIPTION_STATUSES, { error: `must be one of ${SUBSCRIPTION_STATUSES.join(', ')}` })
    .optional(),
  currentPeriodEnd: expirySchema
    .transform((text) => (text === null ? null : new Date(text)))
    .optional(),
});

export const policySchema = record({
  method: z.string().transform((text, context) => {
    const parsed = parsePolicyMethod(text);
    if (parsed.ok) return parsed.method;
    context.addIssue(parsed.reason);
    return z.NEVER;
  }),
  pathPattern: z.string().transform((text, context) => {
    const parsed = parsePathPattern(text);
    if (parsed.ok) return parsed.pattern;
    context.addIssue(parsed.reason);
    return z.NEVER;
  }),
});

const projectSchema = record({
  name: displayNameSchema,
  subscription: subscriptionSchema.optional(),
  defaultKeyRateLimitPerMinute: limit.nullable().optional(),
  policies: z.array(policySchema).optional(),
});

export const fileSchema = record({
  owner: record({ email: z.email(must('must be an e-mail address')) }).optional(),
  plans: z.array(planSchema).default([]),
  projects: z.array(projectSchema).default([]),
});

/** A valid file. */
export type CeibaFile = z.output<typeof fileSchema>;
export type ProjectEntry = CeibaFile['projects'][number];
