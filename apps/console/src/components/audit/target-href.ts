import type { AuditRow } from '@ceiba/schema';
import { policyPageHref } from '../../lib/find-policy.ts';

/** Who looks at the log. */
export interface Viewer {
  userId: string;
  isAdministrator: boolean;
  /** Whether their role opens the page of a policy. */
  opensPolicies: boolean;
}

/** The page of what a change was about, or the list that it is in; null if it was deleted or the viewer has no page for it. */
export function targetHref(
  { target, projectId }: Pick<AuditRow, 'target' | 'projectId'>,
  { userId, isAdministrator, opensPolicies }: Viewer,
): string | null {
  if (!target.exists) return null;
  switch (target.kind) {
    case 'project':
      return `/projects/${target.id}`;
    case 'subscription':
      return `/projects/${target.id}/subscription`;
    case 'api_key':
      return `/projects/${projectId}/keys/${target.id}`;
    case 'policy':
      return projectId && policyPageHref(projectId, target.id, opensPolicies);
    case 'member':
    case 'invitation':
      return `/projects/${projectId}/members`;
    case 'alert_destination':
      return `/projects/${projectId}/alerts/${target.id}`;
    case 'user':
      if (target.id === userId) return '/account';
      return isAdministrator
        ? `/admin?${new URLSearchParams({ tab: 'users', q: target.label ?? '' })}`
        : null;
    case 'plan':
      return isAdministrator ? '/admin' : null;
    default:
      return null;
  }
}
