import { DENIAL_REASONS, type DenialReason, type DenialStatus, UUID } from '@ceiba/contract/sets';
import { API_KEY_BRAND } from '@ceiba/domain';
import { DENIAL_STATUSES, denialStatusOf } from '#lib/denial-status.ts';
import { minuteText, parseMinute } from '#lib/instant.ts';
import { type Query, textOf } from '#lib/list-query.ts';
import { REQUEST_FIELDS, type RequestField } from '#lib/requests-href.ts';
import { withoutSecrets } from '#lib/text.ts';

/** Denials can be chosen by the status that the host answered with. */
export const OUTCOME_CHOICES: readonly { value: string; name: string }[] = [
  { value: 'denied', name: 'Denied' },
  ...DENIAL_STATUSES.map((status) => ({
    value: String(status),
    name: `Denied with ${status}`,
  })),
  { value: 'allowed', name: 'Allowed' },
];

/** The filter as the log reads it; the key is resolved by `readFilter`. */
export interface RequestFilter {
  outcome?: 'allowed' | 'denied';
  reason?: DenialReason;
  status?: DenialStatus;
  method?: string;
  pathPrefix?: string;
  customerId?: string;
  decisionId?: string;
  requestId?: string;
  anyOf?: Pick<RequestFilter, 'pathPrefix' | 'decisionId' | 'requestId'>;
  from?: Date;
  /** Excluded. */
  to?: Date;
}

export interface RequestQuery {
  filter: RequestFilter;
  /** The key that is meant, by its ID or a part of its prefix, and the field that names it. */
  key: { field: RequestField; text: string } | null;
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
 * its field. Both minutes are included.
 *
 * @param keyBrand what the keys of the project begin with
 */
export function parseRequestQuery(query: Query, keyBrand = API_KEY_BRAND): RequestQuery {
  const text = (name: RequestField) =>
    withoutSecrets(textOf(query, name).trim().slice(0, TEXT_LENGTH_MAX));
  const reason = DENIAL_REASONS.find((known) => known === text('reason'));
  // A reason implies a denial.
  const outcome =
    reason === undefined
      ? OUTCOME_CHOICES.find(({ value }) => value === text('outcome'))?.value
      : 'denied';
  const searched = meaningOf(text('pathPrefix'), {
    keyBrands: text('key') === '' ? [API_KEY_BRAND, keyBrand] : [],
  });
  const fields = {
    outcome: outcome ?? '',
    reason: reason ?? '',
    key: storedOf(text('key')),
    customer: text('customer').toLowerCase(),
    method: text('method').toUpperCase(),
    pathPrefix: searched.pathPrefix ?? text('pathPrefix'),
    decisionId: text('decisionId').toLowerCase(),
    requestId: text('requestId'),
    from: minuteOf(text('from')),
    to: minuteOf(text('to')),
  };
  const key =
    fields.key !== ''
      ? ({ field: 'key', text: fields.key } as const)
      : searched.key !== undefined
        ? ({ field: 'pathPrefix', text: searched.key } as const)
        : null;
  const chosen = denialStatusOf(fields.outcome);
  const status = searched.status ?? chosen;
  const from = parseMinute(fields.from);
  const last = parseMinute(fields.to);
  const to = last && new Date(last.getTime() + MINUTE_MS);
  const errors = {
    ...(fields.decisionId !== '' && !UUID.test(fields.decisionId) && { decisionId: NO_ID }),
    ...(fields.customer !== '' && !UUID.test(fields.customer) && { customer: NO_CUSTOMER }),
    ...(chosen && status !== chosen && { pathPrefix: NO_STATUS }),
    ...(key !== null && !KEY.test(key.text) && { [key.field]: NO_KEY }),
    ...(fields.from !== '' && from === null && { from: NO_TIME }),
    ...(fields.to !== '' && to === null && { to: NO_TIME }),
    ...(from !== null && to !== null && from >= to && { to: NO_RANGE }),
  };
  return {
    filter: {
      ...((outcome === 'allowed' || outcome === 'denied') && { outcome }),
      ...(reason && { reason }),
      ...(status && { status }),
      ...(fields.method && { method: fields.method }),
      ...(searched.pathPrefix && { pathPrefix: searched.pathPrefix }),
      ...(fields.customer && { customerId: fields.customer }),
      ...(searched.anyOf && { anyOf: searched.anyOf }),
      ...(fields.decisionId && { decisionId: fields.decisionId }),
      ...(fields.requestId && { requestId: fields.requestId }),
      ...(from && { from }),
      ...(to && { to }),
    },
    key,
    fields,
    errors,
    cursor: textOf(query, 'cursor'),
    isFiltered: REQUEST_FIELDS.some((name) => fields[name] !== ''),
  };
}

/** A UUID as it is stored; other text unchanged. */
const storedOf = (text: string) => (UUID.test(text.toLowerCase()) ? text.toLowerCase() : text);

/** A minute as the address holds it; other text unchanged. */
function minuteOf(text: string): string {
  const minute = parseMinute(text);
  return minute === null ? text : minuteText(minute);
}

interface Meaning extends Pick<RequestFilter, 'pathPrefix' | 'status' | 'anyOf'> {
  key?: string;
}

/**
 * What a text of the search is: whatever is nothing else is a path, with or without its first slash.
 * A request ID can look like a decision ID, and like a path without a slash.
 */
function meaningOf(text: string, { keyBrands }: { keyBrands: readonly string[] }): Meaning {
  if (text === '' || text.startsWith('/')) return { pathPrefix: text };
  const status = denialStatusOf(text);
  if (status !== undefined) return { status };
  const id = text.toLowerCase();
  if (UUID.test(id)) return { anyOf: { decisionId: id, requestId: text } };
  if (text.includes('/')) return { pathPrefix: `/${text}` };
  if (keyBrands.some((brand) => text.startsWith(brand))) return { key: text };
  return { anyOf: { pathPrefix: `/${text}`, requestId: text } };
}

/** An ID or a part of a prefix of a key, which of an imported one is any text; `readFilter` finds the key. */
const KEY = /^[!-~]{1,36}$/;

const NO_ID = 'A decision ID looks like 0192f0c1-7a3b-7c4d-8e5f-0123456789ab.';
const NO_KEY = 'Enter a key’s ID, or the beginning of the key, such as ceiba_4fZk2Qpa.';
const NO_STATUS = 'The outcome names another status.';
const NO_CUSTOMER = 'A customer ID looks like 6f9619ff-8b86-4d01-b42d-00c04fc964ff.';
const NO_TIME = 'Choose a date and a time.';
const NO_RANGE = 'The end must not be before the start.';
