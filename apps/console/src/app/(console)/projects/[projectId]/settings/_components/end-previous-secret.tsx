'use client';

import { ConfirmAction } from '#components/confirm-action.tsx';
import { Button } from '#components/ui/button.tsx';
import { useClock } from '#components/ui/time.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { endOldSecret } from '../actions.ts';
import { durationWords, overlapAt } from './overlap.ts';

export interface EndPreviousSecretProps {
  projectId: string;
  /** ISO 8601. It identifies the current secret. */
  secretCreatedAt: string;
  previousExpiresAt: string | null;
}

/** Ends the previous secret before its time; nothing if none is accepted. */
export function EndPreviousSecret(props: EndPreviousSecretProps) {
  const { projectId, secretCreatedAt, previousExpiresAt } = props;
  const toast = useToast();
  const { now } = useClock();
  const overlap = overlapAt({ createdAt: secretCreatedAt, previousExpiresAt }, now);
  if (overlap === null) return null;
  return (
    <ConfirmAction
      trigger={<Button>End previous secret now…</Button>}
      title="End the previous secret now?"
      description={
        <p>
          It ends {durationWords(overlap.remainingMs)} early: from the next request on, servers that
          still use it are answered with 401. The current secret is not affected.{' '}
          <strong className="font-semibold text-ink">This cannot be undone.</strong>
        </p>
      }
      action={endOldSecret}
      hidden={{ projectId, current: secretCreatedAt }}
      onDone={() => toast({ title: 'Previous secret ended' })}
      cancel="Keep it"
      confirm="End previous secret"
    />
  );
}
