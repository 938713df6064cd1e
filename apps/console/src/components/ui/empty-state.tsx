import type { ReactNode } from 'react';
import { TextLink } from './text-link.tsx';

export interface EmptyStateProps {
  title: ReactNode;
  /** What this is, and what it is for. */
  children: ReactNode;
  /** The one thing to do. */
  action?: ReactNode;
  /** A snippet with the real values. */
  snippet?: ReactNode;
}

/** Explains an empty page and offers the next step. */
export function EmptyState({ title, children, action, snippet }: EmptyStateProps) {
  return (
    <div className="rounded border border-dashed border-line-strong/60 p-6 sm:p-8">
      <p className="font-semibold">{title}</p>
      <div className="mt-2 max-w-xl text-muted">{children}</div>
      {action && <div className="mt-4 flex flex-wrap gap-2">{action}</div>}
      {snippet && <div className="mt-6">{snippet}</div>}
    </div>
  );
}

/** Says that a filter leaves nothing, with the way back to the whole list. */
export function NothingMatches({ here, children }: { here: string; children: ReactNode }) {
  return (
    <p className="py-8 text-muted">
      {children} <TextLink href={here}>Clear the filter</TextLink>
    </p>
  );
}
