import { clsx } from 'clsx';
import { ListFilter } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, ButtonLink, buttonLooks } from './button.tsx';

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

export interface FilterButtonsProps {
  /** The address of the list without a filter. */
  here: string;
  isFiltered: boolean;
  className?: string;
}

export function FilterButtons({ here, isFiltered, className }: FilterButtonsProps) {
  return (
    <div className={clsx('flex gap-2', className)}>
      <Button type="submit">Filter</Button>
      {isFiltered && (
        <ButtonLink variant="quiet" href={here}>
          Clear
        </ButtonLink>
      )}
    </div>
  );
}
