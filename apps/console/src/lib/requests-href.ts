/** The fields of the filter of the page Requests, which are the parameters of its URL. */
export const REQUEST_FIELDS = [
  'outcome',
  'reason',
  'key',
  'method',
  'pathPrefix',
  'decisionId',
  'requestId',
  'from',
  'to',
] as const;
export type RequestField = (typeof REQUEST_FIELDS)[number];

/** The address of the requests of a project that match some fields; null and '' set no filter. */
export function requestsHref(
  projectId: string,
  fields: Partial<Record<RequestField, string | null>>,
): string {
  const query = new URLSearchParams();
  for (const name of REQUEST_FIELDS) {
    const value = fields[name];
    if (value) query.set(name, value);
  }
  return `/projects/${projectId}/requests${query.size === 0 ? '' : `?${query}`}`;
}

const MINUTE_MS = 60_000;

/** The requests between two times; the filter's last minute is included. */
export const requestsBetween = (
  projectId: string,
  from: Date,
  to: Date,
  fields: Partial<Record<RequestField, string | null>> = {},
): string =>
  requestsHref(projectId, {
    ...fields,
    from: from.toISOString().slice(0, 16),
    to: new Date(to.getTime() - MINUTE_MS).toISOString().slice(0, 16),
  });
