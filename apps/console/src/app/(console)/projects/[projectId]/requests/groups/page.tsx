import { GROUPED_DENIALS_MAX, groupDenials, readDecisionGaps } from '@ceiba/schema';
import type { Metadata } from 'next';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { formatCount } from '#lib/format.ts';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { LeftOut } from '../_components/left-out.tsx';
import { RequestViews } from '../_components/request-views.tsx';
import { DenialGroups } from './denial-groups.tsx';

export const metadata: Metadata = { title: 'Denials by path' };

const RANGE_MS = 24 * 3_600_000;
const GROUPS_SHOWN = 50;

/** Denied requests by reason, method and path. */
export default async function GroupsPage({ params }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  const to = new Date();
  const from = new Date(to.getTime() - RANGE_MS);
  const [groups, leftOut] = await withDatabase((db) =>
    Promise.all([
      groupDenials(db, { projectId, from, to, limit: GROUPS_SHOWN + 1 }),
      readDecisionGaps(db, { projectId, from, to }),
    ]),
  );
  const gaps = leftOut.filter(({ outcome }) => outcome !== 'allowed');
  const which =
    groups.length > GROUPS_SHOWN ? `${GROUPS_SHOWN} most frequent` : 'most frequent first';
  return (
    <>
      <PageHeader
        title="Requests"
        guide="decision"
        description={`Denied requests of the last 24 hours, at most ${formatCount(GROUPED_DENIALS_MAX)}, the ${which}.`}
      />
      <RequestViews projectId={projectId} current="groups" />
      <LeftOut gaps={gaps} projectId={projectId} />
      {groups.length > 0 && (
        <DenialGroups
          projectId={projectId}
          groups={groups.slice(0, GROUPS_SHOWN)}
          mayAddPolicy={may('change_policies')}
        />
      )}
      {groups.length === 0 && gaps.length === 0 && (
        <EmptyState title="No denied requests in the last 24 hours">
          Denied requests are counted here by reason, method and path. Where a policy is missing,
          you can add it from here.
        </EmptyState>
      )}
    </>
  );
}
