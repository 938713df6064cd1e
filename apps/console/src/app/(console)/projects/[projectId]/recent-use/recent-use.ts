import type { RecentUse } from '@ceiba/schema';

/** What a dialog is about to end the calls of; the whole project if it names nothing. */
export interface UsedFields {
  keys?: readonly string[];
  customer?: string;
  policy?: string;
}

/** Where who uses it is read, below the address of the project. */
export function recentUsePath({ keys, ...one }: UsedFields): string {
  const query = new URLSearchParams({ ...one, ...(keys && { keys: keys.join() }) });
  return `/recent-use${query.size === 0 ? '' : `?${query}`}`;
}

/** What it answers: the times are texts of ISO 8601. */
export type RecentUseAnswer = {
  [Field in keyof RecentUse]: Date extends RecentUse[Field] ? string | null : RecentUse[Field];
};
