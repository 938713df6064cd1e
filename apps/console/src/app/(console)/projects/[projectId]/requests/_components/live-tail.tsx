'use client';

import { Pause, Play, Radio } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { Button } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { follow } from './follow.ts';

/** Reads the list again whenever the server reports new requests, until it is paused. */
export function LiveTail({ address }: { address: string }) {
  const router = useRouter();
  const [isOn, setIsOn] = useState(false);
  useEffect(() => {
    if (!isOn) return;
    const read = () => router.refresh();
    const end = () => {
      setIsOn(false);
      // After sign-out this leads to the sign-in page.
      read();
    };
    return follow(address, { onNew: read, onEnd: end });
  }, [isOn, address, router]);
  return (
    <>
      <span role="status" className="empty:absolute">
        {isOn && (
          <Chip tone="allow" icon={Radio}>
            Following
          </Chip>
        )}
      </span>
      <Button type="button" onClick={() => setIsOn(!isOn)}>
        {isOn ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
        {isOn ? 'Pause' : 'Follow live'}
      </Button>
    </>
  );
}
