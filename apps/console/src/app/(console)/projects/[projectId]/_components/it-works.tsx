import type { ApiKeyName, DecisionRecord, Project } from '@ceiba/schema';
import { CircleCheck } from 'lucide-react';
import { ButtonLink } from '#components/ui/button.tsx';
import { Name } from '#components/ui/name.tsx';
import { RecordedPath } from '#components/ui/path-text.tsx';
import { MethodChip, OutcomeChip } from '#components/ui/state-chips.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { CLOSED_CHECKLISTS_COOKIE } from '#lib/remembered-projects.ts';
import { RememberProject } from './remember-project.tsx';

export interface ItWorksProps {
  project: Project;
  /** The newest allowed call of the log; undefined where it has none yet, or is to keep none. */
  decision: DecisionRecord | undefined;
  apiKey: ApiKeyName | undefined;
}

/** The end of the path: the allowed call, and why it was allowed. */
export function ItWorks({ project, decision, apiKey }: ItWorksProps) {
  const here = `/projects/${project.projectId}`;
  return (
    <section aria-labelledby="it-works" className="card mb-4 animate-arrive border-allow/50">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <h2 id="it-works" className="flex items-center gap-2 text-title">
          <CircleCheck aria-hidden="true" className="size-6 text-allow-text" />
          It works
        </h2>
        <RememberProject
          cookie={CLOSED_CHECKLISTS_COOKIE}
          projectId={project.projectId}
          variant="quiet"
          className="-mr-3"
        >
          Hide
        </RememberProject>
      </div>
      {decision === undefined ? (
        <p className="mt-2 max-w-2xl text-muted">
          Ceiba allowed a call to your API and counted it.{' '}
          {project.loggedAllowsPercent === 0
            ? 'By the settings of this project, allowed calls are not recorded.'
            : 'It appears here once it is recorded, within seconds.'}
        </p>
      ) : (
        <>
          <p className="mt-3 flex min-w-0 flex-wrap items-center gap-2">
            <OutcomeChip outcome="allowed" />
            <MethodChip method={decision.method} />
            <RecordedPath path={decision.path} />
            <RelativeTime at={decision.at} />
          </p>
          <p className="mt-2 max-w-2xl text-muted">
            The key {apiKey ? <Name>{apiKey.displayName}</Name> : 'of the caller'} is active, a
            policy matches the path, and the plan has room
            {decision.limits &&
              `: ${formatCount(decision.limits.remainingThisMonth)} of ${formatCount(decision.limits.monthlyQuota)} requests are left this month`}
            . So your API ran its handler.
          </p>
        </>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        {decision && (
          <ButtonLink size="sm" href={`${here}/requests/${decision.decisionId}`}>
            See every check of this call
          </ButtonLink>
        )}
        <ButtonLink size="sm" href="/docs/sdk-in-production">
          Prepare for production
        </ButtonLink>
      </div>
    </section>
  );
}
