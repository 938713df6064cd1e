import { USAGE_RANGE_DAYS_MAX, wholeSteps } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';
import { allowedRequests, days, largestKeysOfDays, type UsageOfProject } from './decisions.ts';

export interface UsageByCustomerInput extends UsageOfProject {
  step: 'hour' | 'day';
  /** The most customers. */
  top: number;
}

/** The allowed requests of a customer's keys: of those that it has now. */
export interface CustomerTotal {
  customerId: string;
  externalId: string;
  /** Empty where it has none. */
  name: string;
  total: number;
}

/** Of the customers of the largest keys of each day, this many per line are counted. */
const CANDIDATES_PER_LINE = 4;

/**
 * Reads the customers with the most allowed requests, the largest first. Over days, only those of keys that
 * were among the fifty largest of some day are found.
 *
 * @throws RangeError when the range is empty, or longer than `USAGE_RANGE_DAYS_MAX` permits for customers
 */
export async function readUsageByCustomer(
  db: { orm: Executor },
  { projectId, step, top, ...input }: UsageByCustomerInput,
): Promise<CustomerTotal[]> {
  const range = wholeSteps(input, step, USAGE_RANGE_DAYS_MAX.customer[step]);
  const usage = { projectId, ...range };
  if (step === 'hour')
    return largest(db, usage, allowedRequests(usage, { by: 'api_key', step }), top);
  const candidates = await largest(db, usage, largestKeysOfDays(usage), top * CANDIDATES_PER_LINE);
  if (candidates.length === 0) return [];
  const keys = await db.orm.execute<{ id: string }>(sql`
    select k.id from api_keys k where k.project_id = ${projectId}
      and k.customer_id = any(${arrayOf(candidates.map(({ customerId }) => customerId))}::uuid[])`);
  const ids = keys.map(({ id }) => id);
  return largest(db, usage, allowedRequests(usage, { by: 'api_key', step, ids }), top);
}

/**
 * The customer of each key that was used is looked up: with a join, the planner reads all keys of the
 * project, because it cannot know how few those are. OFFSET 0 keeps it from that.
 *
 * @param counted rows with the id of a key and a count
 */
async function largest(
  db: { orm: Executor },
  usage: UsageOfProject,
  counted: SQL,
  most: number,
): Promise<CustomerTotal[]> {
  const rows = await db.orm.execute<{ [Name in keyof CustomerTotal]: CustomerTotal[Name] }>(sql`
    with ${days(usage)}, counted as (${counted}), of_key as (
      select id, sum(count) as total from counted group by id
    ), totals as (
      select k.customer_id, sum(of_key.total) as total
      from of_key cross join lateral (
        select customer_id from api_keys
        where id = of_key.id and project_id = ${usage.projectId} and customer_id is not null offset 0
      ) k
      group by k.customer_id having sum(of_key.total) > 0
      order by total desc, k.customer_id limit ${most}
    )
    select c.id as "customerId", c.external_id as "externalId", c.name, totals.total::float8 as total
    from totals join customers c on c.project_id = ${usage.projectId} and c.id = totals.customer_id
    order by totals.total desc, c.id`);
  return [...rows];
}
