/**
 * A limit is a number of calls in a window of time, and whose it is. A scope is what calls are counted
 * for. Imports no module, so that client components can import it from `@ceiba/domain/limits`.
 */
import type { LimitOwner, LimitWindow } from '@ceiba/contract/sets';

export type { LimitWindow };

/** The largest rate, and the largest cap of active keys: a PostgreSQL `integer`. */
export const PLAN_LIMIT_MAX = 2_147_483_647;
/** The largest quota, in calls or what they cost. */
export const QUOTA_MAX = 1_000_000_000_000;

/**
 * The limits of plans, customers and keys by their names in the contract: the window that each counts
 * calls in, the largest value, the column that has it, and its option of the CLI in camel case. Columns,
 * forms, options and texts derive from it. The smallest value is 0, which allows no call: of a quota, none
 * that costs something.
 */
export const LIMITS = {
  rateLimitPerMinute: {
    window: 'minute',
    most: PLAN_LIMIT_MAX,
    column: 'rate_limit_per_minute',
    option: 'rate',
  },
  dailyQuota: { window: 'day', most: QUOTA_MAX, column: 'daily_quota', option: 'dailyQuota' },
  monthlyQuota: { window: 'month', most: QUOTA_MAX, column: 'monthly_quota', option: 'quota' },
} as const satisfies Record<
  string,
  { window: LimitWindow; most: number; column: string; option: string }
>;

export type LimitName = keyof typeof LIMITS;
export type LimitField = (typeof LIMITS)[LimitName];

const FIELDS = Object.entries(LIMITS) as [LimitName, LimitField][];

/** A value for each limit, by its name. */
export const eachLimit = <T>(of: (name: LimitName, field: LimitField) => T) =>
  Object.fromEntries(FIELDS.map(([name, field]) => [name, of(name, field)])) as Record<
    LimitName,
    T
  >;

/** The limits of something that has them. */
export const limitsIn = <Limited extends Record<LimitName, unknown>>(
  limited: Limited,
): Pick<Limited, LimitName> => ({
  rateLimitPerMinute: limited.rateLimitPerMinute,
  dailyQuota: limited.dailyQuota,
  monthlyQuota: limited.monthlyQuota,
});

/** A list with a value for each limit, in their order. */
export const listLimits = <T>(of: (name: LimitName, field: LimitField) => T): T[] =>
  FIELDS.map(([name, field]) => of(name, field));

/** The limits of a plan. Only a quota by day is left to each plan. */
export type PlanCallLimits = Record<Exclude<LimitName, 'dailyQuota'>, number> &
  Record<'dailyQuota', number | null>;

/** The limits of a plan in words: `60 requests per minute, 10,000 per month`. */
export const describeLimits = (
  limits: { readonly [Name in LimitName]?: number | null | undefined },
  format: (count: number) => string = String,
): string =>
  listLimits((name, { window }) => ({ value: limits[name], window }))
    .flatMap(({ value, window }) => (value == null ? [] : `${format(value)} per ${window}`))
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

/**
 * What a quota is counted over, in UTC: 1 to 28 is a month that begins on that day of the month; 0 is a
 * day.
 */
export type Period = number;

export const CALENDAR_MONTH: Period = 1;
export const DAY: Period = 0;

/** What calls are counted for, per UTC minute and per period. */
export interface Scope {
  readonly kind: 'project' | 'customer' | 'api_key';
  readonly id: string;
  /** What its quota counts over. */
  readonly period: Period;
  /** Null where calls are counted but not limited. */
  readonly rate: Limit | null;
  readonly quota: Limit | null;
}

/** How a scope is named in the tables of usage, and in the usage that Redis keeps. */
export const scopeName = ({ kind, id, period }: Scope) =>
  nameWithPeriod(kind === 'project' ? PROJECT_SCOPE : id, period);

