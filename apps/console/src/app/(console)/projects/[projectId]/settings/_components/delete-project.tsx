'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { ConfirmName } from '#components/ui/confirm-name.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { Name } from '#components/ui/name.tsx';
import { removeProject } from '../actions.ts';

/** Asks for the project's name, because deleting cannot be undone. */
export function DeleteProject({ projectId, name }: { projectId: string; name: string }) {
  return (
    <Dialog
      trigger={<Button variant="danger">Delete project…</Button>}
      title={
        <span className="break-words">
          Delete <Name>{name}</Name>?
        </span>
      }
      description="This cannot be undone. All keys stop working, and requests of your API to Ceiba are answered with 401."
    >
      <ActionForm action={removeProject} hidden={{ projectId }}>
        {({ pending, errorOf }) => (
          <ConfirmName
            expected={name}
            name="confirmation"
            actionLabel="Delete project"
            pending={pending}
            error={errorOf('confirmation')}
          />
        )}
      </ActionForm>
    </Dialog>
  );
}
