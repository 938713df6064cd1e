'use client';

import { ConfirmAction } from '#components/action-dialog.tsx';
import { Button } from '#components/ui/button.tsx';
import { named } from '#components/ui/name.tsx';
import { leave } from '../actions.ts';

export function LeaveProject({ name }: { name: string }) {
  return (
    <ConfirmAction
      trigger={<Button>Leave project…</Button>}
      title={named`Leave ${name}?`}
      description={<p>You lose access at once. Only the owner can invite you again.</p>}
      action={leave}
      cancel="Stay"
      confirm="Leave project"
    />
  );
}
