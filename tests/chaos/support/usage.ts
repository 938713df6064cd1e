import type { Outcome } from '@ceiba/contract/sets';
import type { World } from '../../support/scenario.ts';

/** A project's usage in Postgres. */
export interface Usage {
  /** Decisions by outcome, over all hours, keys and incarnations. */
  hours: Partial<Record<Outcome, number>>;
  /** Allowed calls by month (year × 12 + month), over all incarnations of the project's counter. */
  months: Record<number, number>;
}

export async function readUsage({ db }: World, projectId: string): Promise<Usage> {
  const hours = await db.sql<{ outcome: Outcome; count: number }[]>`
    select outcome, sum(count)::int as count from usage_hours
    where project_id = ${projectId} group by outcome`;
  const months = await db.sql<{ month: number; count: number }[]>`
    select month, sum(count)::int as count from usage_months
    where project_id = ${projectId} and scope = 'project' group by month`;
  return {
    hours: Object.fromEntries(hours.map(({ outcome, count }) => [outcome, count])),
    months: Object.fromEntries(months.map(({ month, count }) => [month, count])),
  };
}

export const allowedIn = (usage: Usage) => usage.hours.allowed ?? 0;
export const monthsOf = (usage: Usage) =>
  Object.values(usage.months).reduce((total, count) => total + count, 0);
