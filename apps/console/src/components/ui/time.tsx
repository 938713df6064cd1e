'use client';

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { preferenceCookie, TIME_ZONE_COOKIE } from '../../lib/preferences.ts';
import {
  absoluteDate,
  absoluteTime,
  exactTime,
  logTime,
  relativeHour,
  relativeTime,
  timeOfDay,
  utcTime,
} from '../../lib/time.ts';
import { Hint } from './tooltip.tsx';

const TICK_MS = 30_000;

interface Clock {
  now: Date;
  timeZone: string;
}

const ClockContext = createContext<Clock>({ now: new Date(0), timeZone: 'UTC' });

export const useClock = (): Clock => useContext(ClockContext);

export interface ClockProviderProps {
  initialTimeZone: string;
  initialNow: number;
  children: ReactNode;
}

/**
 * The viewer's time zone and a ticking clock. The first render uses the server's values (the time
 * zone is in a cookie of the last visit), so that hydration changes nothing.
 */
export function ClockProvider({ initialTimeZone, initialNow, children }: ClockProviderProps) {
  const [timeZone, setTimeZone] = useState(initialTimeZone);
  const [now, setNow] = useState(initialNow);

  useEffect(() => {
    const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    setTimeZone(viewerZone);
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = preferenceCookie(TIME_ZONE_COOKIE, viewerZone);
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);

  const clock = useMemo(() => ({ now: new Date(now), timeZone }), [now, timeZone]);
  return <ClockContext value={clock}>{children}</ClockContext>;
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

/** `20 Nov 2026, 14:05` in the viewer's time zone; UTC on hover or focus. */
export const AbsoluteTime = (props: TimeProps) => (
  <Time {...props} format={(instant, { timeZone }) => absoluteTime(instant, timeZone)} />
);

/** `20 Nov 2026` in the viewer's time zone; the full time and UTC on hover or focus. */
export const AbsoluteDate = (props: TimeProps) => (
  <Time {...props} format={(instant, { timeZone }) => absoluteDate(instant, timeZone)} />
);

/** `14:05` in the time zone of the day that it is listed under; the full time and UTC on hover or focus. */
export const TimeOfDay = ({ timeZone, ...props }: TimeProps & { timeZone: string }) => (
  <Time {...props} format={(instant) => timeOfDay(instant, timeZone)} />
);

/** `14:05:09`, in UTC, with the day before today; how long ago, and the viewer's time, on hover. */
export const LogTime = (props: TimeProps) => (
  <Time {...props} lead={relativeTo} format={(instant, { now }) => logTime(instant, now)} />
);

/** `20 Nov 2026, 14:05:09 UTC`; how long ago, and the viewer's time, on hover or focus. */
export const ExactTime = (props: TimeProps) => (
  <Time {...props} lead={relativeTo} format={exactTime} />
);

const relativeTo = (instant: Date, { now }: Clock) => relativeTime(instant, now);

interface FormattedTimeProps extends TimeProps {
  /** Text before the time on hover. */
  lead?: (instant: Date, clock: Clock) => string;
  format: (instant: Date, clock: Clock) => string;
}

function Time({ at, inRow = false, lead, format }: FormattedTimeProps) {
  const clock = useClock();
  const instant = new Date(at);
  return (
    <Hint
      text={
        <span className="numbers grid gap-x-2">
          {lead && <span>{lead(instant, clock)}</span>}
          <span>
            {absoluteTime(instant, clock.timeZone)}{' '}
            <span className="opacity-70">{clock.timeZone}</span>
          </span>
          <span>{utcTime(instant)}</span>
        </span>
      }
    >
      {/* The tooltip must open by keyboard too (WCAG 1.4.13). */}
      <time dateTime={instant.toISOString()} tabIndex={inRow ? undefined : 0}>
        {format(instant, clock)}
      </time>
    </Hint>
  );
}
