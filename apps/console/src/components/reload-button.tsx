'use client';

import { RotateCw } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useTransition } from 'react';
import { Button } from './ui/button.tsx';

/** Renders the page again from the server, keeping scroll and focus. */
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
