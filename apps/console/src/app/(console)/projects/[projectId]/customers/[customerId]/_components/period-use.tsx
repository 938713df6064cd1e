import type { CustomerUse, QuotaOfPeriod } from '@ceiba/schema';
import { PeriodTime } from '#components/ui/time.tsx';
import { QuotaBar } from '#components/usage/period-bar.tsx';
import { formatCount, formatShare } from '#lib/format.ts';

/** What a customer has used of its month and its day. */
export function PeriodUse({ use: { month, day } }: { use: CustomerUse }) {
  return (
    <div className="grid gap-6">
      <Quota period={month} used="used" />
      {day && <Quota period={day} used="used today" />}
    </div>
  );
}

/** The dates of the month. */
export const PeriodDates = ({ use: { month } }: { use: CustomerUse }) => (
  <>
    From <PeriodTime at={month.from} /> to <PeriodTime at={month.to} />. Counts are a few seconds
    behind.
  </>
);

function Quota({ period: { used: count, quota }, used }: { period: QuotaOfPeriod; used: string }) {
  return (
    <div>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-figure font-semibold">{formatCount(count)}</span>
        <span className="text-muted">
          {quota === null
            ? `${used}; the customer has no quota`
            : `of ${formatCount(quota.value)} ${used}, ${formatShare(count, quota.value)}`}
        </span>
      </p>
      {quota !== null && <QuotaBar used={count} quota={quota.value} />}
    </div>
  );
}
