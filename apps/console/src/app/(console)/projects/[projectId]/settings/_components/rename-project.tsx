'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { ActionForm } from '#components/action-form.tsx';
import { TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { renameProject } from '../actions.ts';

export function RenameProject({ projectId, name }: { projectId: string; name: string }) {
  const toast = useToast();
  return (
    <ActionForm
      action={renameProject}
      hidden={{ projectId }}
      onDone={() => toast({ title: 'Project renamed' })}
      className="grid max-w-md gap-4"
    >
      {(parts) => (
        <>
          <TextField
            parts={parts}
            name="name"
            label="Project name"
            initial={name}
            maxLength={DISPLAY_NAME_LENGTH_MAX}
          />
          <div>
            <Button type="submit" pending={parts.pending}>
              Rename project
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
