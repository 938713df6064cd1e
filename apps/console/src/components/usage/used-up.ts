import type { LimitWindow } from '@ceiba/domain/limits';
import { formatCount } from '../../lib/format.ts';

export interface UsedUpQuota {
  quota: number;
  window: LimitWindow;
}

/**
 * Why a used-up quota denies calls, as a part of a sentence: `all 50 requests of this day are used`, or
 * `the quota of this day is 0`, of which nothing is ever used.
 *
 * @param whose who used it, where the page is not about that
 */
export function usedUpText({ quota, window }: UsedUpQuota, whose?: string): string {
  if (quota === 0) return `the quota of this ${window} is 0${whose ? ` for ${whose}` : ''}`;
  const used = quota === 1 ? 'the 1 request' : `all ${formatCount(quota)} requests`;
  return `${used} of this ${window} ${quota === 1 ? 'is' : 'are'} used${whose ? ` by ${whose}` : ''}`;
}
