'use client';

import './globals.css';
import { ErrorPage } from '#components/error-page.tsx';
import { SiteMain } from '#components/site-header.tsx';

/** The fallback if the root layout fails. It renders its own document. */
export default function FrameError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" data-theme="system">
      <body>
        <title>Ceiba</title>
        <SiteMain>
          <ErrorPage error={error} retry={retry} />
        </SiteMain>
      </body>
    </html>
  );
}
