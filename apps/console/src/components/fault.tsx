'use client';

import { RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './ui/button.tsx';

type Cause = 'asking' | 'database' | 'console' | 'other';

/** What a page shows when it could not be rendered: what is down, now, and that nothing was lost. */
export function Fault({ error, retry }: { error: unknown; retry: () => void }) {
  const cause = useCause();
  return (
    <div className="max-w-[45rem] py-8">
      <div role="alert">
        <h1 className="text-title">{TITLES[cause]}</h1>
      </div>
      <p className="mt-2 text-muted">
        Nothing that was saved is lost, and the Runtime goes on deciding by itself. Try again in a
        moment; the status page says what is measured now.
      </p>
      <div className="mt-6 flex flex-wrap gap-2">
        <Button variant="primary" onClick={retry}>
          <RotateCw aria-hidden="true" />
          Try again
        </Button>
        <Button asChild>
          <a href="/status">Open the status page</a>
        </Button>
      </div>
      {digestOf(error) && (
        <p className="mt-8 text-small text-muted">
          Reference for the server’s log: <code>{digestOf(error)}</code>
        </p>
      )}
    </div>
  );
}

const TITLES = {
  asking: 'This page could not be loaded',
  database: 'The database is not answering',
  console: 'The console is not answering',
  other: 'This page could not be loaded',
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

function digestOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('digest' in error)) return undefined;
  return typeof error.digest === 'string' ? error.digest : undefined;
}
