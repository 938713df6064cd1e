import type { DenialGroup } from '@ceiba/schema';
import { WhyLink } from '#components/usage/why-link.tsx';
import { type RequestFields, requestsBetween } from '#lib/requests-href.ts';
import { DenialList } from './denial-groups.tsx';
import { prefixOf } from './policy-href.ts';

export interface MostDeniedProps {
  projectId: string;
  /** The filter of whose denials they are. */
  of: RequestFields;
  groups: readonly DenialGroup[];
}

/** The denials of a key or a customer by reason, method and path, each with a link to its requests. */
export function MostDenied({ projectId, of, groups }: MostDeniedProps) {
  if (groups.length === 0) return <p className="text-muted">No calls were denied.</p>;
  return (
    <DenialList label="Most denied calls" groups={groups}>
      {({ denialReason, method, pathShape, firstAt }) => (
        <WhyLink
          href={requestsBetween(
            projectId,
            { from: firstAt },
            { ...of, reason: denialReason, method, pathPrefix: prefixOf(pathShape) },
          )}
          about={`${method} ${pathShape ?? 'path not recorded'}`}
        />
      )}
    </DenialList>
  );
}
