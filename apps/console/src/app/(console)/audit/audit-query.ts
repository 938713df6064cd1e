import { AUDIT_ACTIONS, type AuditFilter } from '@ceiba/schema';
import { AUDIT_KINDS } from '#components/audit/audit-words.ts';
import { minuteText, parseDay, parseMinute } from '#lib/instant.ts';
import { type Query, textOf } from '#lib/list-query.ts';

export interface AuditQuery {
  filter: Pick<AuditFilter, 'actions' | 'text' | 'from' | 'to'>;
  /** The values of the fields. */
  text: string;
  kind: string;
  from: string;
  to: string;
  cursor: string;
  /** From when the text search is, if it begins later than the filter. */
  searchedSince: Date | null;
  /** Whether any filter is set. */
  isFiltered: boolean;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TEXT_LENGTH_MAX = 100;
/** No index supports the text search, so it covers no more days than this. */
const TEXT_DAYS_MAX = 366;

/**
 * The filter of the URL, which holds instants; invalid values count as absent, and the last minute is
 * included. A day stands for its first or its last minute in UTC.
 */
export function parseAuditQuery(query: Query, now: Date): AuditQuery {
  const text = textOf(query, 'q').trim().slice(0, TEXT_LENGTH_MAX);
  const kind = AUDIT_KINDS.find(({ value }) => value === textOf(query, 'kind'))?.value ?? '';
  const to = endOf(textOf(query, 'to'));
  const first = textOf(query, 'from');
  const asked = parseMinute(first) ?? parseDay(first);
  const from = text === '' ? asked : latestOf(asked, daysBefore(to ?? now, TEXT_DAYS_MAX));
  return {
    filter: {
      ...(text !== '' && { text }),
      ...(kind !== '' && {
        actions: AUDIT_ACTIONS.filter((action) => action.startsWith(`${kind}.`)),
      }),
      ...(from !== null && { from }),
      ...(to !== null && { to }),
    },
    text,
    kind,
    from: asked === null ? '' : minuteText(asked),
    to: to === null ? '' : minuteText(new Date(to.getTime() - MINUTE_MS)),
    cursor: textOf(query, 'cursor'),
    searchedSince: from === asked ? null : from,
    isFiltered: text !== '' || kind !== '' || asked !== null || to !== null,
  };
}

/** The end of a minute or of a day. */
function endOf(text: string): Date | null {
  const minute = parseMinute(text);
  if (minute !== null) return new Date(minute.getTime() + MINUTE_MS);
  const day = parseDay(text);
  return day && new Date(day.getTime() + DAY_MS);
}

const daysBefore = (end: Date, days: number) =>
  new Date((Math.ceil(end.getTime() / DAY_MS) - days) * DAY_MS);

const latestOf = (one: Date | null, other: Date) => (one !== null && one > other ? one : other);
