import type { DenialGroup } from '@ceiba/schema';
import { MethodChip, OutcomeChip } from '#components/ui/chip.tsx';
import { PathText } from '#components/ui/path-text.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { WhyLink } from '#components/usage/why-link.tsx';
import { formatCount } from '#lib/format.ts';
import { requestsBetween } from '#lib/requests-href.ts';
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
    <ul aria-label="Most denied calls" className="panel numbers divide-y">
      {groups.map(({ denialReason, method, pathShape, count, firstAt, lastAt }) => (
        <li
          key={`${denialReason} ${method} ${pathShape}`}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-(--inset) py-3 md:grid-cols-[12rem_minmax(0,1fr)_4rem_auto]"
        >
          <div>
            <OutcomeChip outcome={denialReason} />
          </div>
          <div className="min-w-0 max-md:order-1 max-md:col-span-2">
            <p className="flex min-w-0 items-center gap-2">
              <MethodChip method={method} />
              {pathShape === null ? (
                <span className="text-muted">path not recorded</span>
              ) : (
                <code className="min-w-0 text-small">
                  <PathText>{pathShape}</PathText>
                </code>
              )}
            </p>
            <p className="mt-1 text-small text-muted">
              last denied <RelativeTime at={lastAt} inRow />
            </p>
          </div>
          <p className="text-right font-medium">{formatCount(count)}</p>
          <div className="max-md:order-1">
            <WhyLink
              href={requestsBetween(
                projectId,
                { from: firstAt },
                { reason: denialReason, key: apiKeyId, method, pathPrefix: prefixOf(pathShape) },
              )}
              about={`${method} ${pathShape ?? 'path not recorded'}`}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}
