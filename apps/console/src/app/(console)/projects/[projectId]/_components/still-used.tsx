'use client';

import { POLICY_USE_DAYS } from '@ceiba/domain/constants';
import { useEffect, useState } from 'react';
import { Notice } from '#components/ui/notice.tsx';
import { AbsoluteTime, RelativeTime, useClock } from '#components/ui/time.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { dayName } from '#lib/time.ts';
import {
  isWithinDay,
  type RecentUseAnswer,
  recentUsePaths,
  type UsedFields,
} from '../recent-use/recent-use.ts';

/** What the server answers once it does. A dialog works without it. */
type Asked = 'asking' | 'failed' | readonly RecentUseAnswer[];

/** Reads who uses what a dialog is about to end, when the dialog opens. */
export function useRecentUse(of: UsedFields): Asked {
  const paths = recentUsePaths(of).join(' ');
  const [asked, setAsked] = useState<Asked>('asking');
  useEffect(() => {
    const closed = new AbortController();
    const [ofProject] = /^\/projects\/[^/]+/.exec(window.location.pathname) ?? [''];
    const answers = paths.split(' ').map((path) => readFrom(`${ofProject}${path}`, closed.signal));
    Promise.all(answers).then(
      (all) => setAsked(all.flat()),
      () => {
        if (!closed.signal.aborted) setAsked('failed');
      },
    );
    return () => closed.abort();
  }, [paths]);
  return asked;
}

async function readFrom(address: string, signal: AbortSignal): Promise<RecentUseAnswer[]> {
  // Signed out, it leads to another page.
  const response = await fetch(address, { cache: 'no-store', redirect: 'error', signal });
  if (!response.ok) throw new Error(`answered with ${response.status}`);
  return response.json();
}

/** Says who still uses what a dialog is about to end. */
export function StillUsed({ of, ...about }: { of: UsedFields } & Omit<FoundProps, 'use'>) {
  const asked = useRecentUse(of);
  return (
    <div role="status" className="mb-4 [.grid>&]:mb-0">
      {typeof asked === 'string' ? (
        <NotYet asked={asked} />
      ) : (
        asked.map((use) => <Found key={use.id} {...about} use={use} />)
      )}
      {asked.length === 0 && about.as === 'customer' && <Notice title="It has no keys" />}
    </div>
  );
}

/** In place of the answer; as high as most answers, so that no button moves. */
export const NotYet = ({ asked }: { asked: 'asking' | 'failed' }) => (
  <Notice title={asked === 'asking' ? 'Looking up who uses it…' : 'Who uses it is not known now'}>
    {asked === 'asking' ? <>&nbsp;</> : 'The console did not answer. You can go on without it.'}
  </Notice>
);

/** What the newest use is called, and that there was none. */
const WORDS = {
  key: { last: 'Last used', none: 'Never used' },
  previous: { last: 'The old secret was last used', none: 'The old secret was not used since' },
  secret: {
    last: 'The previous secret was last used',
    none: 'The previous secret was not used since it was replaced',
  },
  customer: { last: 'One of its keys was used', none: 'None of its keys was ever used' },
  policy: {
    last: 'It last allowed a call',
    none: `It allowed no call in the last ${POLICY_USE_DAYS} days`,
  },
  project: { last: 'A call was last allowed', none: 'No call was ever allowed' },
} as const;

interface FoundProps {
  as: keyof typeof WORDS;
  use: RecentUseAnswer;
}

function Found({ as, use }: FoundProps) {
  const isUsed = useIsInUse(use, as);
  const { last, none } = WORDS[as];
  const at = lastOf(use, as);
  return (
    <Notice
      tone={isUsed ? 'warning' : 'info'}
      title={
        at === null ? (
          none
        ) : (
          <>
            {last} <At at={at} exactTo={use.exactTo} />
          </>
        )
      }
    >
      <p className="figures">{callsToday(use, callersOf(use, as))}.</p>
    </Notice>
  );
}

/** `last used 9 minutes ago, 14 calls today (UTC)`, for a list of keys. */
export const UseOfKey = ({ use }: { use: RecentUseAnswer }) => (
  <span className="figures">
    {use.lastUsedAt === null ? (
      'never used'
    ) : (
      <>
        last used <RelativeTime at={use.lastUsedAt} inRow />
      </>
    )}
    {use.allowedToday + use.deniedToday > 0 && `, ${callsToday(use)}`}
  </span>
);

const lastOf = (use: RecentUseAnswer, as: FoundProps['as']) =>
  isOfOldSecret(as) ? use.previousLastUsedAt : use.lastUsedAt;

const isOfOldSecret = (as: FoundProps['as']) => as === 'previous' || as === 'secret';

/** Whether it was used today, in UTC, or within the last 24 hours. */
function useIsInUse(use: RecentUseAnswer, as: FoundProps['as']): boolean {
  const { now } = useClock();
  const at = lastOf(use, as);
  const isRecent = at !== null && isWithinDay(at, use.exactTo, now);
  return isRecent || (!isOfOldSecret(as) && use.allowedToday > 0);
}

/** `14 calls today (UTC) with 2 keys, 3 denied`. */
function callsToday({ allowedToday, deniedToday }: RecentUseAnswer, callers = ''): string {
  const total = allowedToday + deniedToday;
  if (total === 0) return 'No calls today (UTC)';
  const calls = `${plural(total, 'call')} today (UTC)${callers}`;
  if (deniedToday === 0) return calls;
  return `${calls}, ${allowedToday === 0 ? 'all' : formatCount(deniedToday)} denied`;
}

function callersOf({ keysToday }: RecentUseAnswer, as: FoundProps['as']): string {
  if (isOfOldSecret(as)) return ' with either secret';
  return as === 'key' || keysToday === 0 ? '' : ` with ${plural(keysToday, 'key')}`;
}

/** The days of policies are in UTC. */
function At({ at, exactTo }: { at: string; exactTo: RecentUseAnswer['exactTo'] }) {
  if (exactTo === 'moment') return <RelativeTime at={at} />;
  if (exactTo === 'day') return `on ${dayName(new Date(at), 'UTC')} (UTC)`;
  return (
    <>
      in the hour from <AbsoluteTime at={at} />
    </>
  );
}
