import { projectQuota } from '@ceiba/domain';
import { getSubscription, readDayUse, readQuotaUse, surveyApiKeys } from '@ceiba/schema';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { NextDecision } from '#components/subscription/next-decision.tsx';
import { QuotaMonth } from '#components/subscription/quota-month.tsx';
import { named } from '#components/ui/name.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import { formatCount } from '#lib/format.ts';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { ChangePlan } from './_components/change-plan.tsx';
import { PeriodEnd } from './_components/period-end.tsx';
import { StatusChoice } from './_components/status-choice.tsx';
import { findPlanChoices, planChoice } from './plan-choices.ts';

export const metadata: Metadata = { title: 'Subscription' };

export default async function SubscriptionPage({ params }: PageProps<'projectId'>) {
  const { project, user, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  const mayChange = may('change_subscription');
  const [subscription, plans, use, day, keys] = await withDatabase((db) =>
    Promise.all([
      getSubscription(db, projectId),
      mayChange ? findPlanChoices(db, user.userId) : [],
      readQuotaUse(db, projectId),
      readDayUse(db, projectId),
      surveyApiKeys(db, projectId),
    ]),
  );
  if (use === null) notFound();
  const periodEnd = subscription?.currentPeriodEnd?.toISOString() ?? null;
  return (
    <Column>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-3">
            Subscription
            {subscription && <StatusChip status={subscription.status} />}
          </span>
        }
        description={subscription ? named`On the plan ${subscription.plan.name}.` : 'No plan yet.'}
        guide="subscription"
      />
      <NextDecision subscription={subscription} use={use} day={day} />
      <Section
        title="Quota this month"
        description="Months are in UTC. Counts are a few seconds behind."
      >
        <QuotaMonth use={use} projection={projectQuota(use)} />
      </Section>
      {subscription && (
        <Section title="Limits of the plan">
          <dl className="numbers grid grid-cols-2 gap-4 sm:grid-cols-3">
            <Fact name="Rate">{formatCount(subscription.plan.rateLimitPerMinute)} per minute</Fact>
            {subscription.plan.dailyQuota !== null && (
              <Fact name="Quota of a day">
                {formatCount(day.used)} of {formatCount(subscription.plan.dailyQuota)} used today,
                in UTC
              </Fact>
            )}
            <Fact name="Active keys">
              {formatCount(keys.byStatus.active)} of {formatCount(subscription.plan.activeKeyCap)}
            </Fact>
          </dl>
        </Section>
      )}
      {mayChange ? (
        <>
          <Section title="Plan" description="Plan changes apply immediately.">
            <ChangePlan
              projectId={projectId}
              choices={plans}
              current={subscription && planChoice(subscription.plan)}
              activeKeys={keys.byStatus.active}
              used={use.used}
            />
          </Section>
          {subscription && (
            <>
              <Section
                title="Status"
                description="Active and trial allow calls; past due and canceled deny them. Keys, policies and usage are not affected."
              >
                <StatusChoice status={subscription.status} />
              </Section>
              <Section
                title="Period end"
                description="From this time on, all calls are denied until you set a later end."
              >
                <PeriodEnd currentPeriodEnd={periodEnd} />
              </Section>
            </>
          )}
        </>
      ) : (
        <p className="text-muted">Only the owner can change the subscription.</p>
      )}
    </Column>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-small text-muted">{name}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}
