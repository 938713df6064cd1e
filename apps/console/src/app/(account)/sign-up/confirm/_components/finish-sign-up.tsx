'use client';

import { NewPassword } from '#components/password-fields.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AccountForm } from '../../../_components/account-form.tsx';
import { LinkGate } from '../../../_components/link-gate.tsx';
import { signInAfterSignUp } from '../../../_components/sign-in.ts';
import { finishSignUp, readSignUp } from '../actions.ts';

/** Takes the password of a new account, whose address the link has confirmed. */
export const FinishSignUp = () => (
  <LinkGate
    field="signUpSecret"
    read={readSignUp}
    incomplete="Open the whole link of the mail again. It ends with a long text after a #."
    instead={
      <p>
        <TextLink href="/sign-up">Sign up again</TextLink>
      </p>
    }
  >
    {({ email }, signUpSecret) => (
      <AccountForm
        action={finishSignUp}
        hidden={{ signUpSecret }}
        onDone={(_created, form) => signInAfterSignUp(form, '/projects')}
        submit="Create account"
        leaves
      >
        <p className="text-muted">
          For <span className="font-medium wrap-anywhere text-ink">{email}</span>.
        </p>
        <NewPassword email={email} names={SIGN_IN} />
      </AccountForm>
    )}
  </LinkGate>
);

/** As the form that signs in names them. */
const SIGN_IN = { email: 'email', password: 'password', label: 'Password' } as const;
