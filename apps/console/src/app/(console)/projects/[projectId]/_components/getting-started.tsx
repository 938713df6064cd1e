import { Check } from 'lucide-react';
import Link from 'next/link';
import { Button } from '#components/ui/button.tsx';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { FirstCall } from '#components/usage/first-call.tsx';

export interface GettingStartedProps {
  projectId: string;
  policies: number;
  activeKeys: number;
  /** Whether the user may add policies and keys. */
  mayChange: boolean;
  runtimeUrl: string;
}

/** What to do before the first decision; the button of the next step is the primary one. */
export function GettingStarted({
  projectId,
  policies,
  activeKeys,
  mayChange,
  runtimeUrl,
}: GettingStartedProps) {
  const here = `/projects/${projectId}`;
  const next = policies === 0 ? 'policy' : activeKeys === 0 ? 'key' : 'decision';
  return (
    <EmptyState
      title="No decisions yet"
      action={
        mayChange && (
          <>
            <Button asChild variant={next === 'policy' ? 'primary' : 'secondary'}>
              <Link href={`${here}/policies/new`}>
                {policies > 0 && <Check aria-hidden="true" />}
                Add a policy
                {policies > 0 && <span className="sr-only">, done</span>}
              </Link>
            </Button>
            <Button asChild variant={next === 'key' ? 'primary' : 'secondary'}>
              <Link href={`${here}/keys/new`}>
                {activeKeys > 0 && <Check aria-hidden="true" />}
                Create a key
                {activeKeys > 0 && <span className="sr-only">, done</span>}
              </Link>
            </Button>
          </>
        )
      }
      snippet={<FirstCall projectId={projectId} runtimeUrl={runtimeUrl} />}
    >
      Add a policy for the calls to allow, and a key for their caller. Then your API can request
      decisions with the project secret; the first one appears here within seconds. The command
      below sends no key, so it is denied and uses no quota.
    </EmptyState>
  );
}
