import type { DenialGroup } from '@ceiba/schema';
import { WhyLink } from '#components/usage/why-link.tsx';
import { requestsBetween } from '#lib/requests-href.ts';
import { DenialList } from '../../../requests/groups/denial-groups.tsx';
import { prefixOf } from '../../../requests/groups/policy-href.ts';

export interface MostDeniedProps {
  projectId: string;
  apiKeyId: string;
  groups: readonly DenialGroup[];
}

/** The denials of a key by reason, method and path, each with a link to its requests. */
export function MostDenied({ projectId, apiKeyId, groups }: MostDeniedProps) {
  if (groups.length === 0) return <p className="text-muted">No calls were denied.</p>;
  return (
    <DenialList label="Most denied calls" groups={groups}>
      {({ denialReason, method, pathShape, firstAt }) => (
        <WhyLink
          href={requestsBetween(
            projectId,
            { from: firstAt },
            { reason: denialReason, key: apiKeyId, method, pathPrefix: prefixOf(pathShape) },
          )}
          about={`${method} ${pathShape ?? 'path not recorded'}`}
        />
      )}
    </DenialList>
  );
}
