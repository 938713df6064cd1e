import type { ProjectRight } from '@ceiba/domain';
import type { Problem } from '@ceiba/schema';
import { clsx } from 'clsx';
import { ButtonLink } from '../ui/button.tsx';
import { lookOf } from './problem-looks.tsx';

const TONES = {
  alarm: { box: 'border-deny/40 bg-deny-soft', mark: 'bg-alarm text-alarm-ink' },
  warning: { box: 'border-limit/40 bg-limit-soft', mark: 'bg-warning text-warning-ink' },
} as const;

export interface ProblemListProps {
  projectId: string;
  /** Worst first. */
  problems: readonly Problem[];
  may: (right: ProjectRight) => boolean;
}

/** What is wrong in a project, each with the step that helps; nothing where nothing is. */
export function ProblemList({ projectId, problems, may }: ProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <ul aria-label="What is wrong" className="mb-6 grid gap-2">
      {problems.map((problem) => {
        const { tone, icon: Icon, short, title, text, step } = lookOf(projectId, problem);
        const { box, mark } = TONES[tone];
        return (
          <li
            key={short}
            className={clsx(
              'flex flex-wrap items-center gap-x-4 gap-y-2 rounded border py-2.5 pr-3 pl-2.5',
              box,
            )}
          >
            <span className={clsx('grid size-10 shrink-0 place-items-center rounded', mark)}>
              <Icon aria-hidden="true" className="size-6" />
            </span>
            <div className="min-w-48 flex-1">
              <p className="font-semibold">{title}</p>
              <p className="numbers text-muted">{text}</p>
            </div>
            {may(step.right) && (
              <ButtonLink size="sm" href={step.href}>
                {step.label}
              </ButtonLink>
            )}
          </li>
        );
      })}
    </ul>
  );
}
