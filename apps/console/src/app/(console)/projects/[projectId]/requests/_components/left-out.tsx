import type { Outcome } from '@ceiba/contract/sets';
import Link from 'next/link';
import { OUTCOME_LOOKS } from '#components/ui/chip.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { formatCount, plural, sum } from '#lib/format.ts';

export interface LeftOutProps {
  projectId: string;
  gaps: readonly { outcome: Outcome; leftOut: number }[];
}

/** What the log left out, because more requests came in a minute than it records. */
export function LeftOut({ projectId, gaps }: LeftOutProps) {
  if (gaps.length === 0) return null;
  const total = sum(gaps.map(({ leftOut }) => leftOut));
  return (
    <Notice
      tone="warning"
      className="mb-6"
      title={`${plural(total, 'request')} in this range ${total === 1 ? 'is' : 'are'} not listed`}
    >
      {gaps
        .map(({ outcome, leftOut }) => `${OUTCOME_LOOKS[outcome].label} ${formatCount(leftOut)}`)
        .join(', ')}
      . Too many came at once, or the database did not answer.{' '}
      <Link href={`/projects/${projectId}/usage`} className="rounded underline underline-offset-4">
        Usage
      </Link>{' '}
      counts them all.
    </Notice>
  );
}
