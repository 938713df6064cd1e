'use client';

import { FormDialog } from '#components/action-dialog.tsx';
import { TextField } from '#components/form-fields.tsx';
import { CurrentPassword } from '#components/password-fields.tsx';
import { changeEmail } from '../actions.ts';

export interface ChangeEmailProps {
  email: string;
  /** Whether a link is mailed to the new address, with which it counts. */
  byMail: boolean;
}

const ChangeEmailDialog = ({
  email,
  byMail,
  onClose,
}: ChangeEmailProps & { onClose: () => void }) => (
  <FormDialog
    onClose={onClose}
    title="Change your e-mail address"
    action={changeEmail}
    submit={byMail ? 'Send link' : 'Change address'}
    done={{
      title: byMail ? 'Open the link in the mail to the new address' : 'E-mail address changed',
    }}
  >
    <TextField
      name="email"
      label="E-mail"
      hint={byMail && 'We mail a link there. Until you use it, nothing changes.'}
      type="email"
      autoComplete="username"
      initial={email}
    />
    <CurrentPassword />
  </FormDialog>
);
export default ChangeEmailDialog;
