import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { z } from 'zod';
import { ProblemList } from '#components/problems/problem-list.tsx';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { Column, Columns, PageHeader, Section } from '#components/ui/section.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { byTone } from '#components/usage/by-tone.ts';
import { DenialShares, hasDenials } from '#components/usage/denial-reasons.tsx';
import { OutcomeChart } from '#components/usage/outcome-chart.tsx';
import { barHref, keptNote } from '#components/usage/range-links.ts';
import { RangePicker } from '#components/usage/range-picker.tsx';
import { zoneNote } from '#components/usage/steps.ts';
import { parseUsageQuery } from '#components/usage/usage-query.ts';
import { plural } from '#lib/format.ts';
import { labelSetsOf } from '#lib/labels.ts';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { viewerZone } from '#server/time-zone.ts';
import { Timeline } from '../../_components/timeline.tsx';
import { MostDenied } from '../../requests/groups/most-denied.tsx';
import { ImportedChip } from '../_components/imported-chip.tsx';
import { KeyDialogs, KeyStepButton } from '../_components/key-dialogs.tsx';
import { KeyMenu } from '../_components/key-menu.tsx';
import { mayReplace, stateOf, targetOf, usedUpQuotaOf } from '../key-state.ts';
import { KeyFacts } from './_components/key-facts.tsx';
import { keyNotes } from './_components/key-notes.tsx';
import { readKeyPage } from './read-key.ts';

export const metadata: Metadata = { title: 'Key' };

export default async function KeyPage({
  params,
  searchParams,
}: PageProps<'projectId' | 'apiKeyId'>) {
  const { apiKeyId, ...address } = await params;
  const { project, may, user } = await requireProject(address.projectId);
  if (!z.guid().safeParse(apiKeyId).success) notFound();
  const query = await searchParams;
  const usage = parseUsageQuery(query, new Date());
  const facts = await withDatabase((db) => readKeyPage(db, project, apiKeyId, usage));
  if (facts === null) notFound();
  const { apiKey, customer, policies, series, previous, kept, denials, timeline } = facts;
  const sets = labelSetsOf(policies);
  const timeZone = await viewerZone();
  const { projectId } = project;
  const here = `/projects/${projectId}/keys/${apiKeyId}`;
  const target = targetOf(apiKey);
  const mayChange = may('change_keys');
  const defaultRate = project.defaultKeyRateLimitPerMinute;
  return (
    <Column>
      <KeyDialogs
        shared={{ projectId, defaultRate, sets, planScopes: customer?.use.planScopes ?? null }}
      >
        <PageHeader
          title={<Name>{apiKey.displayName}</Name>}
          list={{ href: `/projects/${projectId}/keys`, label: 'All keys' }}
          description={
            <span className="flex flex-wrap items-center gap-x-3 gap-y-2">
              <StatusChip status={stateOf(apiKey)} />
              {usedUpQuotaOf(apiKey) && <StatusChip status="used_up" />}
              {apiKey.isImported && <ImportedChip />}
              <code className="text-small">{apiKey.keyPrefix}…</code>
              <IdChip id={apiKeyId} label="key ID" />
            </span>
          }
          actions={
            <>
              {mayChange && mayReplace(target) && (
                <KeyStepButton opens={{ step: 'replace', target }}>Replace key</KeyStepButton>
              )}
              {mayChange && target.isActive && (
                <KeyStepButton
                  opens={{ step: target.isDisabled ? 'enable' : 'disable', target }}
                  address={target.isDisabled ? 'enable' : 'disable'}
                  variant={target.isDisabled ? 'secondary' : 'quiet'}
                >
                  {target.isDisabled ? 'Enable key' : 'Disable key'}
                </KeyStepButton>
              )}
              <KeyMenu
                projectId={projectId}
                target={target}
                mayChange={mayChange}
                maySimulate={may('simulate')}
              />
            </>
          }
        />
        {target.isActive && (
          <ProblemList
            projectId={projectId}
            problems={facts.problems}
            may={may}
            own={keyNotes({
              projectId,
              apiKey,
              customer,
              mayChange,
              mayChangeCustomers: may('change_customers'),
            })}
          />
        )}
        <section aria-label="Key" className="mb-6">
          <KeyFacts
            projectId={projectId}
            apiKey={apiKey}
            customer={customer}
            sets={sets}
            defaultRate={defaultRate}
            mayChange={mayChange}
          />
        </section>
        <Section
          title="Usage"
          description={
            <>
              {plural(series.total, 'decision')} in this range. {zoneNote(series.step, timeZone)} As
              of <AbsoluteTime at={new Date()} />. {keptNote(kept, usage)}
            </>
          }
        >
          <RangePicker here={here} query={query} usage={usage} />
          {series.total === 0 ? (
            <p className="text-muted">No decisions in this range.</p>
          ) : (
            <OutcomeChart
              series={series}
              {...(previous?.total && { previous: byTone(previous).totals })}
              timeZone={timeZone}
              hrefOf={barHref({ projectId, here, query, step: series.step, kept, apiKeyId })}
            />
          )}
        </Section>
        <Columns
          left={
            <>
              {hasDenials(series) && (
                <Section title="Denial reasons" description="Of the usage above.">
                  <DenialShares
                    projectId={projectId}
                    series={series}
                    range={usage}
                    kept={kept}
                    apiKeyId={apiKeyId}
                  />
                </Section>
              )}
              <MostDenied
                projectId={projectId}
                of={{ key: apiKeyId }}
                groups={denials}
                days={kept.days}
              />
            </>
          }
          right={
            <Timeline
              projectId={projectId}
              timeline={timeline}
              description="The newest first."
              of={{ key: apiKeyId }}
              viewer={{ ...user, may }}
            />
          }
        />
      </KeyDialogs>
    </Column>
  );
}
