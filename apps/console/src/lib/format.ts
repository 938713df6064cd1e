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
  if (whole <= 0) return '0%';
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 1) return '<1%';
  if (percent > 99 && percent < 100) return '>99%';
  return `${Math.round(percent)}%`;
}

/** `01a2b3c4…9f0e`: enough of both ends to recognise an identifier. */
export function shortenMiddle(text: string, head = 8, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
}
