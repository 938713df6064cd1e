import type { DecisionGapSum } from '@ceiba/schema';
import { Notice } from '#components/ui/notice.tsx';
import { OUTCOME_LOOKS } from '#components/ui/state-chips.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { formatCount, plural, sum } from '#lib/format.ts';

export interface LeftOutProps {
  projectId: string;
  gaps: readonly DecisionGapSum[];
}

/** What the log left out, because more requests came in a minute than it records. */
export function LeftOut({ projectId, gaps }: LeftOutProps) {
  if (gaps.length === 0) return null;
  const total = sum(gaps.map(({ leftOut }) => leftOut));
  return (
    <Notice
      tone="warning"
      className="mb-6"
      title={`${plural(total, 'request')} ${total === 1 ? 'is' : 'are'} missing from this list`}
    >
      {gaps
        .map(({ outcome, leftOut }) => `${OUTCOME_LOOKS[outcome].label} ${formatCount(leftOut)}`)
        .join(', ')}
      . <When gaps={gaps} />: too many came at once, or the database did not answer.{' '}
      <TextLink href={`/projects/${projectId}/usage`}>Usage</TextLink> counts them all.
    </Notice>
  );
}

/** From the first minute to the last one. */
function When({ gaps }: Pick<LeftOutProps, 'gaps'>) {
  const first = new Date(Math.min(...gaps.map(({ firstMinute }) => firstMinute.getTime())));
  const last = new Date(Math.max(...gaps.map(({ lastMinute }) => lastMinute.getTime())));
  return (
    <>
      <AbsoluteTime at={first} />
      {first < last && (
        <>
          {' '}
          to <AbsoluteTime at={last} />
        </>
      )}
    </>
  );
}
