import { type UsageRange, usageStepFor } from '@ceiba/domain';
import { readRetention, readUsageSeries } from '@ceiba/schema';
import type { Metadata } from 'next';
import { NotRead } from '#components/not-read.tsx';
import { CsvLink } from '#components/ui/csv-link.tsx';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { byTone } from '#components/usage/by-tone.ts';
import { FirstCall } from '#components/usage/first-call.tsx';
import { OutcomeChart } from '#components/usage/outcome-chart.tsx';
import { barHref, keptNote, keptRequests } from '#components/usage/range-links.ts';
import { RangePicker } from '#components/usage/range-picker.tsx';
import { zoneNote } from '#components/usage/steps.ts';
import {
  comparedRange,
  csvRefusal,
  parseUsageQuery,
  type UsageQuery,
} from '#components/usage/usage-query.ts';
import { plural } from '#lib/format.ts';
import { type PageProps, type Query, withQuery } from '#lib/list-query.ts';
import { unlessTooSlow, withSlowDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { viewerZone } from '#server/time-zone.ts';
import { env } from '../../../../../env.ts';
import { CallLists, CallTabs, listIn, readCallList } from './_components/call-lists.tsx';

export const metadata: Metadata = { title: 'Usage' };

export default async function UsagePage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  const query = await searchParams;
  const usage = parseUsageQuery(query, new Date());
  const here = `/projects/${projectId}/usage`;
  const series = await readUsage(projectId, usage, query);
  if (typeof series === 'string') {
    return (
      <Column>
        <PageHeader title="Usage" />
        <RangePicker here={here} query={query} usage={usage} />
        <CallTabs here={here} query={query} />
        <NotRead why={series} title="This range takes too long to add up now">
          Past days are added up in the background. Choose a shorter range or another list, or try
          again in an hour.
        </NotRead>
      </Column>
    );
  }
  const { decisions, previous, list, retention } = series;
  const kept = keptRequests(retention.decisionDays, new Date());
  const leadsOn = decisions.step !== 'hour' || usage.to > kept.since;
  const timeZone = await viewerZone();
  return (
    <Column>
      <PageHeader
        title="Usage"
        guide="usage"
        description={
          <>
            {zoneNote(decisions.step, timeZone)} As of <AbsoluteTime at={new Date()} />.
          </>
        }
        actions={<CsvOfRange href={withQuery(`${here}/csv`, query, {})} usage={usage} />}
      />
      <RangePicker here={here} query={query} usage={usage} />
      {decisions.total === 0 ? (
        <NoDecisions projectId={projectId} />
      ) : (
        <>
          <Section
            title={<span className="text-heading">{plural(decisions.total, 'decision')}</span>}
            // The line of the ranges is above it.
            className="border-transparent"
            description={`${leadsOn ? 'Select a bar to look closer. ' : ''}${keptNote(kept, usage)}`}
          >
            <OutcomeChart
              series={decisions}
              {...(previous?.total && { previous: byTone(previous).totals })}
              timeZone={timeZone}
              hrefOf={barHref({ projectId, here, query, step: decisions.step, kept })}
              hasCsv={csvRefusal(usage) === undefined}
            />
          </Section>
          <CallLists
            projectId={projectId}
            here={here}
            query={query}
            list={list}
            decisions={decisions}
            range={usage}
            kept={kept}
            mayChangePolicies={may('change_policies')}
          />
        </>
      )}
    </Column>
  );
}

/**
 * Reads what the page shows: the decisions of the range and of the one before, and the chosen list alone.
 *
 * @returns `too_slow` if the database answers, but not in time: too many hours are not added up yet;
 *   `too_many` if the user's other calls took its time
 */
function readUsage(projectId: string, usage: UsageQuery, query: Query) {
  const { from, to } = usage;
  const compared = comparedRange(usage);
  return withSlowDatabase(async (db) => {
    const read = (range: UsageRange) =>
      readUsageSeries(db, {
        projectId,
        by: 'outcome',
        step: usageStepFor('outcome', usage),
        ...range,
      });
    const [decisions, previous, list, retention] = await Promise.all([
      read({ from, to }),
      compared && read(compared),
      readCallList(db, listIn(query), { projectId, from, to }),
      readRetention(db),
    ]);
    return { decisions, previous, list, retention };
  }).catch(unlessTooSlow);
}

function CsvOfRange({ href, usage }: { href: string; usage: UsageQuery }) {
  const refusal = csvRefusal(usage);
  // The picker says why the range itself is refused.
  if (refusal !== undefined && usage.refusal === undefined) {
    return <p className="text-small text-muted">{refusal}</p>;
  }
  return <CsvLink href={refusal === undefined ? href : null} />;
}

function NoDecisions({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      title="No decisions in this range"
      snippet={<FirstCall projectId={projectId} runtimeUrl={env().runtimePublicUrl} />}
    >
      Every decision is counted here, by outcome, key and policy. Choose another range, or request a
      first decision with this command. It sends no key, so it is denied and uses no quota.
    </EmptyState>
  );
}
