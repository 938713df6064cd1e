'use client';

import { ErrorPage } from '#components/error-page.tsx';
import { SiteHeader } from '#components/site-header.tsx';

/** Errors outside the signed-in pages, and of the frame around those. */
export default function RootError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <>
      <SiteHeader />
      <main id="content" className="px-4 sm:px-8">
        <ErrorPage error={error} retry={retry} />
      </main>
    </>
  );
}
