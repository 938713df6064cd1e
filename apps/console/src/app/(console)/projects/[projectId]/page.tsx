import { projectQuota, rangeBefore, type UsageRange } from '@ceiba/domain';
import {
  getSubscription,
  listPolicies,
  readFirstSteps,
  readProblems,
  readQuotaUse,
  readTopDenials,
  readUsageSeries,
  surveyApiKeys,
} from '@ceiba/schema';
import { notFound } from 'next/navigation';
import { ProblemList } from '#components/problems/problem-list.tsx';
import { whyInactive } from '#components/subscription/next-decision.tsx';
import { QuotaMonth } from '#components/subscription/quota-month.tsx';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Name, named } from '#components/ui/name.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { FirstCall } from '#components/usage/first-call.tsx';
import { OutcomeChart } from '#components/usage/outcome-chart.tsx';
import { zoneNote } from '#components/usage/steps.ts';
import { formatCount } from '#lib/format.ts';
import type { PageProps } from '#lib/list-query.ts';
import { requestsBetween } from '#lib/requests-href.ts';
import { withDatabase } from '#server/database.ts';
import { chosenFramework, FRAMEWORKS } from '#server/guides/guides.ts';
import { requireProject } from '#server/project.ts';
import { viewerZone } from '#server/time-zone.ts';
import { env } from '../../../../env.ts';
import { Checklist } from './_components/checklist.tsx';
import { firstPath } from './_components/first-path.ts';
import { ItWorks } from './_components/it-works.tsx';
import { KeyFigures } from './_components/key-figures.tsx';
import { LiveRefresh } from './_components/live-refresh.tsx';
import { NOT_READ, readRecorded } from './_components/read-recorded.ts';
import { TopDenials } from './_components/top-denials.tsx';

const HOUR_MS = 3_600_000;
const TOP_DENIALS = 3;

export default async function OverviewPage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  const to = new Date((Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS);
  const today = { from: new Date(to.getTime() - 24 * HOUR_MS), to };
  const [subscription, use, keys, policies, first, problems, decisions, before, { denials }] =
    await withDatabase((db) => {
      const decisionsIn = (range: UsageRange) =>
        readUsageSeries(db, { ...range, projectId, by: 'outcome', step: 'hour' });
      return Promise.all([
        getSubscription(db, projectId),
        readQuotaUse(db, projectId),
        surveyApiKeys(db, projectId),
        listPolicies(db, projectId),
        readFirstSteps(db, projectId),
        readProblems(db, [projectId]),
        decisionsIn(today),
        decisionsIn(rangeBefore(today)),
        readTopDenials(db, { ...today, projectId, limit: TOP_DENIALS }),
      ]);
    });
  if (use === null) notFound();
  const { runtimePublicUrl: runtimeUrl, publicOrigin: consoleUrl } = env();
  const path = await firstPath({ project, may }, first);
  const isOnPath = path !== null && path.open !== null;
  const query = await searchParams;
  const recorded = path === null ? NOT_READ : await readRecorded(project, path);
  // The log is written beside usage, so the first call may be counted before it can be shown.
  const isAwaited =
    path?.open === null && recorded.last === undefined && project.loggedAllowsPercent > 0;
  const { active } = keys.byStatus;
  const timeZone = await viewerZone();
  return (
    <Column>
      <LiveRefresh everyMs={isOnPath || isAwaited ? 3_000 : 30_000} />
      <PageHeader
        title={<Name>{project.name}</Name>}
        guide={first.allowed ? 'overview' : 'firstCall'}
        description={
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <IdChip id={projectId} label="project ID" />
            <TextLink href={`/projects/${projectId}/keys`} look="quiet" className="numbers">
              {formatCount(active)} of {formatCount(keys.activeKeyCap)} keys
            </TextLink>
            <span>{subscription ? named`Plan ${subscription.plan.name}` : 'No plan'}</span>
          </span>
        }
      />
      <ProblemList projectId={projectId} problems={problems.get(projectId) ?? []} may={may} />
      {path?.open === null && (
        <ItWorks project={project} decision={recorded.last} apiKey={recorded.apiKey} />
      )}
      {isOnPath && (
        <Checklist
          host={{ runtimeUrl, consoleUrl, projectId }}
          path={path}
          mayRotate={may('change_secret')}
          routes={recorded.routes}
          policies={policies}
          frameworks={FRAMEWORKS}
          framework={chosenFramework(query)}
          denied={whyInactive(subscription)}
          lastDenied={recorded.last}
        />
      )}
      {!first.called && !isOnPath && (
        <EmptyState
          title="No decisions yet"
          snippet={<FirstCall projectId={projectId} runtimeUrl={runtimeUrl} />}
        >
          The first decision that your API requests appears here within seconds. This command sends
          no key, so it is denied and uses no quota.
        </EmptyState>
      )}
      {first.called && (
        <>
          <KeyFigures
            projectId={projectId}
            decisions={decisions}
            before={before}
            use={use}
            activeKeys={active}
            activeKeyCap={keys.activeKeyCap}
          />
          <Section
            title="Last 24 hours"
            description={`Decisions by outcome. ${zoneNote('hour', timeZone)} Updated seconds ago.`}
            link={{ href: `/projects/${projectId}/usage`, label: 'All usage' }}
          >
            <OutcomeChart
              series={decisions}
              timeZone={timeZone}
              hrefOf={(from, to) => requestsBetween(projectId, { from, to })}
              brief
            />
          </Section>
          <Section
            title="Why calls are denied"
            description="The most frequent denials of the last 24 hours."
          >
            <TopDenials projectId={projectId} denials={denials} since={today.from} />
          </Section>
          <Section
            title="Quota this month"
            description="Months are in UTC."
            link={{ href: `/projects/${projectId}/subscription`, label: 'Subscription' }}
          >
            <QuotaMonth use={use} projection={projectQuota(use)} />
          </Section>
        </>
      )}
    </Column>
  );
}
