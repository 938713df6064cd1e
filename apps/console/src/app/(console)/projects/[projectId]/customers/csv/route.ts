import { listLimits } from '@ceiba/domain';
import { type CustomerWithUse, exportCustomers } from '@ceiba/schema';
import { type CsvColumns, csvDay, csvResponse } from '#server/csv.ts';
import { projectRoute } from '#server/data-route.ts';
import { withDatabase } from '#server/database.ts';
import { stateOf } from '../customer-state.ts';
import { filterOf } from '../filter.ts';

const COLUMNS: CsvColumns<CustomerWithUse> = {
  customer_id: (row) => row.customerId,
  external_id: (row) => row.externalId,
  name: (row) => row.name,
  state: (row) => stateOf(row, row.use.admits),
  suspended_at_utc: ({ suspendedAt }) => suspendedAt?.toISOString() ?? null,
  plan: ({ plan }) => plan?.name ?? null,
  subscription_status: (row) => row.subscriptionStatus,
  current_period_end_utc: ({ currentPeriodEnd }) => currentPeriodEnd?.toISOString() ?? null,
  billing_day: (row) => row.billingDay,
  ...Object.fromEntries(
    listLimits((name, { column }) => [column, (row: CustomerWithUse) => row[name]]),
  ),
  active_keys: ({ use }) => use.activeKeys,
  period_from_utc: ({ use }) => use.month.from.toISOString(),
  period_to_utc: ({ use }) => use.month.to.toISOString(),
  used: ({ use }) => use.month.used,
  quota: ({ use }) => use.month.quota?.value ?? null,
  created_at_utc: ({ createdAt }) => createdAt.toISOString(),
};

/** The customers that match the filter of the URL as CSV, newest first. */
export const GET = projectRoute(async ({ projectId }, query) => {
  const pages = exportCustomers(withDatabase, { projectId, filter: filterOf(query) });
  return csvResponse(`ceiba-customers-${csvDay()}`, COLUMNS, pages);
});
