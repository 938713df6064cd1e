import { QUOTA_NEARLY_USED } from '@ceiba/domain/constants';
import type { QuotaOfPeriod } from '@ceiba/schema';
import { formatCount, formatShare } from '../../lib/format.ts';

export interface PeriodBarProps {
  period: QuotaOfPeriod;
  /** What the count is of, where no head of a column says it. */
  unit?: string;
}

/** What is used of a quota; without a quota the count alone. */
export function PeriodBar({ period: { used, quota }, unit }: PeriodBarProps) {
  return (
    <div className="numbers">
      <p className="whitespace-nowrap">
        {formatCount(used)}
        <span className="text-muted">
          {quota !== null && ` of ${formatCount(quota.value)}`}
          {unit && ` ${unit}`}
        </span>
      </p>
      {quota !== null && <QuotaBar used={used} quota={quota.value} />}
    </div>
  );
}

/** The used part of a quota. */
export function QuotaBar({ used, quota }: { used: number; quota: number }) {
  const share = quota === 0 ? 1 : Math.min(1, used / quota);
  return (
    <svg
      role="img"
      aria-label={`${formatShare(used, quota)} of the quota is used`}
      className="mt-1 block h-2 w-full"
    >
      <rect width="100%" height="8" className="fill-line" />
      <rect
        width={`${share * 100}%`}
        height="8"
        className={
          share >= 1 ? 'fill-deny' : share >= QUOTA_NEARLY_USED ? 'fill-limit' : 'fill-accent'
        }
      />
    </svg>
  );
}
