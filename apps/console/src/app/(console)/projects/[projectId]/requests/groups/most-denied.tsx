import type { DenialGroup } from '@ceiba/schema';
import { Section } from '#components/ui/section.tsx';
import { OutcomeChip } from '#components/ui/state-chips.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { WhyLink } from '#components/usage/why-link.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { type RequestFields, requestsBetween, requestsHref } from '#lib/requests-href.ts';
import { DeniedCall, keyOf } from './denial-groups.tsx';
import { prefixOf } from './policy-href.ts';

export interface MostDeniedProps {
  projectId: string;
  /** The filter of whose denials they are. */
  of: RequestFields;
  groups: readonly DenialGroup[];
  /** How long denials are kept. */
  days: number;
}

/** The denials of a key or a customer by reason, method and path, each with a link to its requests. */
export const MostDenied = ({ days, ...denied }: MostDeniedProps) => (
  <Section
    title="Most denied calls"
    description={`Recorded in the last ${plural(days, 'day')}.`}
    link={{ href: requestsHref(denied.projectId, denied.of), label: 'All requests' }}
  >
    {denied.groups.length === 0 ? (
      <p className="text-muted">No denied calls are recorded.</p>
    ) : (
      <DeniedCalls {...denied} />
    )}
  </Section>
);

function DeniedCalls({ projectId, of, groups }: Omit<MostDeniedProps, 'days'>) {
  const whyHref = ({ denialReason, method, pathShape, firstAt }: DenialGroup) =>
    requestsBetween(
      projectId,
      { from: firstAt },
      { ...of, reason: denialReason, method, pathPrefix: prefixOf(pathShape) },
    );
  return (
    <ul aria-label="Most denied calls" className="panel numbers divide-y">
      {groups.map((group) => (
        <li
          key={keyOf(group)}
          className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-4 px-(--inset) py-1.5"
        >
          <div className="min-w-0">
            <DeniedCall group={group} />
            <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-muted">
              <OutcomeChip outcome={group.denialReason} />
              <span>
                last denied <RelativeTime at={group.lastAt} inRow />
              </span>
            </p>
          </div>
          <p className="figures font-medium">{formatCount(group.count)}</p>
          <WhyLink
            href={whyHref(group)}
            about={`${group.method} ${group.pathShape ?? 'path not recorded'}`}
          />
        </li>
      ))}
    </ul>
  );
}
