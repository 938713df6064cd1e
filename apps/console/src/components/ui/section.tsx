import { type ReactNode, useId } from 'react';
import { cn } from '../../lib/cn.ts';

export interface PageHeaderProps {
  title: ReactNode;
  /** One sentence that answers the page's question or says what the page is for. */
  description?: ReactNode;
  actions?: ReactNode;
}

/** The head of a page: its only h1, one sentence, and the next step on the right. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <header className="mb-8 flex flex-wrap items-start justify-between gap-4">
      <div className="min-w-0 max-w-2xl">
        <h1 className="text-title break-words">{title}</h1>
        {description && <div className="mt-1 text-muted">{description}</div>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

export interface SectionProps {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A part of a page: no card, a rule above, its heading as its name. */
export function Section({ title, description, actions, children, className }: SectionProps) {
  const headingId = useId();
  return (
    <section
      aria-labelledby={headingId}
      className={cn('border-t py-8 first:border-t-0 first:pt-0', className)}
    >
      <div className="mb-4 flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0 max-w-2xl">
          <h2 id={headingId} className="font-semibold">
            {title}
          </h2>
          {description && <div className="mt-1 text-muted">{description}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/**
 * Reading pages: one column of at most 1,120 px. It begins where tables and forms begin too, so that
 * the head of a page never moves sideways from one page to the next.
 */
export function Column({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={cn('w-full max-w-[70rem]', className)}>{children}</div>;
}
