'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { sendAgain } from '../actions.ts';

export interface SendAgainProps {
  projectId: string;
  destinationId: string;
  deliveryId: number;
  type: string;
}

export function SendAgain({ projectId, destinationId, deliveryId, type }: SendAgainProps) {
  const toast = useToast();
  return (
    <ActionForm
      action={sendAgain}
      hidden={{ projectId, destinationId, deliveryId: String(deliveryId) }}
      onDone={() => toast({ title: 'Alert queued again' })}
    >
      {({ pending }) => (
        <Button type="submit" size="sm" pending={pending}>
          Send again<span className="sr-only"> {type}</span>
        </Button>
      )}
    </ActionForm>
  );
}
