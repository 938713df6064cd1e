'use client';

import { useEffect } from 'react';

/** Marks the part that is being read in the index with this id. */
export function CurrentPart({ indexId }: { indexId: string }) {
  useEffect(() => {
    const left = new AbortController();
    void import('./mark-part.ts').then((file) => file.markPart(indexId, left.signal));
    return () => left.abort();
  }, [indexId]);
  return null;
}
