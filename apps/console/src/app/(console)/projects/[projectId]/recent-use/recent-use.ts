import type { RecentUse } from '@ceiba/schema';

/** What a dialog is about to end the calls of; the whole project if it names nothing. */
export interface UsedFields {
  keys?: readonly string[];
  customer?: string;
  policy?: string;
}

/** So many fit into an address. */
export const KEYS_ASKED_MAX = 100;

/** Where who uses it is read, below the address of the project: several addresses for many keys. */
export function recentUsePaths({ keys, ...one }: UsedFields): string[] {
  const pathOf = (query: URLSearchParams) => `/recent-use${query.size === 0 ? '' : `?${query}`}`;
  if (keys === undefined) return [pathOf(new URLSearchParams({ ...one }))];
  return Array.from({ length: Math.ceil(keys.length / KEYS_ASKED_MAX) }, (_, part) => {
    const asked = keys.slice(part * KEYS_ASKED_MAX, (part + 1) * KEYS_ASKED_MAX);
    return pathOf(new URLSearchParams({ keys: asked.join() }));
  });
}

/** What it answers: the times are texts of ISO 8601. */
export type RecentUseAnswer = {
  [Field in keyof RecentUse]: Date extends RecentUse[Field] ? string | null : RecentUse[Field];
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SPANS_MS: Record<RecentUse['exactTo'], number> = { moment: 0, hour: HOUR_MS, day: DAY_MS };

/**
 * Whether a use may be of the last 24 hours.
 *
 * @param at the use, or the start of its hour or day
 */
export const isWithinDay = (at: string, exactTo: RecentUse['exactTo'], now: Date): boolean =>
  now.getTime() - new Date(at).getTime() - SPANS_MS[exactTo] < DAY_MS;
