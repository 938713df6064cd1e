import { ButtonLink } from '#components/ui/button.tsx';
import { Name } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { plural } from '#lib/format.ts';

export interface CapReachedProps {
  projectId: string;
  planName: string;
  activeKeyCap: number;
  mayChangePlan: boolean;
}

/** What to do when the plan allows no more active keys. */
export function CapReached({ projectId, planName, activeKeyCap, mayChangePlan }: CapReachedProps) {
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
          <ButtonLink size="sm" href={`/projects/${projectId}/keys?hint=idle`}>
            Show idle keys
          </ButtonLink>
          {mayChangePlan && (
            <ButtonLink size="sm" href={`/projects/${projectId}/subscription`}>
              Change plan
            </ButtonLink>
          )}
        </div>
      }
    >
      Revoke or archive a key that you no longer need, or{' '}
      {mayChangePlan ? 'change the plan' : 'ask the owner of the project to change the plan'}.
      Expired and disabled keys count until they are revoked or archived.
    </Notice>
  );
}
