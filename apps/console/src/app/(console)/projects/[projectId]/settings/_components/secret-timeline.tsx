'use client';

import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { AbsoluteTime, RelativeTime, useClock } from '#components/ui/time.tsx';
import { durationWords, overlapAt } from './overlap.ts';

export interface SecretTimelineProps {
  /** When the current secret was created, ISO 8601. */
  createdAt: string;
  /** When the previous secret ends, ISO 8601; in the past or null if it is not accepted. */
  previousExpiresAt: string | null;
  /** When the previous secret was last used. */
  previousLastUse: ReactNode;
  /** The button that ends the previous secret. */
  children: ReactNode;
}

/** Which secrets are accepted now, and until when. */
export function SecretTimeline(props: SecretTimelineProps) {
  const { now } = useClock();
  const overlap = overlapAt(props, now);
  return (
    <div className="panel">
      <p className="flex flex-wrap items-center gap-x-3 px-(--inset) py-2">
        <KeyRound aria-hidden="true" className="size-4 shrink-0 text-ink" />
        <span className="font-medium">Current secret</span>
        <span className="text-muted">
          created <RelativeTime at={props.createdAt} />
        </span>
      </p>
      {overlap === null || props.previousExpiresAt === null ? (
        <p className="border-t px-(--inset) py-2 text-small text-muted">
          No other secret is accepted.
        </p>
      ) : (
        <div className="border-t px-(--inset) py-2">
          <div className="flex flex-wrap items-center gap-x-3">
            <KeyRound aria-hidden="true" className="size-4 shrink-0 text-limit-text" />
            <span className="font-medium">Previous secret</span>
            <span className="grow text-muted">
              accepted for another{' '}
              <strong className="font-semibold text-ink">
                {durationWords(overlap.remainingMs)}
              </strong>
            </span>
            {props.children}
          </div>
          <OverlapBar elapsed={overlap.elapsed} />
          <p className="flex flex-wrap justify-between gap-x-4 text-small text-muted">
            <span>
              rotated <AbsoluteTime at={props.createdAt} />
            </span>
            <span>{props.previousLastUse}</span>
            <span>
              ends <AbsoluteTime at={props.previousExpiresAt} />
            </span>
          </p>
        </div>
      )}
    </div>
  );
}

/** The overlap from left to right, with a dot at the present. */
function OverlapBar({ elapsed }: { elapsed: number }) {
  const at = `${elapsed * 100}%`;
  return (
    <svg aria-hidden="true" className="mt-3 mb-1 block h-4 w-full overflow-visible">
      <rect x="0" y="6" width="100%" height="4" rx="2" className="fill-line" />
      <rect
        x={at}
        y="6"
        width={`${(1 - elapsed) * 100}%`}
        height="4"
        rx="2"
        className="fill-limit"
      />
      <circle cx={at} cy="8" r="6" className="fill-limit stroke-surface" strokeWidth="2" />
    </svg>
  );
}
