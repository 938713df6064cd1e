'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { TextField } from '#components/form-fields.tsx';
import { shownOnce } from '#components/shown-once.tsx';
import { SubmitForm } from '#components/submit-form.tsx';
import { SelectField } from '#components/ui/field.tsx';
import { inviteMember, type NewInvitation } from '../actions.ts';

const shown = shownOnce<NewInvitation>(() => import('./invitation-link.tsx'));
const inviteShownMember = shown.before(inviteMember, 'no invitation was created');

/** The page, or instead of it the link of a new invitation. */
export const InviteStep = shown.Step;

export function InviteMember({ projectId }: { projectId: string }) {
  const show = shown.useShow();
  return (
    <SubmitForm
      action={inviteShownMember}
      hidden={{ projectId }}
      onDone={show}
      onInput={shown.prepare}
      submit="Create invitation"
      variant="primary"
    >
      {(parts) => (
        <>
          <TextField
            parts={parts}
            name="label"
            label="For"
            hint="A name for your list of invitations, such as “Ana”. Ceiba sends no message."
            maxLength={DISPLAY_NAME_LENGTH_MAX}
          />
          <SelectField
            name="role"
            label="Role"
            error={parts.errorOf('role')}
            defaultValue={parts.typed('role', 'viewer')}
            options={[
              ['viewer', 'Viewer'],
              ['developer', 'Developer'],
            ]}
          />
        </>
      )}
    </SubmitForm>
  );
}
