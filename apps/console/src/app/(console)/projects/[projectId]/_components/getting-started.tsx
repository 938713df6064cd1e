import { Check } from 'lucide-react';
import Link from 'next/link';
import { Button } from '#components/ui/button.tsx';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { FirstCall } from '#components/usage/first-call.tsx';

export interface GettingStartedProps {
  projectId: string;
  activeKeys: number;
  runtimeUrl: string;
}

/** What to do before the first decision. */
export function GettingStarted({ projectId, activeKeys, runtimeUrl }: GettingStartedProps) {
  const here = `/projects/${projectId}`;
  return (
    <EmptyState
      title="No decisions yet"
      action={
        <>
          <Button asChild variant="primary">
            <Link href={`${here}/policies/new`}>Add a policy</Link>
          </Button>
          <Button asChild>
            <Link href={`${here}/keys/new`}>
              {activeKeys > 0 && <Check aria-hidden="true" />}
              Create a key
            </Link>
          </Button>
        </>
      }
      snippet={<FirstCall projectId={projectId} runtimeUrl={runtimeUrl} />}
    >
      Add a policy for the calls to allow, and a key for their caller. Then your API can request
      decisions with the project secret; the first one appears here within seconds. The command
      below sends no key, so it is denied and uses no quota.
    </EmptyState>
  );
}
