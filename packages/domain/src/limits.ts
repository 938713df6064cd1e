/**
 * A limit is a number of calls in a window of time, and whose it is. A scope is what calls are counted
 * for. Imports no module, so that client components can import it from `@ceiba/domain/limits`.
 */
import type { LimitDenial, LimitOwner } from '@ceiba/contract/sets';

/**
 * The limits of plans and keys by their names in the contract: the window that each counts calls in,
 * the column that has it, and its option of the CLI. Columns, forms, options and texts derive from it.
 */
export const LIMITS = {
  rateLimitPerMinute: { window: 'minute', column: 'rate_limit_per_minute', option: 'rate' },
  monthlyQuota: { window: 'month', column: 'monthly_quota', option: 'quota' },
} as const;

export type LimitName = keyof typeof LIMITS;
export type LimitField = (typeof LIMITS)[LimitName];
export type LimitWindow = LimitField['window'];

const FIELDS = Object.entries(LIMITS) as [LimitName, LimitField][];

/** A value for each limit, by its name. */
export const eachLimit = <T>(of: (name: LimitName, field: LimitField) => T) =>
  Object.fromEntries(FIELDS.map(([name, field]) => [name, of(name, field)])) as Record<
    LimitName,
    T
  >;

/** A list with a value for each limit, in their order. */
export const listLimits = <T>(of: (name: LimitName, field: LimitField) => T): T[] =>
  FIELDS.map(([name, field]) => of(name, field));

/** The limits of a plan; 0 allows no call. */
export type PlanCallLimits = Record<LimitName, number>;

/** The limits of a plan in words: `60 requests per minute, 10,000 per month`. */
export const describeLimits = (
  limits: PlanCallLimits,
  format: (count: number) => string = String,
): string =>
  listLimits((name, { window }) => `${format(limits[name])} per ${window}`)
    .join(', ')
    .replace(' ', ' requests ');

/** Limits of which null means none, such as a key's own in addition to its plan's. */
export type KeyLimits = Record<LimitName, number | null>;

/** A limit of a scope, and whose number it is. */
export interface Limit {
  readonly owner: LimitOwner;
  readonly window: LimitWindow;
  readonly value: number;
}

/** The limit that each denial reports. */
export const LIMIT_OF_DENIAL = {
  quota_exceeded: 'monthlyQuota',
  rate_limited: 'rateLimitPerMinute',
} as const satisfies Record<LimitDenial, LimitName>;

/**
 * What a quota is counted over, in UTC: 1 to 28 is a month that begins on that day of the month; 0 is a
 * day.
 */
export type Period = number;

export const CALENDAR_MONTH: Period = 1;
export const DAY: Period = 0;

/** What calls are counted for, per UTC minute and per period. */
export interface Scope {
  readonly kind: 'project' | 'api_key';
  readonly id: string;
  /** What its quota counts over. */
  readonly period: Period;
  /** Null where calls are counted but not limited. */
  readonly limits: Readonly<Record<LimitWindow, Limit | null>>;
}

/** How a scope is named in `usage_months`, and in the usage that Redis keeps. */
export const scopeName = ({ kind, id, period }: Scope) =>
  nameWithPeriod(kind === 'project' ? PROJECT_SCOPE : id, period);

/** One counter counts over one period: another has another name, such as `project@15`. */
export const nameWithPeriod = (name: string, period: Period) =>
  period === CALENDAR_MONTH ? name : `${name}@${period}`;

/** The name of the project's own scope. */
export const PROJECT_SCOPE = 'project';

const limitOf = (owner: LimitOwner, window: LimitWindow, value: number | null): Limit | null =>
  value === null ? null : { owner, window, value };

/** A project with the limits of its plan. */
export const projectScope = (projectId: string, plan: KeyLimits): Scope => ({
  kind: 'project',
  id: projectId,
  period: CALENDAR_MONTH,
  limits: {
    minute: limitOf('plan', 'minute', plan.rateLimitPerMinute),
    month: limitOf('plan', 'month', plan.monthlyQuota),
  },
});

/** A key with its own limits; `defaultRate` is the rate of the project's keys without one. */
export const apiKeyScope = (
  apiKeyId: string,
  own: KeyLimits,
  defaultRate: number | null,
): Scope => ({
  kind: 'api_key',
  id: apiKeyId,
  period: CALENDAR_MONTH,
  limits: {
    minute:
      limitOf('api_key', 'minute', own.rateLimitPerMinute) ??
      limitOf('project_default', 'minute', defaultRate),
    month: limitOf('api_key', 'month', own.monthlyQuota),
  },
});
