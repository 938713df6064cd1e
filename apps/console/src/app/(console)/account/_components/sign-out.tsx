'use client';

import { LogOut } from 'lucide-react';
import { signOut } from 'next-auth/react';
import { useTransition } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { AlertDialog, AlertDialogCancel, DialogFooter } from '#components/ui/dialog.tsx';
import { endEverySession } from '../actions.ts';

export function SignOut() {
  const [pending, startTransition] = useTransition();
  return (
    <Button
      pending={pending}
      onClick={() => startTransition(async () => void (await signOut({ callbackUrl: '/' })))}
    >
      {!pending && <LogOut aria-hidden="true" />}
      Sign out
    </Button>
  );
}

export function SignOutEverywhere() {
  return (
    <AlertDialog
      trigger={<Button>Sign out everywhere</Button>}
      title="Sign out everywhere?"
      description="Every session of yours ends with its next request, in this browser too. You sign in again with your password."
    >
      <ActionForm action={endEverySession}>
        {({ pending }) => (
          <DialogFooter>
            <AlertDialogCancel asChild>
              <Button>Stay signed in</Button>
            </AlertDialogCancel>
            <Button type="submit" variant="danger" pending={pending}>
              Sign out everywhere
            </Button>
          </DialogFooter>
        )}
      </ActionForm>
    </AlertDialog>
  );
}
