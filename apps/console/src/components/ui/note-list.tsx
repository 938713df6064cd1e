import { clsx } from 'clsx';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

const TONES = {
  alarm: { row: 'bg-deny-soft', mark: 'bg-alarm text-alarm-ink' },
  warning: { row: 'bg-limit-soft', mark: 'bg-warning text-warning-ink' },
} as const;

/** Something that is wrong, in few words. */
export interface Note {
  /** An alarm where calls of all callers, or all calls of a customer, are denied. */
  tone: keyof typeof TONES;
  icon: LucideIcon;
  /** Instead of the title in a list of projects, and on a phone. */
  short: string;
  title: ReactNode;
  text: ReactNode;
  /** Whether a phone shows the text as well. */
  isWhole?: boolean;
}

export interface NoteListProps {
  /** Worst first, each with the button or link of the one step that helps. */
  notes: readonly (Note & { step: ReactNode })[];
}

/** What is wrong, one below the other; nothing where nothing is. */
export function NoteList({ notes }: NoteListProps) {
  if (notes.length === 0) return null;
  return (
    <ul aria-label="What is wrong" className="mb-6 divide-y overflow-hidden rounded border">
      {notes.map(({ tone, icon: Icon, short, title, text, isWhole = false, step }) => {
        const { row, mark } = TONES[tone];
        return (
          <li key={short} className={clsx('flex min-h-11 items-center gap-x-3 px-2.5 py-1', row)}>
            <span className={clsx('grid size-6 shrink-0 place-items-center rounded', mark)}>
              <Icon aria-hidden="true" className="size-4" />
            </span>
            <p className="numbers min-w-0 flex-1 wrap-anywhere text-muted">
              <strong className="block font-semibold text-ink sm:hidden">{short}</strong>
              <strong className="mr-2 inline-block font-semibold text-ink max-sm:hidden">
                {title}
              </strong>
              <span className={clsx(!isWhole && 'max-sm:hidden')}>{text}</span>
            </p>
            {step}
          </li>
        );
      })}
    </ul>
  );
}
