import { clsx } from 'clsx';
import { CalendarClock, CirclePause, Clock, Hourglass, Infinity as Never, X } from 'lucide-react';
import Link from 'next/link';
import { formatCount } from '#lib/format.ts';
import { type Query, withQuery } from '#lib/list-query.ts';
import { HINTS, type HintFilter } from '../filter.ts';

const ICONS = {
  idle: Hourglass,
  disabled: CirclePause,
  expired: Clock,
  expires_soon: CalendarClock,
  never_expires: Never,
} as const;

export interface HintLinksProps {
  here: string;
  query: Query;
  counts: Record<HintFilter, number>;
  current: HintFilter | undefined;
}

/** Counts of active keys that need attention, each a link that filters the list; nothing if none do. */
export function HintLinks({ here, query, counts, current }: HintLinksProps) {
  const shown = HINTS.filter(({ hint }) => counts[hint] > 0 || hint === current);
  if (shown.length === 0) return null;
  return (
    <nav aria-label="Needs attention" className="mb-4 flex flex-wrap gap-1.5 sm:gap-2">
      {shown.map(({ hint, words }) => {
        const Icon = ICONS[hint];
        const isCurrent = hint === current;
        return (
          <Link
            key={hint}
            aria-current={isCurrent ? 'true' : undefined}
            href={withQuery(here, query, {
              hint: isCurrent ? undefined : hint,
              status: undefined,
              cursor: undefined,
            })}
            className={clsx(
              'numbers inline-flex h-8 items-center gap-1.5 rounded border px-2 sm:gap-2 sm:px-3 text-small transition-colors hover:bg-hover',
              isCurrent ? 'border-accent-text bg-accent-soft text-accent-text' : 'bg-surface',
            )}
          >
            <Icon aria-hidden="true" className="size-4 text-limit-text" />
            {formatCount(counts[hint])} {words}
            {isCurrent && <X aria-hidden="true" className="size-4" />}
            {isCurrent && <span className="sr-only">, filtered; show all</span>}
          </Link>
        );
      })}
    </nav>
  );
}
