import { formatCount, formatShare } from '../../lib/format.ts';

/** A smaller change is no news: the hour that has just begun is compared with a whole one. */
const PERCENT_MIN = 5;
/** From here on a percentage is hard to read. */
const MANY_TIMES = 10;

/** `Up 12% on the day before`; nothing if there was no traffic on that day. */
export function countChange(count: number, before: number): string | undefined {
  if (before === 0) return undefined;
  if (count > MANY_TIMES * before) return `Over ${MANY_TIMES} times the day before`;
  const percent = ((count - before) / before) * 100;
  if (Math.abs(percent) < PERCENT_MIN) return 'About as many as the day before';
  return `${percent > 0 ? 'Up' : 'Down'} ${formatCount(Math.abs(percent))}% on the day before`;
}

type Share = readonly [part: number, whole: number];

/** `Up from 9% the day before`; nothing if one of the days had no traffic. */
export function shareChange(share: Share, before: Share): string | undefined {
  if (share[1] === 0 || before[1] === 0) return undefined;
  const [now, then] = [formatShare(...share), formatShare(...before)];
  if (now === then) return `Also ${then} the day before`;
  return `${share[0] / share[1] > before[0] / before[1] ? 'Up' : 'Down'} from ${then} the day before`;
}
