'use client';

import { ErrorPage } from '#components/error-page.tsx';
import { SiteHeader, SiteMain } from '#components/site-header.tsx';

/** Errors outside the signed-in pages, and of the frame around those. */
export default function RootError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <>
      <SiteHeader isSignedIn={undefined} />
      <SiteMain>
        <ErrorPage error={error} retry={retry} />
      </SiteMain>
    </>
  );
}
