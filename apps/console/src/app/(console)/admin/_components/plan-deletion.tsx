'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { AlertDialog, AlertDialogCancel, DialogFooter } from '#components/ui/dialog.tsx';
import { Name } from '#components/ui/name.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { removePlan } from '../actions.ts';
import type { PlanRow } from './plan-dialog.tsx';

export interface PlanDeletionProps {
  plan: PlanRow | undefined;
  onClose: () => void;
}

export function PlanDeletion({ plan, onClose }: PlanDeletionProps) {
  const toast = useToast();
  return (
    <AlertDialog
      open={plan !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Delete the plan <Name>{plan?.name ?? ''}</Name>?
        </>
      }
      description="No project is on it. It can be added again."
    >
      {plan && (
        <ActionForm
          action={removePlan}
          hidden={{ planId: plan.planId }}
          onDone={() => {
            toast({ title: 'The plan is deleted', description: plan.name });
            onClose();
          }}
        >
          {({ pending }) => (
            <DialogFooter>
              <AlertDialogCancel asChild>
                <Button>Keep plan</Button>
              </AlertDialogCancel>
              <Button type="submit" variant="danger" pending={pending}>
                Delete plan
              </Button>
            </DialogFooter>
          )}
        </ActionForm>
      )}
    </AlertDialog>
  );
}
