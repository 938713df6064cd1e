import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export interface ScrollRegionProps {
  label: string;
  className?: string;
  children: ReactNode;
}

/** Scrolls horizontally on narrow screens, by keyboard too (WCAG 2.1.1). */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      className={clsx('overflow-x-auto', className)}
    >
      {children}
    </section>
  );
}
