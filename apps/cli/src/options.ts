import {
  customerNameSchema,
  displayNameSchema,
  emailSchema,
  expirySchema,
  externalIdSchema,
  importedPrefixSchema,
  type Metadata,
  metadataSchema,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
  uuidSchema,
} from '@ceiba/contract';
import { withoutCredentials } from '@ceiba/contract/redaction';
import { BILLING_DAY_MAX, OVERLAP_SECONDS_MAX } from '@ceiba/contract/sets';
import {
  type KeyLimits,
  type LimitField,
  listLimits,
  type UsageRange,
  whyNoLabels,
} from '@ceiba/domain';
import { LAST_YEAR_OF_USAGE } from '@ceiba/manage';
import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { serverUrl } from './env.ts';
import { flagOf } from './flags.ts';

/**
 * Parsers of option values; commander puts the option's name in front of their errors. None may
 * return null, which commander takes for an option without a value: `orNull` converts `none`.
 */

export function uuid(text: string): string {
  if (uuidSchema.safeParse(text).success) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a UUID, as ceiba apply and the console show it.');
}

/** A key's id, or its prefix, whatever it begins with: never the key itself. */
export function keyOrPrefix(text: string): string {
  if (uuidSchema.safeParse(text).success) return text.toLowerCase();
  const isPrefix = importedPrefixSchema.safeParse(text).success;
  if (isPrefix && withoutCredentials(text) === text) return text;
  throw new InvalidArgumentError("It must be a key's id, or its prefix such as ceiba_4fZk2Qpa.");
}

/** The e-mail address of a new account, by the contract's rule. */
export function emailAddress(text: string): string {
  const parsed = emailSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It must be an e-mail address.');
}

/** A value that follows one of the contract's or the settings' rules. */
const following =
  <T>(schema: z.ZodType<T>) =>
  (given: unknown): T => {
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message}.`);
  };

/** The address of a console. */
export const consoleUrl = following(serverUrl);
export const displayName = following(displayNameSchema);
export const customerName = following(customerNameSchema);
export const externalId = following(externalIdSchema);
const metadataIn = following(metadataSchema);

/** An object of the owner's, as JSON. */
export function metadata(text: string): Metadata {
  const value = jsonOf(text);
  if (value === undefined) throw new InvalidArgumentError('It must be JSON, such as {"tier":1}.');
  return metadataIn(value);
}

/** @returns undefined for a text that is not JSON */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function numberBetween(least: number, most: number, text: string, what: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`It must be ${what}.`);
}

export const billingDay = (text: string): number =>
  numberBetween(1, BILLING_DAY_MAX, text, `a day of the month from 1 to ${BILLING_DAY_MAX}`);

/** One label of several options of the same name. */
export function label(text: string, before: readonly string[] = []): string[] {
  const labels = [...before, text];
  const why = whyNoLabels(labels);
  if (why === null) return labels;
  throw new InvalidArgumentError(`All of them ${why}.`);
}

const PAGE_SIZE_MAX = 1_000;

export const pageSize = (text: string): number =>
  numberBetween(1, PAGE_SIZE_MAX, text, `a whole number from 1 to ${PAGE_SIZE_MAX}`);

/** A whole number from 0, which allows nothing, or `none`, which removes the limit. */
const limitOrNone =
  (most: number) =>
  (text: string): number | 'none' =>
    text === 'none'
      ? text
      : numberBetween(0, most, text, `a whole number from 0 to ${most}, or none`);

/** The options of own limits, by their names. */
export type OwnLimitOptions = { [Option in LimitField['option']]?: number | 'none' };

/** Adds an option for each of a key's or a customer's own limits. */
export function addLimitOptions(
  command: Command,
  { byDefault }: { byDefault?: 'none' } = {},
): Command {
  listLimits((_, field) => {
    const words = `its own requests per ${field.window}, or none`;
    command.option(`${flagOf(field)} <number>`, words, limitOrNone(field.most), byDefault);
  });
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

/** A month in UTC, such as 2026-11. */
export function month(text: string): UsageRange {
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  const from = Date.parse(`${year}-${number}-01T00:00:00Z`);
  if (Number(year) < 1970 || Number(year) > LAST_YEAR_OF_USAGE || Number.isNaN(from)) {
    throw new InvalidArgumentError('It must be a month such as 2026-11.');
  }
  return { from: new Date(from), to: new Date(Date.UTC(Number(year), Number(number))) };
}

const SECONDS_OF: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** How long the replaced secret of a key stays valid, in seconds. */
export function overlap(text: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS_OF[unit] ?? 1);
  if (seconds <= OVERLAP_SECONDS_MAX && (seconds === 0 || /[smhd]$/.test(text))) return seconds;
  throw new InvalidArgumentError(
    'It must be 0, or a time of up to 30 days such as 30m, 24h or 7d.',
  );
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

/** An instant as JSON has it. */
export function textOf(at: Date | undefined): string | undefined;
export function textOf(at: Date | 'none' | undefined): string | null | undefined;
export function textOf(at: Date | 'none' | undefined): string | null | undefined {
  return at instanceof Date ? at.toISOString() : at && null;
}
