import type { UsageRange } from '@ceiba/domain';

/** The most days that one file holds; `exportUsage` has the same bound. */
export const CSV_DAYS_MAX = 400;

export const daysIn = ({ from, to }: UsageRange): number =>
  (to.getTime() - from.getTime()) / 86_400_000;
