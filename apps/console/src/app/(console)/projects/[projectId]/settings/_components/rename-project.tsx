'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { renameProject } from '../actions.ts';

export function RenameProject({ projectId, name }: { projectId: string; name: string }) {
  const toast = useToast();
  return (
    <ActionForm
      action={renameProject}
      hidden={{ projectId }}
      onDone={() => toast({ title: 'The project is renamed' })}
      className="grid max-w-md gap-4"
    >
      {({ pending, errorOf, typed }) => (
        <>
          <Field name="name" label="Project name" error={errorOf('name')}>
            {(control) => (
              <Input
                {...control}
                defaultValue={typed('name', name)}
                maxLength={100}
                autoComplete="off"
              />
            )}
          </Field>
          <div>
            <Button type="submit" pending={pending}>
              Rename project
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
