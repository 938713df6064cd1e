import type { ProjectRight } from '@ceiba/domain';
import type { Problem } from '@ceiba/schema';
import { clsx } from 'clsx';
import { ArrowRight } from 'lucide-react';
import { ButtonLink } from '../ui/button.tsx';
import { lookOf } from './problem-looks.tsx';

const TONES = {
  alarm: { row: 'bg-deny-soft', mark: 'bg-alarm text-alarm-ink' },
  warning: { row: 'bg-limit-soft', mark: 'bg-warning text-warning-ink' },
} as const;

export interface ProblemListProps {
  projectId: string;
  /** Worst first. */
  problems: readonly Problem[];
  may: (right: ProjectRight) => boolean;
}

/** What is wrong in a project, a line each, with the step that helps; nothing where nothing is. */
export function ProblemList({ projectId, problems, may }: ProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <ul aria-label="What is wrong" className="mb-6 divide-y overflow-hidden rounded border">
      {problems.map((problem) => {
        const { tone, icon: Icon, short, title, text, step } = lookOf(projectId, problem);
        const { row, mark } = TONES[tone];
        return (
          <li key={short} className={clsx('flex h-11 items-center gap-x-3 px-2.5', row)}>
            <span className={clsx('grid size-6 shrink-0 place-items-center rounded', mark)}>
              <Icon aria-hidden="true" className="size-4" />
            </span>
            <p className="min-w-0 flex-1 truncate font-semibold sm:hidden">{short}</p>
            <p className="numbers min-w-0 flex-1 truncate text-muted max-sm:hidden">
              <strong className="mr-2 font-semibold text-ink">{title}</strong>
              {text}
            </p>
            {may(step.right) && (
              <ButtonLink size="sm" href={step.href}>
                <span className="max-sm:sr-only">{step.label}</span>
                <ArrowRight aria-hidden="true" className="sm:hidden" />
              </ButtonLink>
            )}
          </li>
        );
      })}
    </ul>
  );
}
