'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { ActionForm, type ActionFormParts } from '#components/action-form.tsx';
import { ConfirmAction } from '#components/confirm-action.tsx';
import { CodeField, CurrentPassword, TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Dialog, DialogButtons } from '#components/ui/dialog.tsx';
import { Name } from '#components/ui/name.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { legible } from '#lib/text.ts';
import { removeOwnPasskey, renameOwnPasskey } from '../passkey-actions.ts';
import { createPasskey } from './create-passkey.ts';
import { SignInAgain } from './sign-in-again.tsx';

interface PasskeyItem {
  passkeyId: string;
  name: string;
  isBackedUp: boolean;
  /** ISO 8601. */
  createdAt: string;
  lastUsedAt: string | null;
}

export interface PasskeysProps {
  passkeys: readonly PasskeyItem[];
  hasPassword: boolean;
  /** Adding one would be refused. */
  mustSignInAgain: boolean;
  /** Whether adding one takes a code too. */
  hasSecondFactor: boolean;
}

/**
 * The passkeys of the user, and the dialog that adds one. The dialog that removes one is outside the
 * list, which the passkey then leaves.
 */
export function Passkeys({ passkeys, ...proof }: PasskeysProps) {
  const [removing, setRemoving] = useState<PasskeyItem>();
  return (
    <div className="grid gap-4">
      {passkeys.length > 0 && (
        <ul aria-label="Passkeys" className="panel divide-y">
          {passkeys.map((passkey) => (
            <li
              key={passkey.passkeyId}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-(--inset) py-3"
            >
              <div className="min-w-0">
                <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
                  <Name>{passkey.name}</Name>
                  {passkey.isBackedUp && <Chip>Synced</Chip>}
                </p>
                <p className="numbers text-small text-muted">
                  added <RelativeTime at={passkey.createdAt} inRow />,{' '}
                  {passkey.lastUsedAt === null ? (
                    'never used'
                  ) : (
                    <>
                      last used <RelativeTime at={passkey.lastUsedAt} inRow />
                    </>
                  )}
                </p>
              </div>
              <div className="flex gap-2">
                <RenamePasskey passkey={passkey} />
                <Button size="sm" onClick={() => setRemoving(passkey)}>
                  Remove…<span className="sr-only"> {legible(passkey.name)}</span>
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      <div>
        <AddPasskey {...proof} />
      </div>
      {removing !== undefined && (
        <RemovePasskey
          passkey={removing}
          hasPassword={proof.hasPassword}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </div>
  );
}

function AddPasskey({
  hasPassword,
  mustSignInAgain,
  hasSecondFactor,
}: Omit<PasskeysProps, 'passkeys'>) {
  const [open, setOpen] = useState(false);
  const toast = useToast();
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button>
          <Fingerprint aria-hidden="true" />
          Add passkey…
        </Button>
      }
      title="Add a passkey"
      description="Your browser then asks for your fingerprint, face or PIN."
    >
      {mustSignInAgain ? (
        <SignInAgain />
      ) : (
        <ActionForm
          action={createPasskey}
          onDone={() => {
            toast({ title: 'Passkey added' });
            setOpen(false);
          }}
          className="grid gap-4"
        >
          {(parts) => (
            <>
              <NameField parts={parts} hint="To recognise it later, such as “Work laptop”." />
              {hasPassword && <CurrentPassword {...parts} />}
              {hasSecondFactor && (
                <CodeField parts={parts} hint="From your authenticator app, or a recovery code." />
              )}
              <DialogButtons label="Add passkey" pending={parts.pending} />
            </>
          )}
        </ActionForm>
      )}
    </Dialog>
  );
}

function RenamePasskey({ passkey }: { passkey: PasskeyItem }) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm">
          Rename…<span className="sr-only"> {legible(passkey.name)}</span>
        </Button>
      }
      title="Rename this passkey"
    >
      <ActionForm
        action={renameOwnPasskey}
        hidden={{ passkeyId: passkey.passkeyId }}
        onDone={() => setOpen(false)}
        className="grid gap-4"
      >
        {(parts) => (
          <>
            <NameField parts={parts} initial={passkey.name} />
            <DialogButtons label="Rename passkey" pending={parts.pending} />
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}

interface RemovePasskeyProps {
  passkey: PasskeyItem;
  hasPassword: boolean;
  onClose: () => void;
}

function RemovePasskey({ passkey, hasPassword, onClose }: RemovePasskeyProps) {
  const toast = useToast();
  return (
    <ConfirmAction
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Remove <Name>{passkey.name}</Name>?
        </>
      }
      description="It no longer signs in. Delete it on your device too."
      action={removeOwnPasskey}
      hidden={{ passkeyId: passkey.passkeyId }}
      onDone={() => {
        toast({ title: 'Passkey removed' });
        onClose();
      }}
      cancel="Keep passkey"
      confirm="Remove passkey"
    >
      {(parts) => hasPassword && <CurrentPassword {...parts} />}
    </ConfirmAction>
  );
}

interface NameFieldProps {
  parts: ActionFormParts<unknown>;
  hint?: string;
  initial?: string;
}

function NameField({ parts, hint, initial }: NameFieldProps) {
  return (
    <TextField
      parts={parts}
      name="name"
      label="Name"
      hint={hint}
      initial={initial}
      maxLength={DISPLAY_NAME_LENGTH_MAX}
    />
  );
}
