import { AUDIT_ACTIONS, type AuditFilter } from '@ceiba/schema';
import { AUDIT_KINDS } from '#components/audit/audit-words.ts';
import { type Query, textOf } from '#lib/list-query.ts';
import { parseDay } from '#lib/time.ts';

export interface AuditQuery {
  filter: Pick<AuditFilter, 'actions' | 'text' | 'from' | 'to'>;
  /** The values of the fields. */
  text: string;
  kind: string;
  firstDay: string;
  lastDay: string;
  cursor: string;
  /** The first day of the text search, if it differs from the first day of the filter. */
  searchedSince: string | null;
  /** Whether any filter is set. */
  isFiltered: boolean;
}

const DAY_MS = 86_400_000;
const TEXT_LENGTH_MAX = 100;
/** No index supports the text search, so it covers no more days than this. */
const TEXT_DAYS_MAX = 366;

/** The filter of the URL; invalid values count as absent. Days are in UTC. */
export function parseAuditQuery(query: Query, now: Date): AuditQuery {
  const text = textOf(query, 'q').trim().slice(0, TEXT_LENGTH_MAX);
  const kind = AUDIT_KINDS.find(({ value }) => value === textOf(query, 'kind'))?.value ?? '';
  const lastDay = parseDay(textOf(query, 'to'));
  const to = lastDay && new Date(lastDay.getTime() + DAY_MS);
  const asked = parseDay(textOf(query, 'from'));
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
    firstDay: dayOf(asked),
    lastDay: dayOf(lastDay),
    cursor: textOf(query, 'cursor'),
    searchedSince: from === asked ? null : dayOf(from),
    isFiltered: text !== '' || kind !== '' || asked !== null || lastDay !== null,
  };
}

const daysBefore = (end: Date, days: number) =>
  new Date((Math.ceil(end.getTime() / DAY_MS) - days) * DAY_MS);

const latestOf = (one: Date | null, other: Date) => (one !== null && one > other ? one : other);

const dayOf = (at: Date | null) => at?.toISOString().slice(0, 10) ?? '';
