'use client';

import { createAccount } from '#app/(account)/sign-up/actions.ts';
import { AccountForm } from './account-form.tsx';
import { NewCredentialFields } from './credential-fields.tsx';
import { signInAfterSignUp } from './sign-in.ts';

export const SignUpForm = ({ next }: { next: string }) => (
  <AccountForm
    action={createAccount}
    onDone={(_created, form) => signInAfterSignUp(form, next)}
    submit="Create account"
    leaves
  >
    <NewCredentialFields />
  </AccountForm>
);
