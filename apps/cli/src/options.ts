import {
  displayNameSchema,
  emailSchema,
  expirySchema,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
  uuidSchema,
} from '@ceiba/contract';
import {
  type KeyLimits,
  LIMITS,
  type LimitField,
  listLimits,
  PLAN_LIMIT_MAX,
  type UsageRange,
} from '@ceiba/domain';
import { type Command, InvalidArgumentError } from 'commander';

/**
 * Parsers of option values; commander puts the option's name in front of their errors. None may
 * return null, which commander takes for an option without a value: `orNull` converts `none`.
 */

export function uuid(text: string): string {
  if (uuidSchema.safeParse(text).success) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a UUID, as ceiba apply and the console show it.');
}

/** A key's id, or its prefix: never the key itself. */
export function keyOrPrefix(text: string): string {
  if (/^ceiba_[0-9A-Za-z]{8}$/.test(text)) return text;
  if (uuidSchema.safeParse(text).success) return text.toLowerCase();
  throw new InvalidArgumentError("It must be a key's id, or its prefix such as ceiba_4fZk2Qpa.");
}

/** The e-mail address of a new account, by the contract's rule. */
export function emailAddress(text: string): string {
  const parsed = emailSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It must be an e-mail address.');
}

/** A human label, by the contract's rule. */
export function displayName(text: string): string {
  const parsed = displayNameSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message}.`);
}

const PAGE_SIZE_MAX = 1_000;

export function pageSize(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= PAGE_SIZE_MAX) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${PAGE_SIZE_MAX}.`);
}

/** A whole number from 0, which allows nothing, or `none`, which removes the limit. */
function limitOrNone(text: string): number | 'none' {
  if (text === 'none') return text;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= PLAN_LIMIT_MAX) return value;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${PLAN_LIMIT_MAX}, or none.`);
}

/** The options of a key's own limits, by their names. */
export type OwnLimitOptions = { [Option in LimitField['option']]?: number | 'none' };

/** Adds an option for each of a key's own limits. */
export function addLimitOptions(command: Command, byDefault?: 'none'): Command {
  for (const { option, window } of Object.values(LIMITS)) {
    const words = `its own requests per ${window}, or none`;
    command.option(`--${option} <number>`, words, limitOrNone, byDefault);
  }
  return command;
}

/** The limits that the options name; others are absent. */
export const limitsOf = (options: OwnLimitOptions): Partial<KeyLimits> =>
  Object.fromEntries(
    listLimits((name, { option }) => [name, options[option]] as const).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, orNull(value)]],
    ),
  );

export function instantOrNone(text: string): Date | 'none' {
  return text === 'none' ? text : parseInstant(text, `${RFC_3339}, or none.`);
}

export const instant = (text: string): Date => parseInstant(text, `${RFC_3339}.`);

const RFC_3339 = 'It must be an RFC 3339 date-time such as 2027-01-31T12:00:00Z';

/** Of a range: in the next one, an hour or a month can end at a time that RFC 3339 cannot write. */
export const LAST_YEAR = 9998;

/** A month in UTC, such as 2026-11. */
export function month(text: string): UsageRange {
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  const from = Date.parse(`${year}-${number}-01T00:00:00Z`);
  if (Number(year) < 1970 || Number(year) > LAST_YEAR || Number.isNaN(from)) {
    throw new InvalidArgumentError('It must be a month such as 2026-11.');
  }
  return { from: new Date(from), to: new Date(Date.UTC(Number(year), Number(number))) };
}

function parseInstant(text: string, advice: string): Date {
  const parsed = expirySchema.safeParse(text);
  if (parsed.success && parsed.data !== null) return new Date(parsed.data);
  throw new InvalidArgumentError(advice);
}

export function subscriptionStatus(text: string): SubscriptionStatus {
  const status = SUBSCRIPTION_STATUSES.find((candidate) => candidate === text);
  if (status !== undefined) return status;
  throw new InvalidArgumentError(`It must be one of ${SUBSCRIPTION_STATUSES.join(', ')}.`);
}

/** The value that `none` stands for. */
export const orNull = <T>(value: T | 'none'): T | null => (value === 'none' ? null : value);
