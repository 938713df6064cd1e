'use client';

import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { preferenceCookie, TIME_ZONE_COOKIE } from '../../lib/preferences.ts';
import {
  dayName,
  logTime,
  minuteTime,
  ownTimeZone,
  presentFor,
  relativeHour,
  relativeTime,
  secondTime,
  timeOfDay,
} from '../../lib/time.ts';
import { Hint } from './tooltip.tsx';

const TICK_MS = 30_000;

interface Clock {
  now: Date;
  /** That of the account, or else of the browser. */
  timeZone: string;
}

const ClockContext = createContext<Clock>({ now: new Date(0), timeZone: 'UTC' });

export const useClock = (): Clock => useContext(ClockContext);

export interface ClockProviderProps {
  /** The zone of the browser as far as the server knows it. */
  timeZone: string;
  initialNow: number;
  children: ReactNode;
}

/**
 * A ticking clock, in the time zone with which the server rendered: hydration changes nothing, and a page
 * has one zone. The browser names its zone in a cookie; after the first visit, the page is rendered again.
 */
export function ClockProvider({ timeZone, initialNow, children }: ClockProviderProps) {
  const router = useRouter();
  const [now, setNow] = useState(initialNow);

  useEffect(() => {
    const cookies = document.cookie;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = preferenceCookie(TIME_ZONE_COOKIE, ownTimeZone());
    // A server that knows no such zone, or gets no cookie, is not asked again.
    if (ownTimeZone() !== timeZone && document.cookie !== cookies) router.refresh();
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [timeZone, router]);

  return <ClockContext value={{ now: new Date(now), timeZone }}>{children}</ClockContext>;
}

/** The zone of the account, where it has one of its own. */
export function TimeZone({
  timeZone,
  children,
}: Pick<ClockProviderProps, 'timeZone' | 'children'>) {
  const { now } = useClock();
  return <ClockContext value={{ now, timeZone }}>{children}</ClockContext>;
}

interface TimeProps {
  /** ISO 8601 or a Date. */
  at: string | Date;
  /** In a row of a list: the keyboard skips it, so that a row has one tab stop. */
  inRow?: boolean;
}

/** `3 hours ago`; the viewer's time and UTC on hover or focus. */
export const RelativeTime = (props: TimeProps) => (
  <Time {...props} format={(instant, { now }) => relativeTime(instant, now)} />
);

interface LastUseProps {
  /** Null if there was none. */
  at: TimeProps['at'] | null;
  inRow?: boolean;
  /** What it says if there was none. */
  none?: string;
}

/** `last used 3 hours ago` or `never used`. */
export const LastUse = ({ at, inRow = false, none = 'never used' }: LastUseProps) =>
  at === null ? (
    none
  ) : (
    <>
      last used <RelativeTime at={at} inRow={inRow} />
    </>
  );

/** `this hour`, `3 hours ago`, for data per hour; the hour itself on hover or focus. */
export const RelativeHour = (props: TimeProps) => (
  <Time
    {...props}
    lead={() => 'In the hour from'}
    format={(instant, { now }) => relativeHour(instant, now)}
  />
);

/** `20 Nov 2026, 14:05 UTC+1`; the zone's name and UTC on hover or focus. */
export const AbsoluteTime = (props: TimeProps) => <Time {...props} format={inZone(minuteTime)} />;

/** `20 Nov 2026`; the full time and UTC on hover or focus. */
export const AbsoluteDate = (props: TimeProps) => <Time {...props} format={inZone(dayName)} />;

/** `1 Dec 2026, 00:00 UTC`, the end of a period that is counted in UTC; the viewer's time on hover or focus. */
export const PeriodTime = (props: TimeProps) => (
  <Time {...props} format={(instant) => minuteTime(instant, 'UTC')} />
);

/** `14:05`, below the name of its day; the full time and UTC on hover or focus. */
export const TimeOfDay = (props: TimeProps) => <Time {...props} format={inZone(timeOfDay)} />;

/** `14:05:09`, with the day before today, below the name of the zone; how long ago, and UTC, on hover. */
export const LogTime = (props: TimeProps) => (
  <Time
    {...props}
    lead={relativeTo}
    format={(instant, { now, timeZone }) => logTime(instant, now, timeZone)}
  />
);

/** `20 Nov 2026, 14:05:09 UTC+1`; how long ago, and UTC, on hover or focus. */
export const ExactTime = (props: TimeProps) => (
  <Time {...props} lead={relativeTo} format={inZone(secondTime)} />
);

const inZone =
  (form: typeof minuteTime) =>
  (instant: Date, { timeZone }: Clock) =>
    form(instant, timeZone);

const relativeTo = (instant: Date, { now }: Clock) => relativeTime(instant, now);

interface FormattedTimeProps extends TimeProps {
  /** Text before the time on hover. */
  lead?: (instant: Date, clock: Clock) => string;
  format: (instant: Date, clock: Clock) => string;
}

function Time({ at, inRow = false, lead, format }: FormattedTimeProps) {
  const { now: lastTick, timeZone } = useClock();
  const instant = new Date(at);
  const clock = { now: presentFor(instant, lastTick), timeZone };
  return (
    <Hint
      text={
        <span className="numbers grid gap-x-2">
          {lead && <span>{lead(instant, clock)}</span>}
          <span>
            {minuteTime(instant, clock.timeZone)}{' '}
            <span className="opacity-70">{clock.timeZone}</span>
          </span>
          <span>{secondTime(instant, 'UTC')}</span>
        </span>
      }
    >
      {/* The tooltip must open by keyboard too (WCAG 1.4.13). */}
      {/* The time zones of a browser may be older than the server's. */}
      <time
        dateTime={instant.toISOString()}
        tabIndex={inRow ? undefined : 0}
        suppressHydrationWarning
      >
        {format(instant, clock)}
      </time>
    </Hint>
  );
}
