'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { ConfirmName } from '#components/ui/confirm-name.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { Field } from '#components/ui/field.tsx';
import { Select } from '#components/ui/input.tsx';
import { Name } from '#components/ui/name.tsx';
import { transfer } from '../actions.ts';

export interface TransferProjectProps {
  projectId: string;
  name: string;
  /** The members, of which one becomes the owner. */
  members: readonly { userId: string; email: string }[];
}

/** Asks for the project's name, because only the new owner can undo it. */
export function TransferProject({ projectId, name, members }: TransferProjectProps) {
  if (members.length === 0) {
    return <p className="text-muted">Invite the new owner as a member first.</p>;
  }
  return (
    <Dialog
      trigger={<Button>Transfer project…</Button>}
      title={
        <span className="break-words">
          Transfer <Name>{name}</Name>?
        </span>
      }
      description="Only the new owner can undo this."
    >
      <ActionForm action={transfer} hidden={{ projectId }} className="grid gap-4">
        {({ pending, errorOf, typed }) => (
          <>
            <Field name="newOwnerId" label="New owner" error={errorOf('newOwnerId')}>
              {(control) => (
                <Select {...control} defaultValue={typed('newOwnerId', members[0]?.userId)}>
                  {members.map(({ userId, email }) => (
                    <option key={userId} value={userId}>
                      {email}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            <ConfirmName
              expected={name}
              name="confirmation"
              actionLabel="Transfer project"
              pending={pending}
              error={errorOf('confirmation')}
            />
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}
