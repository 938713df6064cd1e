'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { ChoiceField, TextField } from '#components/form-fields.tsx';
import { shownOnce } from '#components/shown-once.tsx';
import { SubmitForm } from '#components/submit-form.tsx';
import { inviteMember, type NewInvitation } from '../actions.ts';

const shown = shownOnce<NewInvitation>(() => import('./invitation-link.tsx'));
const inviteShownMember = shown.before(inviteMember, 'no invitation was created');

/** The page, or instead of it the link of a new invitation. */
export const InviteStep = shown.Step;

export function InviteMember() {
  const show = shown.useShow();
  return (
    <SubmitForm
      action={inviteShownMember}
      onDone={show}
      onInput={shown.prepare}
      submit="Create invitation"
      variant="primary"
      isInline
    >
      <TextField
        name="label"
        label="For"
        hint="A name for your list of invitations, such as “Ana”. Ceiba sends no message."
        maxLength={DISPLAY_NAME_LENGTH_MAX}
      />
      <ChoiceField
        name="role"
        label="Role"
        initial="viewer"
        fieldClassName="sm:max-w-48!"
        options={[
          ['viewer', 'Viewer'],
          ['developer', 'Developer'],
        ]}
      />
    </SubmitForm>
  );
}
