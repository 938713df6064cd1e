'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { AlertDialog, AlertDialogCancel, DialogFooter } from '#components/ui/dialog.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { removePolicy } from '../actions.ts';

export interface PolicyTarget {
  policyId: string;
  /** `GET /v1/reports*`. */
  words: string;
  /** A policy that admits all that this one admits; null when there is none. */
  coveredBy: string | null;
}

export interface DeletePolicyDialogProps {
  projectId: string;
  target: PolicyTarget;
  onClose: () => void;
}

/** Says what is denied from then on, before it is. */
export default function DeletePolicyDialog({
  projectId,
  target,
  onClose,
}: DeletePolicyDialogProps) {
  const toast = useToast();
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delete this policy?"
      description={
        <>
          <p>
            <code className="text-small break-all text-ink">{target.words}</code>
          </p>
          <p className="mt-2">
            {target.coveredBy
              ? `${target.coveredBy} covers the same calls, so no call is denied.`
              : 'Calls that no other policy matches are denied from the next request on.'}{' '}
            You can add it again; its hit count starts at zero.
          </p>
        </>
      }
    >
      <ActionForm
        action={removePolicy}
        hidden={{ projectId, policyId: target.policyId }}
        onDone={() => {
          toast({ title: 'The policy is deleted', description: target.words });
          onClose();
        }}
      >
        {({ pending }) => (
          <DialogFooter>
            <AlertDialogCancel asChild>
              <Button>Keep policy</Button>
            </AlertDialogCancel>
            <Button type="submit" variant="danger" pending={pending}>
              Delete policy
            </Button>
          </DialogFooter>
        )}
      </ActionForm>
    </AlertDialog>
  );
}
