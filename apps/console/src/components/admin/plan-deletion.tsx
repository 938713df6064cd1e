'use client';

import { removePlan } from '../../app/(console)/admin/actions.ts';
import { ActionForm } from '../action-form.tsx';
import { Button } from '../ui/button.tsx';
import { AlertDialog, AlertDialogCancel, DialogFooter } from '../ui/dialog.tsx';
import { Name } from '../ui/name.tsx';
import { useToast } from '../ui/toast.tsx';
import type { PlanRow } from './plan-table.tsx';

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
