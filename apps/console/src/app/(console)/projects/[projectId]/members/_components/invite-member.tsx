'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { Select } from '#components/ui/input.tsx';
import { shownWith } from '#lib/action-state.ts';
import { inviteMember, type NewInvitation } from '../actions.ts';

const ShowContext = createContext<(invitation: NewInvitation) => void>(() => {});

// Loaded when the user starts to type, to keep the page small.
const loadStep = () => import('./invitation-link.tsx');
const InvitationLink = dynamic(loadStep);

const inviteShownMember = shownWith(
  loadStep,
  inviteMember,
  'Part of this page failed to load, so no invitation was created. Reload the page and try again.',
);

/** The page, or instead of it the link of a new invitation. */
export function InviteStep({ children }: { children: ReactNode }) {
  const [created, setCreated] = useState<NewInvitation>();
  return created === undefined ? (
    <ShowContext value={setCreated}>{children}</ShowContext>
  ) : (
    <InvitationLink invitation={created} onDone={() => setCreated(undefined)} />
  );
}

export function InviteMember({ projectId }: { projectId: string }) {
  const show = useContext(ShowContext);
  return (
    <ActionForm
      action={inviteShownMember}
      hidden={{ projectId }}
      onDone={show}
      onInput={() => loadStep().catch(() => {})}
      className="grid max-w-md gap-4"
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
          <Field name="role" label="Role" error={parts.errorOf('role')}>
            {(control) => (
              <Select {...control} defaultValue={parts.typed('role', 'viewer')}>
                <option value="viewer">Viewer</option>
                <option value="developer">Developer</option>
              </Select>
            )}
          </Field>
          <div>
            <Button type="submit" variant="primary" pending={parts.pending}>
              Create invitation
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
