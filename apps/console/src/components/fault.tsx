'use client';

import { RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './ui/button.tsx';

type Cause = 'asking' | 'database' | 'console' | 'other';

/**
 * What a page shows when it could not be rendered: what is down now, the reference for the
 * administrator, when to retry, and that nothing was lost.
 */
export function Fault({ error, retry }: { error: unknown; retry: () => void }) {
  const cause = useCause();
  const reference = referenceOf(error);
  return (
    <div className="max-w-[45rem] py-8">
      <div role="alert">
        <h1 className="text-title">{TITLES[cause]}</h1>
      </div>
      {reference !== undefined && (
        <p className="mt-2">
          Give this reference to your administrator:{' '}
          <code className="font-medium">{reference}</code>. The console’s log has the error under
          it.
        </p>
      )}
      <p className="mt-2 text-muted">{WHEN_TO_TRY_AGAIN[cause]} Nothing that was saved is lost.</p>
      <div className="mt-6 flex flex-wrap gap-2">
        <Button variant="primary" onClick={retry}>
          <RotateCw aria-hidden="true" />
          Try again
        </Button>
        <Button asChild>
          <a href="/status">Open the status page</a>
        </Button>
      </div>
    </div>
  );
}

const TITLES = {
  asking: 'This page could not be loaded',
  database: 'The database is not answering',
  console: 'The console is not answering',
  other: 'This page could not be loaded',
} as const satisfies Record<Cause, string>;

const MAY_LAST =
  'Try again in a moment. If it persists, contact your administrator with this reference.';

const WHEN_TO_TRY_AGAIN = {
  asking: MAY_LAST,
  database:
    'Trying again helps as soon as the database answers; the status page says whether it does.',
  console: 'Trying again helps as soon as the console can be reached from here.',
  other: MAY_LAST,
} as const satisfies Record<Cause, string>;

/** Asks the readiness endpoint, because a server's error tells the browser nothing but a number. */
function useCause(): Cause {
  const [cause, setCause] = useState<Cause>('asking');
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

/** The number under which the server logs what it keeps from the browser. */
function referenceOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('digest' in error)) return undefined;
  return typeof error.digest === 'string' ? error.digest : undefined;
}
