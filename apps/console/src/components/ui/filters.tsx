import { clsx } from 'clsx';
import { ListFilter } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, ButtonLink, buttonLooks } from './button.tsx';
import { TextLink } from './text-link.tsx';

export interface FiltersProps {
  /** How many fields are set. */
  set: number;
  /** Opens them, because a field has an error. */
  isOpen?: boolean;
  children: ReactNode;
}

/** The filter of a list. On a narrow screen one control opens it, so that the list begins above the fold. */
export function Filters({ set, isOpen = false, children }: FiltersProps) {
  return (
    <details open={isOpen} className="filters mb-4">
      <summary className={buttonLooks()}>
        <ListFilter aria-hidden="true" />
        Filters
        {set > 0 && <span className="text-muted">{set} set</span>}
      </summary>
      {children}
    </details>
  );
}

export interface QuickRangesProps {
  /** The start of the viewer's day. */
  today: Date;
  hrefSince: (from: Date) => string;
  className?: string;
}

/** Ranges of time that one click chooses. They end now, and their address holds the instant of their start. */
export function QuickRanges({ today, hrefSince, className }: QuickRangesProps) {
  const now = Date.now();
  const ranges = [
    { name: 'Last hour', from: new Date(now - HOUR_MS) },
    { name: 'Today', from: today },
    { name: '7 days', from: new Date(now - 7 * 24 * HOUR_MS) },
  ];
  return (
    <nav aria-label="Quick ranges" className={clsx('flex flex-wrap gap-x-4', className)}>
      {ranges.map(({ name, from }) => (
        <TextLink key={name} href={hrefSince(from)} look="quiet" className="text-small text-muted">
          {name}
        </TextLink>
      ))}
    </nav>
  );
}

const HOUR_MS = 3_600_000;

export interface FilterButtonsProps {
  /** The address of the list without a filter. */
  here: string;
  isFiltered: boolean;
  className?: string;
}

export function FilterButtons({ here, isFiltered, className }: FilterButtonsProps) {
  return (
    <div className={clsx('flex gap-2', className)}>
      {/* Where scripts run, a choice applies at once, and Enter sends a text. */}
      <Button type="submit" className="[@media(scripting:enabled)]:hidden">
        Filter
      </Button>
      {isFiltered && (
        <ButtonLink variant="quiet" href={here}>
          Clear
        </ButtonLink>
      )}
    </div>
  );
}
