import { LIMITS, type LimitName } from '@ceiba/domain/limits';

const wholeNumber = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const compactNumber = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** `12,345`. */
export const formatCount = (count: number): string => wholeNumber.format(count);

/** `12.3K`, for axes and narrow places. Show the full number nearby or in a tooltip. */
export const formatCompact = (count: number): string => compactNumber.format(count);

/** `3 keys`, `1 key`. */
export const plural = (count: number, singular: string, many = `${singular}s`): string =>
  `${formatCount(count)} ${count === 1 ? singular : many}`;

/** `GET /v1/reports*`, `ANY /v1*`. */
export const policyText = ({ method, pathPattern }: { method: string; pathPattern: string }) =>
  `${method === '*' ? 'ANY' : method} ${pathPattern}`;

export const sum = (counts: readonly number[]): number =>
  counts.reduce((total, count) => total + count, 0);

/** `42%`, `<1%`, `>99%`: only nothing reads as 0%, and only everything as 100%. */
export function formatShare(part: number, whole: number): string {
  const percent = whole <= 0 ? 0 : (part / whole) * 100;
  return percentText(percent, Math.round(percent));
}

/**
 * As {@link formatShare}, for all parts of a whole: the percentages that are shown never exceed 100
 * together. The largest remainders are rounded up (Hamilton's method).
 */
export function formatShares(parts: readonly number[]): string[] {
  const whole = sum(parts);
  const percents = parts.map((part) => (whole <= 0 ? 0 : (part / whole) * 100));
  const floors = percents.map(Math.floor);
  const remainder = (index: number) => (percents[index] ?? 0) - (floors[index] ?? 0);
  // A part below one percent shows "<1%", however it is rounded.
  const byRemainder = [...percents.keys()]
    .filter((index) => (percents[index] ?? 0) >= 1)
    .sort((one, other) => remainder(other) - remainder(one));
  const raised = new Set(byRemainder.slice(0, Math.round(sum(percents)) - sum(floors)));
  return percents.map((percent, index) =>
    percentText(percent, Math.floor(percent) + (raised.has(index) ? 1 : 0)),
  );
}

function percentText(percent: number, rounded: number): string {
  if (percent > 0 && percent < 1) return '<1%';
  if (percent > 99 && percent < 100) return '>99%';
  return `${rounded}%`;
}

/** `01a2b3c4…9f0e`: enough of both ends to recognise an identifier. */
export function shortenMiddle(text: string, head = 8, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
}

/** The name of a limit for its field or column. */
export const limitLabel = (name: LimitName) => `Requests per ${LIMITS[name].window}`;

/** What a limit of 0 allows: rates count calls, quotas what calls cost. */
export const zeroOf = (name: LimitName) =>
  LIMITS[name].window === 'minute'
    ? '0 allows no requests.'
    : '0 allows only requests that cost nothing.';
