import { mayDo } from '@ceiba/domain';
import type { ProjectAtAGlance } from '@ceiba/schema';
import { clsx } from 'clsx';
import { lookOf } from '#components/problems/problem-looks.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Link } from '#components/ui/link.tsx';
import { Name } from '#components/ui/name.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { formatCompact, formatCount, formatShare, sum } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { OutcomeSparkline } from './outcome-sparkline.tsx';

/** One project in one line: what is wrong in it, the last 24 hours, its keys and its quota. */
export function ProjectGlance({ project }: { project: ProjectAtAGlance }) {
  return (
    <li className="relative grid items-center gap-x-8 gap-y-2 px-(--inset) py-3 transition-colors hover:bg-hover md:grid-cols-[minmax(0,1fr)_11rem_14rem]">
      <div className="min-w-0">
        <Link
          href={`/projects/${project.projectId}`}
          title={legible(project.name)}
          className="block truncate rounded font-semibold after:absolute after:inset-0"
        >
          <Name>{project.name}</Name>
        </Link>
        <Problems project={project} />
        <p className="text-small text-muted">
          {project.planName === null ? 'No plan' : <Name>{project.planName}</Name>}
          {project.role !== 'owner' && (
            <>
              {' '}
              · {project.role}, owned by <Name>{project.ownerEmail}</Name>
            </>
          )}
        </p>
      </div>
      <Traffic project={project} />
      <dl className="numbers grid grid-cols-[auto_1fr] gap-x-4 text-small md:text-right">
        <dt className="text-left text-muted">Keys</dt>
        <dd>
          {formatCount(project.activeKeys)} of {formatCount(project.activeKeyCap)}
        </dd>
        <dt className="text-left text-muted">Quota</dt>
        <dd>
          {formatShare(project.usedThisMonth, project.monthlyQuota)} of{' '}
          {formatCompact(project.monthlyQuota)}
        </dd>
      </dl>
    </li>
  );
}

/** More are on the overview. */
const SHOWN_MAX = 3;

/** The worst problems, each with the step that helps. */
function Problems({ project: { projectId, problems, role } }: { project: ProjectAtAGlance }) {
  if (problems.length === 0) return null;
  const more = problems.length - SHOWN_MAX;
  return (
    <ul aria-label="What is wrong" className="my-1 grid gap-1">
      {problems.slice(0, SHOWN_MAX).map((problem) => {
        const { tone, icon, short, step } = lookOf(projectId, problem);
        return (
          <li key={short} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Chip tone={tone} icon={icon}>
              {short}
            </Chip>
            {mayDo(role, step.right) && (
              <TextLink
                href={step.href}
                className="relative inline-flex min-h-6 items-center text-small"
              >
                {step.label}
              </TextLink>
            )}
          </li>
        );
      })}
      {more > 0 && <li className="text-small text-muted">and {formatCount(more)} more</li>}
    </ul>
  );
}

function Traffic({ project: { allowedByHour, deniedByHour } }: { project: ProjectAtAGlance }) {
  const allowed = sum(allowedByHour);
  const denied = sum(deniedByHour);
  return (
    <div className="numbers">
      <OutcomeSparkline allowed={allowedByHour} denied={deniedByHour} />
      {allowed + denied === 0 ? (
        <p className="mt-1 text-small text-muted">No calls in 24 hours</p>
      ) : (
        <p className="mt-1 flex justify-between gap-2 text-small text-muted">
          <span title={formatCount(allowed)}>{formatCompact(allowed)} allowed</span>
          <span
            title={formatCount(denied)}
            className={clsx(denied > allowed && 'font-medium text-deny-text')}
          >
            {formatShare(denied, allowed + denied)} denied
          </span>
        </p>
      )}
    </div>
  );
}
