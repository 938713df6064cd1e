import { projectQuota } from '@ceiba/domain';
import {
  getSubscription,
  listPolicies,
  readQuotaUse,
  readTopDenials,
  readUsageSeries,
  surveyApiKeys,
} from '@ceiba/schema';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { NextDecision } from '#components/subscription/next-decision.tsx';
import { QuotaMonth } from '#components/subscription/quota-month.tsx';
import { Button } from '#components/ui/button.tsx';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { OutcomeChart } from '#components/usage/outcome-chart.tsx';
import { formatCount } from '#lib/format.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { env } from '../../../../env.ts';
import { GettingStarted } from './_components/getting-started.tsx';
import { KeyFigures } from './_components/key-figures.tsx';
import { LiveRefresh } from './_components/live-refresh.tsx';
import { TopDenials } from './_components/top-denials.tsx';

const HOUR_MS = 3_600_000;
const TOP_DENIALS = 3;

export default async function OverviewPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  const to = new Date((Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS);
  const today = { projectId, from: new Date(to.getTime() - 24 * HOUR_MS), to };
  const [subscription, use, keys, policies, decisions, { denials }] = await withDatabase((db) =>
    Promise.all([
      getSubscription(db, projectId),
      readQuotaUse(db, projectId),
      surveyApiKeys(db, projectId),
      listPolicies(db, projectId),
      readUsageSeries(db, { ...today, by: 'outcome', step: 'hour' }),
      readTopDenials(db, { ...today, limit: TOP_DENIALS }),
    ]),
  );
  if (use === null) notFound();
  const isNew = decisions.total === 0 && use.used === 0;
  const { active } = keys.byStatus;
  return (
    <Column>
      <LiveRefresh />
      <PageHeader
        title={<Name>{project.name}</Name>}
        guide={isNew ? 'firstCall' : 'overview'}
        description={
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <IdChip id={projectId} label="project ID" />
            <Link
              href={`/projects/${projectId}/keys`}
              className="numbers rounded underline-offset-4 hover:underline"
            >
              {formatCount(active)} of {formatCount(keys.activeKeyCap)} keys
            </Link>
            <span>
              {subscription ? (
                <>
                  Plan <Name>{subscription.plan.name}</Name>
                </>
              ) : (
                'No plan'
              )}
            </span>
          </span>
        }
      />
      {!subscription?.admits && <NextDecision subscription={subscription} use={use} />}
      {isNew ? (
        <GettingStarted
          projectId={projectId}
          policies={policies.length}
          activeKeys={active}
          mayChange={may('change_keys') && may('change_policies')}
          runtimeUrl={env().runtimeUrl}
        />
      ) : (
        <>
          <KeyFigures
            projectId={projectId}
            decisions={decisions}
            use={use}
            activeKeys={active}
            activeKeyCap={keys.activeKeyCap}
          />
          <Section
            title="Today"
            description="The last 24 hours, by outcome. UTC. Updated seconds ago."
            actions={
              <Button asChild size="sm">
                <Link href={`/projects/${projectId}/usage`}>All usage</Link>
              </Button>
            }
          >
            <OutcomeChart series={decisions} brief />
          </Section>
          <Section
            title="Why calls are denied"
            description="The most frequent denials of the last 24 hours."
          >
            <TopDenials projectId={projectId} denials={denials} />
          </Section>
          <Section
            title="Quota this month"
            actions={
              <Button asChild size="sm">
                <Link href={`/projects/${projectId}/subscription`}>Subscription</Link>
              </Button>
            }
          >
            <QuotaMonth use={use} projection={projectQuota(use)} />
          </Section>
        </>
      )}
    </Column>
  );
}
