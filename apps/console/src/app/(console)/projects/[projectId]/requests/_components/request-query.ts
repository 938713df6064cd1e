import { DENIAL_REASONS, type DenialReason, UUID } from '@ceiba/contract/sets';
import { type Query, textOf } from '#lib/list-query.ts';
import { REQUEST_FIELDS, type RequestField } from '#lib/requests-href.ts';
import { withoutSecrets } from '#lib/text.ts';
import { parseMinute } from '#lib/time.ts';

export const OUTCOME_CHOICES = [
  { value: 'denied', name: 'Denied' },
  { value: 'allowed', name: 'Allowed' },
] as const;

/** The filter as the log reads it; `key` is resolved to an ID by `readKey`. */
export interface RequestFilter {
  outcome?: 'allowed' | 'denied';
  reason?: DenialReason;
  method?: string;
  pathPrefix?: string;
  customerId?: string;
  decisionId?: string;
  requestId?: string;
  from?: Date;
  /** Excluded. */
  to?: Date;
}

export interface RequestQuery {
  filter: RequestFilter;
  /** The value of each field, as text. */
  fields: Record<RequestField, string>;
  /** How to fix the fields that cannot be applied; nothing is listed while there is one. */
  errors: Partial<Record<RequestField, string>>;
  cursor: string;
  /** Whether any filter is set. */
  isFiltered: boolean;
}

const TEXT_LENGTH_MAX = 500;
const MINUTE_MS = 60_000;

/**
 * The filter of the URL. Unknown choices count as absent; text that cannot match is an error beside
 * its field. Times are in UTC, and both minutes are included.
 */
export function parseRequestQuery(query: Query): RequestQuery {
  const text = (name: RequestField) =>
    withoutSecrets(textOf(query, name).trim().slice(0, TEXT_LENGTH_MAX));
  const reason = DENIAL_REASONS.find((known) => known === text('reason'));
  // A reason implies a denial.
  const outcome =
    reason === undefined
      ? OUTCOME_CHOICES.find(({ value }) => value === text('outcome'))?.value
      : 'denied';
  const fields = {
    outcome: outcome ?? '',
    reason: reason ?? '',
    key: text('key'),
    customer: text('customer').toLowerCase(),
    method: text('method').toUpperCase(),
    pathPrefix: rooted(text('pathPrefix')),
    decisionId: text('decisionId').toLowerCase(),
    requestId: text('requestId'),
    from: text('from'),
    to: text('to'),
  };
  const from = parseMinute(fields.from);
  const last = parseMinute(fields.to);
  const to = last && new Date(last.getTime() + MINUTE_MS);
  const errors = {
    ...(fields.decisionId !== '' && !UUID.test(fields.decisionId) && { decisionId: NO_ID }),
    ...(fields.customer !== '' && !UUID.test(fields.customer) && { customer: NO_CUSTOMER }),
    ...(fields.key !== '' && !KEY.test(fields.key) && { key: NO_KEY }),
    ...(fields.from !== '' && from === null && { from: NO_TIME }),
    ...(fields.to !== '' && to === null && { to: NO_TIME }),
    ...(from !== null && to !== null && from >= to && { to: NO_RANGE }),
  };
  return {
    filter: {
      ...(outcome && { outcome }),
      ...(reason && { reason }),
      ...(fields.method && { method: fields.method }),
      ...(fields.pathPrefix && { pathPrefix: fields.pathPrefix }),
      ...(fields.customer && { customerId: fields.customer }),
      ...(fields.decisionId && { decisionId: fields.decisionId }),
      ...(fields.requestId && { requestId: fields.requestId }),
      ...(from && { from }),
      ...(to && { to }),
    },
    fields,
    errors,
    cursor: textOf(query, 'cursor'),
    isFiltered: REQUEST_FIELDS.some((name) => fields[name] !== ''),
  };
}

/** An ID or a prefix of a key, which of an imported one is any text; `readKey` finds the key. */
const KEY = /^[!-~]{1,36}$/;

const rooted = (path: string) => (path === '' || path.startsWith('/') ? path : `/${path}`);

const NO_ID = 'A decision ID looks like 0192f0c1-7a3b-7c4d-8e5f-0123456789ab.';
const NO_KEY = 'Enter a key’s ID, or its prefix, such as ceiba_4fZk2Qpa.';
const NO_CUSTOMER = 'A customer ID looks like 6f9619ff-8b86-4d01-b42d-00c04fc964ff.';
const NO_TIME = 'Choose a date and a time.';
const NO_RANGE = 'The end must not be before the start.';
