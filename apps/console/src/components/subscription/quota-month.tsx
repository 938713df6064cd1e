import type { QuotaProjection } from '@ceiba/domain';
import { FORECAST_DAYS, QUOTA_NEARLY_USED } from '@ceiba/domain/constants';
import type { QuotaUse } from '@ceiba/schema';
import { clsx } from 'clsx';
import { formatCount, formatShare } from '../../lib/format.ts';
import { AbsoluteDate, RelativeTime } from '../ui/time.tsx';

export interface QuotaMonthProps {
  use: QuotaUse;
  projection: QuotaProjection;
}

/** The quota used this month, the expected use at its end, and when the quota runs out. */
export function QuotaMonth({ use, projection }: QuotaMonthProps) {
  const quota = use.monthlyQuota;
  return (
    <div className="numbers">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-figure font-semibold">{formatCount(use.used)}</span>
        {quota !== null && (
          <span className="text-muted">
            of {formatCount(quota)} requests, {formatShare(use.used, quota)}
          </span>
        )}
      </p>
      {quota !== null && <QuotaBar use={use} quota={quota} projection={projection} />}
      <p className="mt-3">
        <Forecast use={use} projection={projection} />
      </p>
      <p className="mt-1 text-small text-muted">
        {use.countedAt === null ? (
          'No requests were allowed this month.'
        ) : (
          <>
            Counted <RelativeTime at={use.countedAt} />.
          </>
        )}{' '}
        The month ends <RelativeTime at={use.monthEnd} />.
      </p>
    </div>
  );
}

/** Used in full colour, expected in a lighter one. A line marks the quota if more is expected. */
function QuotaBar({ use, quota, projection }: QuotaMonthProps & { quota: number }) {
  const whole = Math.max(quota, projection.expectedAtMonthEnd, use.used, 1);
  const percent = (count: number) => `${(count / whole) * 100}%`;
  const isTight = quota === 0 || use.used / quota >= QUOTA_NEARLY_USED;
  const isUsedUp = use.used >= quota;
  const tone = isUsedUp ? 'fill-deny' : isTight ? 'fill-limit' : 'fill-accent';
  return (
    <svg
      role="img"
      aria-label={`${formatShare(use.used, quota)} of the quota is used, ${formatShare(projection.expectedAtMonthEnd, quota)} expected by the end of the month`}
      className="mt-3 block h-4 w-full"
    >
      <rect x="0" y="3" width="100%" height="10" className="fill-line" />
      <rect
        x="0"
        y="3"
        width={percent(projection.expectedAtMonthEnd)}
        height="10"
        className={clsx(tone, 'opacity-35')}
      />
      <rect x="0" y="3" width={percent(use.used)} height="10" className={tone} />
      {whole > quota && (
        <line
          x1={percent(quota)}
          x2={percent(quota)}
          y1="0"
          y2="16"
          className="stroke-ink"
          strokeWidth="2"
        />
      )}
    </svg>
  );
}

function Forecast({ use, projection: { expectedAtMonthEnd, exhaustedAt } }: QuotaMonthProps) {
  if (use.monthlyQuota !== null && use.used >= use.monthlyQuota) {
    return <strong className="font-semibold text-limit-text">The quota is used up.</strong>;
  }
  if (use.recent.allowed === 0) {
    return <>No traffic in {FORECAST_DAYS} days: no forecast.</>;
  }
  if (exhaustedAt !== null) {
    return (
      <>
        <strong className="font-semibold text-limit-text">
          Used up on <AbsoluteDate at={exhaustedAt} />
        </strong>{' '}
        at the rate of the last {FORECAST_DAYS} days; {formatCount(expectedAtMonthEnd)} requests are
        expected by the end of the month.
      </>
    );
  }
  return (
    <>
      Enough: {formatCount(expectedAtMonthEnd)} requests are expected by the end of the month at the
      rate of the last {FORECAST_DAYS} days.
    </>
  );
}
