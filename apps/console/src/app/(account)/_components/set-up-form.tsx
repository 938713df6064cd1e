'use client';

import { signIn } from 'next-auth/react';
import { useState } from 'react';
import { createAccount, proveSetup } from '#app/(account)/sign-up/actions.ts';
import { ActionForm } from '#components/action-form.tsx';
import { TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { type FormAction, IDLE } from '#lib/action-state.ts';
import { NewCredentialFields } from './credential-fields.tsx';
import { signInAfterSignUp } from './sign-in.ts';

export interface SetUpFormProps {
  next: string;
  providers: readonly { id: string; name: string }[];
}

/** Creates the first account, with a password or at a provider; both take the setup token. */
export function SetUpForm({ next, providers }: SetUpFormProps) {
  const [leaving, setLeaving] = useState(false);

  async function leave(provider: string | null, form: HTMLFormElement) {
    setLeaving(true);
    if (provider === null) await signInAfterSignUp(form, next);
    else await signIn(provider, { callbackUrl: next });
  }

  return (
    <ActionForm action={setUp} onDone={leave} className="grid gap-6">
      {(parts) => (
        <>
          <TextField
            parts={parts}
            name="setupToken"
            label="Setup token"
            hint="It begins with ceiba_setup_ and works once."
            className="font-mono text-small"
            spellCheck={false}
            maxLength={256}
          />
          <NewCredentialFields parts={parts} />
          <div className="grid gap-2">
            <Button type="submit" variant="primary" pending={parts.pending || leaving}>
              Create account
            </Button>
            {providers.map(({ id, name }) => (
              <Button key={id} type="submit" name={PROVIDER} value={id} pending={parts.pending}>
                Continue with {name}
              </Button>
            ))}
          </div>
        </>
      )}
    </ActionForm>
  );
}

/** The name of the buttons that lead to a provider. */
const PROVIDER = 'provider';

/** The provider at which to go on; null once an account with a password is created. */
const setUp: FormAction<string | null> = async (_state, form) => {
  const provider = form.get(PROVIDER);
  if (typeof provider !== 'string') return createAccount(IDLE, form);
  const proven = await proveSetup(IDLE, form);
  return proven.kind === 'done' ? { ...proven, data: provider } : proven;
};
