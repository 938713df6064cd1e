import { describeLimits } from '@ceiba/domain/limits';
import { formatCount, plural } from '#lib/format.ts';

/** What distinguishes a plan from others where one is chosen: its limits; undefined for one without any. */
export function planDetail(
  plan: Parameters<typeof describeLimits>[0] & { activeKeyCap: number | null },
): string | undefined {
  const { activeKeyCap } = plan;
  const limits = [
    describeLimits(plan, formatCount),
    activeKeyCap === null ? '' : plural(activeKeyCap, 'active key'),
  ];
  return limits.filter(Boolean).join(', ') || undefined;
}

/** The most plans that a list offers at once. */
export const PLANS_LISTED = 10;
