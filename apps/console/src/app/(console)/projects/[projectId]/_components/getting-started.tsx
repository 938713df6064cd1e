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

/** Before the first decision: what leads to it. */
export function GettingStarted({ projectId, activeKeys, runtimeUrl }: GettingStartedProps) {
  const here = `/projects/${projectId}`;
  return (
    <EmptyState
      title="No decision yet"
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
      A policy says which calls may be made, a key says who makes them. With one of each, a host
      that has the project’s secret can ask; its first question shows here within seconds. The one
      below names no key, so it is denied and costs nothing.
    </EmptyState>
  );
}
