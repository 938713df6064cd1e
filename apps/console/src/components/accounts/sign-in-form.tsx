'use client';

import { useState, useTransition } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { Notice } from '../ui/notice.tsx';
import { PasswordInput } from './password-input.tsx';
import { sentenceFor, signInWithPassword } from './sign-in.ts';

export function SignInForm({ next }: { next: string }) {
  const [refusal, setRefusal] = useState<string>();
  const [pending, startTransition] = useTransition();

  function submit(form: FormData) {
    startTransition(async () => {
      const result = await signInWithPassword(
        String(form.get('email') ?? ''),
        String(form.get('password') ?? ''),
      );
      // A full load: nothing that was rendered for somebody else stays in the browser's memory.
      if (result.kind === 'signed_in') window.location.assign(next);
      else setRefusal(sentenceFor(result));
    });
  }

  return (
    <form
      // Until the scripts are there, a press must not put a password into the address.
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        if (!pending) submit(new FormData(event.currentTarget));
      }}
      className="grid gap-6"
    >
      {refusal && (
        <Notice key={refusal} tone="fault">
          {refusal}
        </Notice>
      )}
      <Field name="email" label="E-mail">
        {(control) => (
          <Input {...control} type="email" autoComplete="username" required maxLength={254} />
        )}
      </Field>
      <Field name="password" label="Password">
        {(control) => <PasswordInput {...control} autoComplete="current-password" required />}
      </Field>
      <Button type="submit" variant="primary" pending={pending}>
        Sign in
      </Button>
    </form>
  );
}
