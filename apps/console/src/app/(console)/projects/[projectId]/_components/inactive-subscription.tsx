import { getSubscription } from '@ceiba/schema';
import { ProblemList } from '#components/problems/problem-list.tsx';
import { inactiveReason } from '#components/subscription/next-decision.tsx';
import { withDatabase } from '#server/database.ts';
import type { ProjectOfUser } from '#server/project.ts';

/** On a page of one caller: that the subscription of the project denies its calls, as the overview says it. */
export async function InactiveSubscription({
  project: { projectId },
  may,
}: Pick<ProjectOfUser, 'project' | 'may'>) {
  const subscription = await withDatabase((db) => getSubscription(db, projectId));
  const reason = inactiveReason(subscription);
  if (reason === null) return null;
  const problem = { kind: 'subscription_inactive', reason } as const;
  return <ProblemList projectId={projectId} problems={[problem]} may={may} />;
}
