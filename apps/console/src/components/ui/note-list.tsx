import { clsx } from 'clsx';
import { ArrowRight, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ButtonLink } from './button.tsx';

const TONES = {
  alarm: { row: 'bg-deny-soft', mark: 'bg-alarm text-alarm-ink' },
  warning: { row: 'bg-limit-soft', mark: 'bg-warning text-warning-ink' },
} as const;

/** Something that is wrong, in few words. */
export interface Note {
  /** An alarm where calls of all callers, or all calls of a customer, are denied. */
  tone: keyof typeof TONES;
  icon: LucideIcon;
  /** Instead of the title in a list of projects, and on a phone. No other note of a page has it. */
  short: string;
  title: ReactNode;
  text: ReactNode;
}

export interface NoteListProps {
  /** Worst first, each with the button or link of the one step that helps. */
  notes: readonly (Note & { step: ReactNode })[];
}

export interface NoteLinkProps {
  href: string;
  children: string;
}

/** The step of a note that is a link; on a phone an arrow stands for its words. */
export const NoteLink = ({ href, children }: NoteLinkProps) => (
  <ButtonLink size="sm" href={href}>
    <span className="max-sm:sr-only">{children}</span>
    <ArrowRight aria-hidden="true" className="sm:hidden" />
  </ButtonLink>
);

/** What is wrong, one below the other; nothing where nothing is. */
export function NoteList({ notes }: NoteListProps) {
  if (notes.length === 0) return null;
  return (
    <ul aria-label="What is wrong" className="mb-6 divide-y overflow-hidden rounded border">
      {notes.map(({ tone, icon: Icon, short, title, text, step }) => {
        const { row, mark } = TONES[tone];
        return (
          <li
            key={short}
            className={clsx(
              'flex min-h-11 flex-wrap items-center justify-end gap-x-3 gap-y-1 px-2.5 py-1 sm:flex-nowrap',
              row,
            )}
          >
            <span className={clsx('grid size-6 shrink-0 place-items-center rounded', mark)}>
              <Icon aria-hidden="true" className="size-4" />
            </span>
            <p className="numbers min-w-0 grow basis-48 wrap-anywhere text-muted">
              <strong className="block font-semibold text-ink sm:hidden">{short}</strong>
              <strong className="mr-2 inline-block font-semibold text-ink max-sm:hidden">
                {title}
              </strong>
              {text}
            </p>
            {step}
          </li>
        );
      })}
    </ul>
  );
}
