import { clsx } from 'clsx';
import { ChevronLeft } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { GuideTopic } from '../../lib/guide-topics.ts';
import { ButtonLink } from './button.tsx';
import { CurrentPart } from './current-part.tsx';
import { GuideIcon, GuideLink } from './guide-link.tsx';
import { TextLink } from './text-link.tsx';

export interface PageHeaderProps {
  title: ReactNode;
  /** One sentence that says what the page shows or is for. */
  description?: ReactNode;
  /** Where the page is about one item of a list: that list. */
  list?: { href: string; label: string };
  /** The part of the guides that explains the page. */
  guide?: GuideTopic | undefined;
  actions?: ReactNode;
}

/** The header of a page: its only h1 with the next steps on the right, and one sentence. */
export function PageHeader({ title, description, list, guide, actions }: PageHeaderProps) {
  return (
    <header className="mb-3 flex flex-wrap items-start justify-between gap-x-4 gap-y-1 sm:mb-4">
      <div className="max-w-2xl min-w-0">
        {list && (
          <TextLink
            href={list.href}
            look="quiet"
            className="mb-1 inline-flex items-center gap-1 text-small text-muted hover:text-ink"
          >
            <ChevronLeft aria-hidden="true" className="-ml-1 size-4" />
            {list.label}
          </TextLink>
        )}
        <div className="flex items-center gap-1 max-sm:min-h-10">
          <h1 className="min-w-0 text-heading break-words">{title}</h1>
          {guide && <GuideIcon topic={guide} />}
        </div>
      </div>
      {actions && (
        <div
          className={clsx(
            'flex flex-wrap items-center gap-2',
            // The name of an item is often too long to leave room for them.
            list && 'max-sm:order-last max-sm:mt-2 max-sm:w-full',
          )}
        >
          {actions}
        </div>
      )}
      {(description || guide) && (
        <div className="flex w-full flex-wrap items-center gap-x-4 gap-y-1 text-muted">
          {description && <div className="max-w-4xl">{description}</div>}
          {guide && <GuideLink topic={guide} className="max-sm:hidden" />}
        </div>
      )}
    </header>
  );
}

export interface SectionProps {
  title: ReactNode;
  description?: ReactNode;
  /** Where there is more of it. */
  link?: { href: string; label: string } | null;
  actions?: ReactNode;
  children?: ReactNode;
  className?: string;
  /** The target of links to this part. */
  id?: string;
}

/** A part of a page, with a heading. */
export function Section({ title, description, link, actions, children, ...rest }: SectionProps) {
  const headingId = useId();
  return (
    <section id={rest.id} aria-labelledby={headingId} className={clsx('part', rest.className)}>
      <div className="mb-3 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="max-w-2xl min-w-0 grow basis-48">
          <h2 id={headingId} className="text-title">
            {title}
          </h2>
          {description && <div className="text-muted">{description}</div>}
        </div>
        {link && (
          <ButtonLink size="sm" href={link.href}>
            {link.label}
          </ButtonLink>
        )}
        {actions && (
          // What follows a button in its place, such as a secret that is shown once, has all the width.
          <div className="flex flex-wrap items-center gap-2 max-sm:w-full has-[>.grid]:w-full *:[.grid]:w-full">
            {actions}
          </div>
        )}
      </div>
      {children}
    </section>
  );
}

/** Two columns of parts where there is room; else one, first those of the left. */
export const Columns = ({ left, right }: { left: ReactNode; right: ReactNode }) => (
  <div className="@container">
    <div className="grid gap-x-12 *:min-w-0 @4xl:grid-cols-2">
      <div>{left}</div>
      <div>{right}</div>
    </div>
  </div>
);

export interface Part extends SectionProps {
  id: string;
  title: string;
}

export interface PageIndexProps {
  parts: readonly Pick<Part, 'id' | 'title'>[];
  className?: string;
}

/**
 * Links to the parts of a long page: beside them or, on a narrow screen, above them; on a phone they
 * are one line that scrolls. Beside them it marks the part that is being read.
 */
export function PageIndex({ parts, className }: PageIndexProps) {
  const id = useId();
  const headingId = useId();
  return (
    <nav id={id} aria-labelledby={headingId} className={clsx('min-w-0', className)}>
      <CurrentPart indexId={id} />
      <div className="lg:sticky lg:top-10 lg:max-h-[calc(100dvh-5rem)] lg:overflow-y-auto">
        <p
          id={headingId}
          className="pb-1 text-small font-medium max-lg:hidden lg:border-l-2 lg:pl-4"
        >
          On this page
        </p>
        <ul className="flex gap-x-4 gap-y-1 whitespace-nowrap max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 sm:flex-wrap lg:block lg:whitespace-normal">
          {parts.map(({ id, title }) => (
            <li key={id}>
              <a
                href={`#${id}`}
                className="inline-block rounded py-1 text-small text-muted underline-offset-4 transition-colors hover:text-ink max-lg:underline lg:block lg:rounded-none lg:border-l-2 lg:pl-4 lg:focus-visible:-outline-offset-2 lg:aria-[current=location]:border-accent-text lg:aria-[current=location]:text-accent-text"
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </nav>
  );
}

/** The parts of a long page, with an index. */
export function IndexedSections({ parts }: { parts: readonly (Part | false)[] }) {
  const shown = parts.filter((part) => part !== false);
  return (
    <div className="grid gap-x-12 lg:grid-cols-[minmax(0,45rem)_minmax(0,11rem)]">
      <PageIndex parts={shown} className="mb-6 lg:order-last" />
      <div className="min-w-0">
        {shown.map((part) => (
          <Section key={part.id} {...part} className="scroll-mt-6" />
        ))}
      </div>
    </div>
  );
}

/** The column of reading pages, at most 1,120 px wide, or of pages with forms only, 720 px. */
export function Column({
  isNarrow = false,
  children,
}: {
  isNarrow?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={clsx('w-full', isNarrow ? 'max-w-[45rem]' : 'max-w-[70rem]')}>{children}</div>
  );
}
