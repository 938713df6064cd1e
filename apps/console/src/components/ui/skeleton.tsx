import { cn } from '../../lib/cn.ts';

/** Holds the place of what is loading, at its size, so that nothing jumps. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={cn('animate-pulse rounded bg-hover', className)} />;
}

/** The shape of a page with a heading and a table. */
export function TablePageSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status">
      <span className="sr-only">Loading</span>
      <Skeleton className="mb-2 h-7 w-48" />
      <Skeleton className="mb-8 h-6 w-80 max-w-full" />
      <div className="divide-y rounded border">
        {Array.from({ length: rows }, (_, row) => `row-${row}`).map((row) => (
          <div key={row} className="flex h-12 items-center gap-4 px-4">
            <Skeleton className="h-4 w-1/3" />
            <Skeleton className="h-4 w-1/5" />
            <Skeleton className="ml-auto h-4 w-16" />
          </div>
        ))}
      </div>
    </div>
  );
}
