import type { LimitWindow } from '@ceiba/domain/limits';
import { formatCount } from '../../lib/format.ts';

export interface UsedUpQuota {
  quota: number;
  window: LimitWindow;
}

/**
 * Why a used-up quota denies calls, as a part of a sentence: `all 50 requests of this day are used`, or of a quota
 * of 0, of which nothing is ever used, `the quota of this day is 0`.
 *
 * @param whose who used it, where the page is not about that
 */
export function usedUpText({ quota, window }: UsedUpQuota, whose?: string): string {
  return quota === 0
    ? `the quota of this ${window} is 0${whose ? ` for ${whose}` : ''}`
    : `all ${formatCount(quota)} requests of this ${window} are used${whose ? ` by ${whose}` : ''}`;
}
