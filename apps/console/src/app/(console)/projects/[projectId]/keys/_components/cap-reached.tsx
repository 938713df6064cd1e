import Link from 'next/link';
import { Button } from '#components/ui/button.tsx';
import { Name } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { plural } from '#lib/format.ts';

export interface CapReachedProps {
  projectId: string;
  planName: string;
  activeKeyCap: number;
}

/** What to do when the plan allows no more active keys. */
export function CapReached({ projectId, planName, activeKeyCap }: CapReachedProps) {
  return (
    <Notice
      tone="warning"
      className="mb-6"
      title={
        <>
          All {plural(activeKeyCap, 'active key')} of the plan <Name>{planName}</Name> are in use
        </>
      }
      action={
        <div className="flex flex-wrap gap-2">
          <Button asChild size="sm">
            <Link href={`/projects/${projectId}/keys?hint=idle`}>Show idle keys</Link>
          </Button>
          <Button asChild size="sm">
            <Link href={`/projects/${projectId}/subscription`}>Change plan</Link>
          </Button>
        </div>
      }
    >
      Revoke or archive a key that you no longer need, or change the plan. Expired and disabled keys
      count until you revoke or archive them.
    </Notice>
  );
}
