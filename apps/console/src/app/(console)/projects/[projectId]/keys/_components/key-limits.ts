import { LIMITS, type LimitName } from '@ceiba/domain/limits';
import { zeroOf } from '#lib/format.ts';

/** What applies to a key without a limit of its own. */
export const keyLimitHint =
  (defaultRate: number | null) =>
  (name: LimitName): string =>
    defaultRate !== null && LIMITS[name].window === 'minute'
      ? `If empty, the project’s default applies: ${defaultRate} per minute.`
      : `If empty, only the limits of the plan and the customer apply. ${zeroOf(name)}`;
