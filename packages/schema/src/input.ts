import { displayNameSchema } from '@ceiba/contract';
import {
  API_KEY_NOTE_LENGTH_MAX,
  DECISION_RETENTION_DAYS_MAX,
  DECISION_RETENTION_DAYS_MIN,
  eachLimit,
  PLAN_LIMIT_MAX,
  RETENTION_DAYS_MAX,
  RETENTION_DAYS_MIN,
} from '@ceiba/domain';
import { z } from 'zod';

/** A free text of some lines. Browsers send line ends as CR LF. */
const text = (most: number) =>
  z
    .string()
    .transform((given) => given.replaceAll('\r\n', '\n').trim())
    .refine((given) => [...given].length <= most, `must be at most ${most} characters`)
    .refine((given) => !/[\p{Cs}\0]/u.test(given), 'must not hold NUL or lone surrogates');

const shown = (count: number) => count.toLocaleString('en-US');
const WHOLE_NUMBER = 'must be a whole number, 0 or more';
const limitTo = (most: number) =>
  z
    .number(WHOLE_NUMBER)
    .min(0, WHOLE_NUMBER)
    .max(most, `must be at most ${shown(most)}`)
    .refine(Number.isInteger, WHOLE_NUMBER);
const limit = limitTo(PLAN_LIMIT_MAX);
const days = (least: number, most: number, orNone = '') => {
  const rule = `must be from ${shown(least)} to ${shown(most)} days${orNone}`;
  return z.int(rule).min(least, rule).max(most, rule);
};
const retention = days(RETENTION_DAYS_MIN, RETENTION_DAYS_MAX, ', or empty').nullable();

/** The rules of what users write, by the name of the field in every verb. */
const RULES: Readonly<Record<string, z.ZodType>> = {
  displayName: displayNameSchema,
  label: displayNameSchema,
  name: displayNameSchema,
  description: text(100),
  note: text(API_KEY_NOTE_LENGTH_MAX),
  activeKeyCap: limit,
  ...eachLimit(() => limit.nullable()),
  defaultKeyRateLimitPerMinute: limit.nullable(),
  loggedAllowsPercent: limitTo(100),
  usageDays: retention,
  auditDays: retention,
  decisionDays: days(DECISION_RETENTION_DAYS_MIN, DECISION_RETENTION_DAYS_MAX),
};

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
 * @throws InvalidInputError with every field that breaks its rule
 */
export function checked<Input extends object>(input: Input): Input {
  const problems: InputProblem[] = [];
  const parsed = Object.entries(input).map(([field, value]) => {
    const result = value === undefined ? undefined : RULES[field]?.safeParse(value);
    if (result === undefined) return [field, value];
    const [issue] = result.error?.issues ?? [];
    if (issue !== undefined) problems.push({ field, rule: issue.message });
    return [field, result.data];
  });
  if (problems.length > 0) throw new InvalidInputError(problems);
  return Object.fromEntries(parsed);
}
