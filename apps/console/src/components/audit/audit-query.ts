import { AUDIT_ACTIONS, type AuditFilter } from '@ceiba/schema';
import { parseDay } from '../../lib/day.ts';
import { type Query, textOf } from '../../lib/list-query.ts';
import { AUDIT_KINDS } from './audit-words.ts';

export interface AuditQuery {
  filter: Pick<AuditFilter, 'actions' | 'text' | 'from' | 'to'>;
  /** As the fields show it. */
  text: string;
  kind: string;
  firstDay: string;
  lastDay: string;
  cursor: string;
  /** Whether anything is left out. */
  isFiltered: boolean;
}

const DAY_MS = 86_400_000;
const LONGEST_TEXT = 100;

/** A filter from the URL; what is not usable counts as absent. Days are those of UTC. */
export function parseAuditQuery(query: Query): AuditQuery {
  const text = textOf(query, 'q').trim().slice(0, LONGEST_TEXT);
  const kind = AUDIT_KINDS.find(({ value }) => value === textOf(query, 'kind'))?.value ?? '';
  const from = parseDay(textOf(query, 'from'));
  const lastDay = parseDay(textOf(query, 'to'));
  return {
    filter: {
      ...(text !== '' && { text }),
      ...(kind !== '' && {
        actions: AUDIT_ACTIONS.filter((action) => action.startsWith(`${kind}.`)),
      }),
      ...(from !== null && { from }),
      ...(lastDay !== null && { to: new Date(lastDay.getTime() + DAY_MS) }),
    },
    text,
    kind,
    firstDay: from === null ? '' : textOf(query, 'from'),
    lastDay: lastDay === null ? '' : textOf(query, 'to'),
    cursor: textOf(query, 'cursor'),
    isFiltered: text !== '' || kind !== '' || from !== null || lastDay !== null,
  };
}
