'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

const EVERY_MS = 30_000;

/**
 * Renders the page again every 30 seconds while its tab is visible. During an outage the page stays
 * as it is.
 */
export function LiveRefresh() {
  const router = useRouter();
  useEffect(() => {
    async function refresh() {
      if (document.visibilityState !== 'visible') return;
      const ready = await fetch('/api/ready').catch(() => null);
      if (ready?.ok) router.refresh();
    }
    const timer = setInterval(refresh, EVERY_MS);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [router]);
  return null;
}
