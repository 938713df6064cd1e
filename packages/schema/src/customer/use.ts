import {
  DAY,
  type Labels,
  type Limit,
  limitsIn,
  scopeName,
  scopesOfCustomer,
  windowOfPeriod,
} from '@ceiba/domain';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { countsAgainstCap } from '../api-key/cap.ts';
import type { Database } from '../connection/database.ts';
import { admitsNow } from '../subscription/admits.ts';
import { customerPlans, customers } from '../tables.ts';
import { toMs } from '../time.ts';
import { readPeriodUse } from '../usage/period-totals.ts';

/** What a customer may use, and has used: as of the last flush. */
export interface CustomerUse {
  /** Its active keys, and the most that its plan allows; null for no cap of its own. */
  activeKeys: number;
  activeKeyCap: number | null;
  /** The newest allowed call with one of the keys that it has now; null if there is none. */
  lastUsedAt: Date | null;
  /** Whether its plan allows calls now, by the database's clock; true without a plan. */
  admits: boolean;
  /** The labels of the policies that its plan opens; null for all. */
  planScopes: Labels;
  rate: Limit | null;
  /** The month that its billing day began. */
  month: QuotaOfPeriod;
  /** Null without a quota by day: then days are not counted. */
  day: QuotaOfPeriod | null;
}

export interface QuotaOfPeriod {
  from: Date;
  /** Exclusive. */
  to: Date;
  /** What allowed requests cost. */
  used: number;
  quota: Limit | null;
}

export interface CustomersRef {
  projectId: string;
  customerIds: readonly string[];
}

/** Reads the use of some customers of a project, by id. Customers of other projects are left out. */
export async function readCustomerUse(
  db: Database,
  { projectId, customerIds }: CustomersRef,
): Promise<Map<string, CustomerUse>> {
  if (customerIds.length === 0) return new Map();
  const rows = await selectLimits(db, { projectId, customerIds });
  const scoped = rows.flatMap(({ nowMs, ...row }) =>
    scopesOfCustomer(row).map((scope) => {
      const window = windowOfPeriod(scope.period);
      return { scope, window, number: window.numberAt(nowMs) };
    }),
  );
  const uses = await readPeriodUse(
    db,
    scoped.map(({ scope, number }) => ({ projectId, number, scope: scopeName(scope) })),
  );
  const counted = scoped.map(({ scope, window, number }, index) => ({
    scope,
    from: new Date(window.startOf(number)),
    to: new Date(window.startOf(number + 1)),
    used: uses[index]?.total ?? 0,
    quota: scope.quota,
  }));
  return new Map(
    rows.map(({ customerId, keys, plan, admits }) => {
      const own = counted.filter(({ scope }) => scope.id === customerId);
      const month = own.find(({ scope }) => scope.period !== DAY);
      if (month === undefined) throw new Error('a customer has no scope of its month');
      const use: CustomerUse = {
        activeKeys: keys.active,
        lastUsedAt: keys.lastMs === null ? null : new Date(keys.lastMs),
        activeKeyCap: plan?.activeKeyCap ?? null,
        admits,
        planScopes: plan?.scopes ?? null,
        rate: month.scope.rate,
        month: ofPeriod(month),
        day: own.flatMap((one) => (one.scope.period === DAY ? [ofPeriod(one)] : []))[0] ?? null,
      };
      return [customerId, use];
    }),
  );
}

const ofPeriod = ({ from, to, used, quota }: QuotaOfPeriod): QuotaOfPeriod => ({
  from,
  to,
  used,
  quota,
});

const selectLimits = (db: Database, { projectId, customerIds }: CustomersRef) =>
  db.orm
    .select({
      customerId: customers.id,
      billingDay: customers.billingDay,
      ...limitsIn(customers),
      admits: sql<boolean>`${customers.planId} is null
        or ${sql.raw(admitsNow('customers', 'subscription_status'))}`,
      keys: sql<{ active: number; lastMs: number | null }>`(select json_build_object(
          'active', count(*) filter (where ${countsAgainstCap('k')}),
          'lastMs', ${toMs(sql`max(k.last_used_at)`)})
        from api_keys k
        where k.project_id = ${customers.projectId} and k.customer_id = ${customers.id})`,
      nowMs: sql<number>`${toMs(sql`now()`)}`,
      plan: {
        planId: customerPlans.id,
        activeKeyCap: customerPlans.activeKeyCap,
        ...limitsIn(customerPlans),
        scopes: customerPlans.scopes,
      },
    })
    .from(customers)
    .leftJoin(
      customerPlans,
      and(eq(customerPlans.projectId, customers.projectId), eq(customerPlans.id, customers.planId)),
    )
    .where(and(eq(customers.projectId, projectId), inArray(customers.id, [...customerIds])));
