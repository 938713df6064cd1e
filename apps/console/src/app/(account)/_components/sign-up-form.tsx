'use client';

import { useState } from 'react';
import { createAccount } from '#app/(account)/sign-up/actions.ts';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { NewCredentialFields } from './credential-fields.tsx';
import { signInAfterSignUp } from './sign-in.ts';

export function SignUpForm({ next }: { next: string }) {
  const [signingIn, setSigningIn] = useState(false);

  async function signIn(form: HTMLFormElement) {
    setSigningIn(true);
    await signInAfterSignUp(form, next);
  }

  return (
    <ActionForm
      action={createAccount}
      onDone={(_created, form) => signIn(form)}
      className="grid gap-6"
    >
      {(parts) => (
        <>
          <NewCredentialFields parts={parts} />
          <Button type="submit" variant="primary" pending={parts.pending || signingIn}>
            Create account
          </Button>
        </>
      )}
    </ActionForm>
  );
}
