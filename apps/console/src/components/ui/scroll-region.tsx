import type { ReactNode } from 'react';
import { cn } from '../../lib/cn.ts';

export interface ScrollRegionProps {
  label: string;
  className?: string;
  children: ReactNode;
}

/** Scrolls sideways on its own where the screen is narrow, by keyboard too (WCAG 2.1.1). */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the keyboard
      tabIndex={0}
      className={cn('overflow-x-auto', className)}
    >
      {children}
    </section>
  );
}
