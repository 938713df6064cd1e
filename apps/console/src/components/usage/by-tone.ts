import { isLimitDenial } from '@ceiba/contract/sets';
import type { UsageSeries } from '@ceiba/schema';

export const TONES = ['allow', 'limit', 'deny'] as const;
export type OutcomeTone = (typeof TONES)[number];

export const TONE_NAMES = { allow: 'Allowed', limit: 'Limited', deny: 'Denied' } as const;
/** Within a sentence. */
export const TONE_WORDS = { allow: 'allowed', limit: 'limited', deny: 'denied' } as const;
export const TONE_FILLS = {
  allow: 'fill-allow-bar',
  limit: 'fill-limit',
  deny: 'fill-deny',
} as const;

export const TONE_SWATCHES = {
  allow: 'bg-allow-bar',
  limit: 'bg-limit',
  deny: 'bg-deny',
} as const;

/** Counts of allowed calls, calls that a limit denied, and calls denied for another reason. */
export interface ToneCounts {
  totals: Record<OutcomeTone, number>;
  /** Per step. */
  counts: Record<OutcomeTone, number>[];
}

export function byTone({ lines, starts }: Pick<UsageSeries, 'lines' | 'starts'>): ToneCounts {
  const counts = starts.map(() => ({ allow: 0, limit: 0, deny: 0 }));
  const totals = { allow: 0, limit: 0, deny: 0 };
  for (const line of lines) {
    const tone = toneOf(line.id);
    totals[tone] += line.total;
    for (const [index, step] of counts.entries()) step[tone] += line.counts[index] ?? 0;
  }
  return { totals, counts };
}

function toneOf(outcome: string): OutcomeTone {
  if (outcome === 'allowed') return 'allow';
  return isLimitDenial(outcome) ? 'limit' : 'deny';
}
