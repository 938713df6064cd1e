import { clsx } from 'clsx';

/** The ceiba tree: a wide canopy over three roots, recognisable at 16 px. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={clsx('size-6 text-brand', className)}>
      <path
        fill="currentColor"
        d="M2 15.5C2 8.6 8.3 3.5 16 3.5s14 5.1 14 12c0 1.4-1.1 2.5-2.5 2.5h-23A2.5 2.5 0 0 1 2 15.5Z"
      />
      <path
        fill="none"
        stroke="currentColor"
        strokeLinecap="round"
        strokeWidth="3"
        d="M16 17v11.5M14.5 18c0 5-2.5 8.5-8 10M17.5 18c0 5 2.5 8.5 8 10"
      />
    </svg>
  );
}

/** The mark and the name. */
export function Wordmark({ className }: { className?: string }) {
  return (
    <span
      className={clsx('inline-flex items-center gap-2 font-semibold tracking-tight', className)}
    >
      <Mark />
      <span className="text-[1.0625rem]">Ceiba</span>
    </span>
  );
}
