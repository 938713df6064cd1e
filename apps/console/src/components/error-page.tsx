'use client';

import { RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isOutage } from '../lib/outage.ts';
import { PageMessage } from './page-message.tsx';
import { Button, buttonLooks } from './ui/button.tsx';

type Cause = 'checking' | 'database' | 'console' | 'other';

/**
 * Shown instead of a page that failed to render: what is down, the reference for the administrator,
 * when to retry, and that saved data is safe.
 */
export function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  const reference = referenceOf(error);
  const checked = useCause();
  const cause = isOutage(reference) ? 'database' : checked;
  return (
    <PageMessage
      title={TITLES[cause]}
      isError
      actions={
        <>
          <Button variant="primary" onClick={retry}>
            <RotateCw aria-hidden="true" />
            Try again
          </Button>
          <a className={buttonLooks()} href="/status">
            Open the status page
          </a>
          <a className={buttonLooks({ variant: 'quiet' })} href="/docs/outages">
            What to do in an outage
          </a>
        </>
      }
    >
      {reference !== undefined && (
        <p>
          Give this reference to your administrator:{' '}
          <code className="font-medium whitespace-nowrap text-ink">{reference}</code>. It identifies
          the error in the console’s log.
        </p>
      )}
      <p>{ADVICE[cause] ?? otherAdvice(reference)} Your saved data is safe.</p>
    </PageMessage>
  );
}

const TITLES = {
  checking: 'This page could not be loaded',
  database: 'The database is not answering',
  console: 'The console is not answering',
  other: 'This page could not be loaded',
} as const satisfies Record<Cause, string>;

const otherAdvice = (reference: string | undefined) =>
  `Try again in a moment. If it persists, contact your administrator${reference === undefined ? '' : ' with this reference'}.`;

const ADVICE = {
  checking: null,
  database: 'Try again once the database is back. The status page shows whether it is.',
  console: 'Check your connection, then try again.',
  other: null,
} as const satisfies Record<Cause, string | null>;

/** Checks readiness, because the browser only knows the reference of an error. */
function useCause(): Cause {
  const [cause, setCause] = useState<Cause>('checking');
  useEffect(() => {
    let current = true;
    fetch('/api/ready', { cache: 'no-store' }).then(
      (response) => current && setCause(response.status === 503 ? 'database' : 'other'),
      () => current && setCause('console'),
    );
    return () => {
      current = false;
    };
  }, []);
  return cause;
}

/** The number under which the server logs the error. */
function referenceOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('digest' in error)) return undefined;
  return typeof error.digest === 'string' ? error.digest : undefined;
}
