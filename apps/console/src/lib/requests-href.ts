import { minuteText } from './instant.ts';

/** The fields of the filter of the page Requests, which are the parameters of its URL. */
export const REQUEST_FIELDS = [
  'outcome',
  'reason',
  'key',
  'customer',
  'method',
  'pathPrefix',
  'decisionId',
  'requestId',
  'from',
  'to',
] as const;
export type RequestField = (typeof REQUEST_FIELDS)[number];
export type RequestFields = Partial<Record<RequestField, string | null>>;

/** The address of the requests of a project that match some fields; null and '' set no filter. */
export function requestsHref(projectId: string, fields: RequestFields): string {
  const query = new URLSearchParams();
  for (const name of REQUEST_FIELDS) {
    const value = fields[name];
    if (value) query.set(name, value);
  }
  return `/projects/${projectId}/requests${query.size === 0 ? '' : `?${query}`}`;
}

const MINUTE_MS = 60_000;

/** The requests between two times, or since one; the filter's last minute is included. */
export const requestsBetween = (
  projectId: string,
  { from, to }: { from: Date; to?: Date },
  fields: RequestFields = {},
): string =>
  requestsHref(projectId, {
    ...fields,
    from: minuteText(from),
    to: to ? minuteText(new Date(to.getTime() - MINUTE_MS)) : null,
  });
