'use client';

import { LogOut } from 'lucide-react';
import { useTransition } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { Button } from '#components/ui/button.tsx';
import { endEverySession } from '../actions.ts';

export function SignOut() {
  const [pending, startTransition] = useTransition();
  return (
    <Button
      pending={pending}
      onClick={() =>
        startTransition(async () => {
          const { signOut } = await import('next-auth/react');
          await signOut({ callbackUrl: '/' });
        })
      }
    >
      {!pending && <LogOut aria-hidden="true" />}
      Sign out
    </Button>
  );
}

export function SignOutEverywhere() {
  return (
    <ConfirmAction
      trigger={<Button>Sign out everywhere</Button>}
      title="Sign out everywhere?"
      description="You are signed out in every browser, including this one, and have to sign in again. Passkeys and access tokens stay: remove those that you do not know."
      action={endEverySession}
      cancel="Stay signed in"
      confirm="Sign out everywhere"
    />
  );
}
