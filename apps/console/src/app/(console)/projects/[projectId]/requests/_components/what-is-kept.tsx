import { UNSAMPLED_HOURS, UNSAMPLED_PER_MINUTE } from '@ceiba/domain/constants';
import type { Project } from '@ceiba/schema';
import { minuteTime } from '#lib/time.ts';

interface WhatIsKeptProps
  extends Pick<Project, 'loggedAllowsPercent' | 'firstAllowedAt' | 'isUnsampled'> {
  timeZone: string;
}

/** Which requests the log keeps now; of a new project, also until when. */
export function WhatIsKept(props: WhatIsKeptProps) {
  const { loggedAllowsPercent, firstAllowedAt, isUnsampled, timeZone } = props;
  const share = `${loggedAllowsPercent}% of the allowed ones`;
  if (!isUnsampled || loggedAllowsPercent === 0) return `Every denied request and ${share}`;
  return (
    <>
      Every denied request and,{' '}
      {firstAllowedAt === null ? (
        `for ${UNSAMPLED_HOURS} hours from the first allowed call`
      ) : (
        <>until {minuteTime(endOf(firstAllowedAt), timeZone)}</>
      )}
      , every allowed one, up to {UNSAMPLED_PER_MINUTE} a minute; then {share}
    </>
  );
}

const endOf = (firstAllowedAt: Date) =>
  new Date(firstAllowedAt.getTime() + UNSAMPLED_HOURS * 3_600_000);
