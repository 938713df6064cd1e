import type { DecisionGapSum } from '@ceiba/schema';
import { Notice } from '#components/ui/notice.tsx';
import { OUTCOME_LOOKS } from '#components/ui/state-chips.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { formatCount, plural, sum } from '#lib/format.ts';
import { absoluteDate, absoluteTime, timeOfDay } from '#lib/time.ts';

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
      . {whenOf(gaps)}: too many came at once, or the database did not answer.{' '}
      <TextLink href={`/projects/${projectId}/usage`}>Usage</TextLink> counts them all.
    </Notice>
  );
}

/** `25 Nov 2026, 14:05 to 14:09 UTC`. */
function whenOf(gaps: LeftOutProps['gaps']): string {
  const first = new Date(Math.min(...gaps.map(({ firstMinute }) => firstMinute.getTime())));
  const last = new Date(Math.max(...gaps.map(({ lastMinute }) => lastMinute.getTime())));
  const [day, lastDay] = [absoluteDate(first, 'UTC'), absoluteDate(last, 'UTC')];
  const [start, end] = [absoluteTime(first, 'UTC'), absoluteTime(last, 'UTC')];
  if (start === end) return `${start} UTC`;
  return `${start} to ${day === lastDay ? timeOfDay(last, 'UTC') : end} UTC`;
}
