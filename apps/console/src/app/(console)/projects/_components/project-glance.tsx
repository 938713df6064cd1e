import type { ProjectAtAGlance } from '@ceiba/schema';
import { Check, CircleAlert, CircleDashed, Gauge } from 'lucide-react';
import { NEARLY_USED } from '#components/subscription/quota-month.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Link } from '#components/ui/link.tsx';
import { Name } from '#components/ui/name.tsx';
import { formatCompact, formatCount, formatShare, sum } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { OutcomeSparkline } from './outcome-sparkline.tsx';

/** One project in one line: its state, the last 24 hours, its keys and its quota. */
export function ProjectGlance({ project }: { project: ProjectAtAGlance }) {
  const allowed = sum(project.allowedByHour);
  const denied = sum(project.deniedByHour);
  return (
    <li className="relative grid items-center gap-x-8 gap-y-2 px-(--inset) py-3 transition-colors hover:bg-hover md:grid-cols-[minmax(0,1fr)_11rem_14rem]">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Link
            href={`/projects/${project.projectId}`}
            title={legible(project.name)}
            className="truncate rounded font-semibold after:absolute after:inset-0"
          >
            <Name>{project.name}</Name>
          </Link>
          <Chip {...STATES[worstStateOf({ project, allowed, denied })]} />
        </div>
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
      <div className="numbers">
        <OutcomeSparkline allowed={project.allowedByHour} denied={project.deniedByHour} />
        <p className="mt-1 flex justify-between gap-2 text-small text-muted">
          <span title={formatCount(allowed)}>{formatCompact(allowed)} allowed</span>
          <span title={formatCount(denied)}>{formatCompact(denied)} denied</span>
        </p>
      </div>
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

const STATES = {
  inactive: { tone: 'alarm', icon: CircleAlert, children: 'Subscription inactive' },
  used_up: { tone: 'alarm', icon: Gauge, children: 'Quota used up' },
  nearly_used: { tone: 'limit', icon: Gauge, children: 'Quota nearly used' },
  quiet: { tone: 'normal', icon: CircleDashed, children: 'Quiet' },
  denied: { tone: 'deny', icon: CircleAlert, children: 'Mostly denied' },
  healthy: { tone: 'normal', icon: Check, children: 'Healthy' },
} as const;

interface Traffic {
  project: ProjectAtAGlance;
  allowed: number;
  denied: number;
}

/** The worst state that applies. */
function worstStateOf({ project, allowed, denied }: Traffic): keyof typeof STATES {
  if (!project.admits) return 'inactive';
  const used = project.monthlyQuota === 0 ? 1 : project.usedThisMonth / project.monthlyQuota;
  if (used >= 1) return 'used_up';
  if (used >= NEARLY_USED) return 'nearly_used';
  if (allowed + denied === 0) return 'quiet';
  return denied > allowed ? 'denied' : 'healthy';
}
