'use client';

import { ConfirmAction } from '#components/action-dialog.tsx';
import { Button } from '#components/ui/button.tsx';
import { Name } from '#components/ui/name.tsx';
import { leave } from '../actions.ts';

export function LeaveProject({ projectId, name }: { projectId: string; name: string }) {
  return (
    <ConfirmAction
      trigger={<Button>Leave project…</Button>}
      title={
        <span className="break-words">
          Leave <Name>{name}</Name>?
        </span>
      }
      description={<p>You lose access at once. Only the owner can invite you again.</p>}
      action={leave}
      hidden={{ projectId }}
      cancel="Stay"
      confirm="Leave project"
    />
  );
}
