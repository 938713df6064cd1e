'use client';

import { signIn } from 'next-auth/react';
import { createAccount, proveSetup } from '#app/(account)/sign-up/actions.ts';
import { ActionForm } from '#components/action-form.tsx';
import { TextField } from '#components/form-fields.tsx';
import { SubmitButton } from '#components/submit-form.tsx';
import { type FormAction, IDLE } from '#lib/action-state.ts';
import { NewCredentialFields } from './credential-fields.tsx';
import { signInAfterSignUp } from './sign-in.ts';

export interface SetUpFormProps {
  next: string;
  providers: readonly { id: string; name: string }[];
}

/** Creates the first account, with a password or at a provider; both take the setup token. */
export function SetUpForm({ next, providers }: SetUpFormProps) {
  async function leave(provider: string | null, form: HTMLFormElement) {
    if (provider === null) await signInAfterSignUp(form, next);
    else await signIn(provider, { callbackUrl: next });
  }

  return (
    <ActionForm action={setUp} onDone={leave} className="grid gap-6">
      <TextField
        name="setupToken"
        label="Setup token"
        hint="It begins with ceiba_setup_ and works once."
        className="font-mono text-small"
        spellCheck={false}
        maxLength={256}
      />
      <NewCredentialFields />
      <div className="grid gap-2">
        <SubmitButton variant="primary" leaves>
          Create account
        </SubmitButton>
        {providers.map(({ id, name }) => (
          <SubmitButton key={id} name={PROVIDER} value={id}>
            Continue with {name}
          </SubmitButton>
        ))}
      </div>
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
