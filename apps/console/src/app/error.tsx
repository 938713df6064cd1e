'use client';

import { Fault } from '#components/fault.tsx';
import { SiteHeader } from '#components/site-header.tsx';

/** Faults outside the signed-in pages, and of what they all need. */
export default function RootFault({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <>
      <SiteHeader />
      <main id="content" className="px-4 sm:px-8">
        <Fault error={error} retry={retry} />
      </main>
    </>
  );
}
