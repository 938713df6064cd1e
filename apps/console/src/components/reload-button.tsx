'use client';

import { RotateCw } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useTransition } from 'react';
import { Button } from './ui/button.tsx';

/** Reloads the data of the page and keeps scroll position and focus. */
export function ReloadButton() {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  return (
    <Button size="sm" pending={pending} onClick={() => startTransition(() => router.refresh())}>
      {!pending && <RotateCw aria-hidden="true" />}
      Measure again
    </Button>
  );
}
