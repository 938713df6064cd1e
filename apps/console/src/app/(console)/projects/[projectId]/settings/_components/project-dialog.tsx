'use client';

import type { ProjectMember } from '@ceiba/schema';
import { FormDialog } from '#components/action-dialog.tsx';
import { ChoiceField } from '#components/form-fields.tsx';
import { named } from '#components/ui/name.tsx';
import { StillUsed } from '../../_components/still-used.tsx';
import { removeProject, transfer } from '../actions.ts';

/** What ends the ownership of a project. */
export type ProjectStep = { name: string } & (
  | { step: 'delete' }
  /** To one of the members. */
  | { step: 'transfer'; members: readonly Pick<ProjectMember, 'userId' | 'email'>[] }
);

export default function ProjectDialog({
  name,
  onClose,
  ...dialog
}: ProjectStep & { onClose: () => void }) {
  return dialog.step === 'delete' ? (
    <FormDialog
      onClose={onClose}
      title={named`Delete ${name}?`}
      description="This cannot be undone. All keys stop working, and requests of your API to Ceiba are answered with 401."
      action={removeProject}
      submit="Delete project"
      expected={name}
    >
      <StillUsed of={{}} as="project" />
    </FormDialog>
  ) : (
    <FormDialog
      onClose={onClose}
      title={named`Transfer ${name}?`}
      description="Only the new owner can undo this."
      action={transfer}
      submit="Transfer project"
      expected={name}
    >
      <ChoiceField
        name="newOwnerId"
        label="New owner"
        initial={dialog.members[0]?.userId}
        options={dialog.members.map(({ userId, email }) => [userId, email])}
      />
    </FormDialog>
  );
}
