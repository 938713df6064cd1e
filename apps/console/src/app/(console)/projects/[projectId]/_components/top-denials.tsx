import type { Denial } from '@ceiba/schema';
import { Name } from '#components/ui/name.tsx';
import { PathText } from '#components/ui/path-text.tsx';
import { OUTCOME_LOOKS, OutcomeChip } from '#components/ui/state-chips.tsx';
import { RelativeHour } from '#components/ui/time.tsx';
import { WhyLink } from '#components/usage/why-link.tsx';
import { formatCount, policyText } from '#lib/format.ts';
import { requestsBetween } from '#lib/requests-href.ts';

export interface TopDenialsProps {
  projectId: string;
  denials: readonly Denial[];
  /** The start of the time that they are of. */
  since: Date;
}

/** The most frequent denials, each with a link to the requests. */
export function TopDenials({ projectId, denials, since }: TopDenialsProps) {
  if (denials.length === 0) return <p className="text-muted">No calls were denied.</p>;
  return (
    <ul className="panel numbers divide-y">
      {denials.map((denial) => (
        <li
          key={`${denial.denialReason} ${denial.apiKeyId} ${denial.policyId}`}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-(--inset) py-2.5 md:grid-cols-[12rem_4rem_minmax(0,1fr)_auto]"
        >
          <div>
            <OutcomeChip outcome={denial.denialReason} />
          </div>
          <p className="figures text-right font-medium">{formatCount(denial.count)}</p>
          <p className="min-w-0 wrap-anywhere text-small text-muted max-md:col-span-2">
            <Caller denial={denial} />
            {denial.method !== null && denial.pathPattern !== null && (
              <>
                {' '}
                at{' '}
                <code>
                  <PathText>
                    {policyText({ method: denial.method, pathPattern: denial.pathPattern })}
                  </PathText>
                </code>
              </>
            )}
            , last denied <RelativeHour at={denial.lastHour} inRow />
          </p>
          <WhyLink
            href={whyHref(projectId, since, denial)}
            about={OUTCOME_LOOKS[denial.denialReason].label}
          />
        </li>
      ))}
    </ul>
  );
}

/** The requests that were denied for this reason with this key. */
function whyHref(projectId: string, from: Date, denial: Denial): string {
  const { denialReason, apiKeyId, displayName } = denial;
  const key = displayName === null ? null : apiKeyId;
  return requestsBetween(projectId, { from }, { reason: denialReason, key });
}

function Caller({ denial: { apiKeyId, displayName, keyPrefix } }: { denial: Denial }) {
  if (apiKeyId === null) return 'without a key of this project';
  if (displayName === null) return 'with a deleted key';
  return (
    <>
      with{' '}
      <span className="text-ink">
        <Name>{displayName}</Name>
      </span>{' '}
      <code>{keyPrefix}…</code>
    </>
  );
}
