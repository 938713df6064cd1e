'use client';

import { type LucideIcon, Pause, Play, Radio, RotateCw, TriangleAlert } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useEffect, useState, useTransition } from 'react';
import { Button } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { follow } from './follow.ts';

type State = 'off' | 'on' | 'stopped';

const STEPS = {
  off: { name: 'Follow live', icon: Play, next: 'on' },
  on: { name: 'Pause', icon: Pause, next: 'off' },
  stopped: { name: 'Try again', icon: RotateCw, next: 'on' },
} as const satisfies Record<State, { name: string; icon: LucideIcon; next: State }>;

/**
 * Reads the list again whenever the server reports new requests, until it is paused or the server
 * does not answer for minutes. It waits for one reading before it starts the next: a search can take
 * longer than the time between two reports.
 */
export function LiveTail({ address }: { address: string }) {
  const router = useRouter();
  const [state, setState] = useState<State>('off');
  const isOn = state === 'on';
  const [isDue, setIsDue] = useState(false);
  const [isReading, startReading] = useTransition();
  useEffect(() => {
    if (!isOn) return;
    const end = () => {
      setState('stopped');
      // After sign-out this leads to the sign-in page.
      setIsDue(true);
    };
    return follow(address, { onNew: () => setIsDue(true), onEnd: end });
  }, [isOn, address]);
  useEffect(() => {
    if (!isDue || isReading) return;
    setIsDue(false);
    startReading(() => router.refresh());
  }, [isDue, isReading, router]);
  const { name, icon: Icon, next } = STEPS[state];
  return (
    <>
      <span role="status" className="empty:absolute">
        {isOn && (
          <Chip tone="normal" icon={Radio}>
            Following
          </Chip>
        )}
        {state === 'stopped' && (
          <Chip tone="limit" icon={TriangleAlert}>
            Following stopped.
          </Chip>
        )}
      </span>
      <Button type="button" onClick={() => setState(next)}>
        <Icon aria-hidden="true" />
        {name}
      </Button>
    </>
  );
}
