'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/**
 * Renders the page again in this interval while its tab is visible. During an outage the page stays
 * as it is.
 */
export function LiveRefresh({ everyMs }: { everyMs: number }) {
  const router = useRouter();
  useEffect(() => {
    async function refresh() {
      if (document.visibilityState !== 'visible') return;
      const ready = await fetch('/api/ready').catch(() => null);
      if (ready?.ok) router.refresh();
    }
    const timer = setInterval(refresh, everyMs);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [router, everyMs]);
  return null;
}
