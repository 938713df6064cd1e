'use client';

import { ErrorPage } from '#components/error-page.tsx';

/** The error of one signed-in page; the frame around it stays usable. */
export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  return <ErrorPage error={error} retry={retry} />;
}
