import { projectQuota } from '@ceiba/domain';
import { getSubscription, readDayUse, readQuotaUse, surveyApiKeys } from '@ceiba/schema';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { NextDecision } from '#components/subscription/next-decision.tsx';
import { QuotaMonth } from '#components/subscription/quota-month.tsx';
import { named } from '#components/ui/name.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { SubscriptionDialogs } from './_components/subscription-dialogs.tsx';
import { SubscriptionFacts } from './_components/subscription-facts.tsx';
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
  const activeKeys = keys.byStatus.active;
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
      <Section title="Plan and limits" className="numbers">
        <SubscriptionDialogs
          shared={{
            projectId,
            choices: plans,
            current: subscription && planChoice(subscription.plan),
            currentPeriodEnd: subscription?.currentPeriodEnd?.toISOString() ?? null,
            activeKeys,
            used: use.used,
            usedToday: day.used,
          }}
        >
          <SubscriptionFacts
            subscription={subscription}
            day={day}
            activeKeys={activeKeys}
            mayChange={mayChange}
          />
        </SubscriptionDialogs>
        {!mayChange && (
          <p className="mt-4 text-muted">Only the owner can change the subscription.</p>
        )}
      </Section>
    </Column>
  );
}