/** One counter counts over one period: another has another name, such as `project@15`. */
export const nameWithPeriod = (name: string, period: Period) =>
  period === CALENDAR_MONTH ? name : `${name}@${period}`;

/** The name of the project's own scope. */
export const PROJECT_SCOPE = 'project';

/** Whose limits a call has to keep: of its project, of its customer if it has one, and of its key. */
export interface LimitedCall {
  projectId: string;
  plan: KeyLimits;
  customer: LimitedCustomer | null;
  apiKey: { apiKeyId: string } & KeyLimits;
  /** The rate of keys without one of their own. */
  defaultKeyRateLimitPerMinute: number | null;
}

/** Its own limits replace its plan's, each by itself. */
export interface LimitedCustomer extends KeyLimits {
  customerId: string;
  /** The day of the month on which its month begins, 1 to 28. */
  billingDay: Period;
  plan: KeyLimits | null;
}

/**
 * The scopes of a call, in the order in which the charge judges their quotas: months before days, and of
 * each the project before the customer before the key. A day is counted only while it is limited.
 */
export function scopesOf(call: LimitedCall): readonly Scope[] {
  const { projectId, plan, customer, apiKey, defaultKeyRateLimitPerMinute } = call;
  const scopes = new ScopeList();
  scopes.add('project', projectId, CALENDAR_MONTH, ['plan', plan]);
  if (customer) scopes.addCustomer(customer);
  scopes.addApiKey(apiKey, defaultKeyRateLimitPerMinute);
  return scopes.inOrder();
}

/** The scopes of a key alone. */
export function scopesOfApiKey(
  apiKey: LimitedCall['apiKey'],
  defaultRate: number | null,
): readonly Scope[] {
  const scopes = new ScopeList();
  scopes.addApiKey(apiKey, defaultRate);
  return scopes.inOrder();
}

/** The scopes of a customer alone. */
export function scopesOfCustomer(customer: LimitedCustomer): readonly Scope[] {
  const scopes = new ScopeList();
  scopes.addCustomer(customer);
  return scopes.inOrder();
}

export const NO_LIMITS: KeyLimits = eachLimit(() => null);

type OwnLimits = readonly [owner: LimitOwner, limits: KeyLimits];

class ScopeList {
  readonly #months: Scope[] = [];
  readonly #days: Scope[] = [];

  /** Each limit is the own one, or where that is null, the other. */
  add(
    kind: Scope['kind'],
    id: string,
    month: Period,
    own: OwnLimits,
    other: OwnLimits | null = null,
  ) {
    const rate = limitOf('rateLimitPerMinute', own, other);
    this.#months.push({
      kind,
      id,
      period: month,
      rate,
      quota: limitOf('monthlyQuota', own, other),
    });
    const quota = limitOf('dailyQuota', own, other);
    if (quota) this.#days.push({ kind, id, period: DAY, rate: null, quota });
  }

  addCustomer(customer: LimitedCustomer): void {
    const { customerId, billingDay, plan } = customer;
    const own = ['customer', customer] as const;
    this.add('customer', customerId, billingDay, own, plan && ['customer_plan', plan]);
  }

  addApiKey(apiKey: LimitedCall['apiKey'], defaultRate: number | null): void {
    const byDefault: OwnLimits | null =
      defaultRate === null
        ? null
        : ['project_default', { ...NO_LIMITS, rateLimitPerMinute: defaultRate }];
    this.add('api_key', apiKey.apiKeyId, CALENDAR_MONTH, ['api_key', apiKey], byDefault);
  }

  inOrder(): readonly Scope[] {
    return this.#days.length === 0 ? this.#months : [...this.#months, ...this.#days];
  }
}

function limitOf(name: LimitName, own: OwnLimits, other: OwnLimits | null): Limit | null {
  const [owner, { [name]: value }] = own;
  if (value !== null) return { owner, window: LIMITS[name].window, value };
  return other && limitOf(name, other, null);
}
