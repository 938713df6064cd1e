import type { ReactNode } from 'react';

export interface EmptyStateProps {
  title: ReactNode;
  /** What this is, and why one would want it. */
  children: ReactNode;
  /** The one thing to do. */
  action?: ReactNode;
  /** A snippet that works with the real values. */
  snippet?: ReactNode;
}

/** An empty page teaches. */
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
