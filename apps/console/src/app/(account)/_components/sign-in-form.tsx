'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { signInWithPassword } from './sign-in.ts';

export function SignInForm({ next }: { next: string }) {
  return (
    <ActionForm
      action={signInWithPassword}
      // A full page load discards pages of a previous user that Next.js cached in the browser.
      onDone={() => window.location.assign(next)}
      className="grid gap-6"
    >
      {(parts) => (
        <>
          <CredentialFields parts={parts} autoComplete="current-password" />
          <Button type="submit" variant="primary" pending={parts.pending}>
            Sign in
          </Button>
        </>
      )}
    </ActionForm>
  );
}
