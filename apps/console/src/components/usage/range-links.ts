import { MS_PER_DAY, startOfStep, type UsageRange, type UsageStep } from '@ceiba/domain';
import { plural } from '../../lib/format.ts';
import { type Query, withQuery } from '../../lib/list-query.ts';
import { type RequestFields, requestsBetween } from '../../lib/requests-href.ts';
import { daysOf } from './usage-query.ts';

/** The time of which the decision log has requests: whole days in UTC. */
export interface KeptRequests {
  days: number;
  since: Date;
}

/** @param days the retention of the decision log, before today */
export const keptRequests = (days: number, now: Date): KeptRequests => ({
  days,
  since: new Date(startOfStep(now, 'day').getTime() - days * MS_PER_DAY),
});

/** Why a range that begins earlier has no requests, or too few; else nothing. */
export const keptNote = ({ days, since }: KeptRequests, { from }: Pick<UsageRange, 'from'>) =>
  from < since ? `Requests are kept for ${plural(days, 'day')}.` : '';

/** The requests of a range; null if all of it is before the log. */
export const requestsIn = (
  projectId: string,
  { from, to }: UsageRange,
  kept: KeptRequests,
  fields: RequestFields = {},
): string | null => (to <= kept.since ? null : requestsBetween(projectId, { from, to }, fields));

export interface ChartPlace {
  projectId: string;
  /** The address of the chart's page, and its query. */
  here: string;
  query: Query;
  step: UsageStep;
  kept: KeptRequests;
  /** The key that the chart is about, if it is about one. */
  apiKeyId?: string;
}

/** Where a bar leads: to a shorter range, and an hour to its requests; null if they are not kept. */
export const barHref =
  ({ projectId, here, query, step, kept, apiKeyId = '' }: ChartPlace) =>
  (from: Date, to: Date): string | null => {
    if (step === 'hour') return requestsIn(projectId, { from, to }, kept, { key: apiKeyId });
    const { firstDay, lastDay } = daysOf(from, to);
    return withQuery(here, query, { range: undefined, from: firstDay, to: lastDay });
  };
