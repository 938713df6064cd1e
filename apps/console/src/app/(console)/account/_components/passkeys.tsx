'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import type { Passkey } from '@ceiba/schema';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { CodeField, TextField, type TextFieldProps } from '#components/form-fields.tsx';
import { CurrentPassword } from '#components/password-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Name, named } from '#components/ui/name.tsx';
import { LastUse, RelativeTime } from '#components/ui/time.tsx';
import { legible } from '#lib/text.ts';
import { removeOwnPasskey, renameOwnPasskey } from '../passkey-actions.ts';
import { createPasskey } from './create-passkey.ts';
import { SignInAgain } from './sign-in-again.tsx';

interface PasskeysProps {
  passkeys: readonly Passkey[];
  hasPassword: boolean;
}

interface AddPasskeyProps {
  hasPassword: boolean;
  /** Adding one would be refused. */
  mustSignInAgain: boolean;
  /** Whether adding one takes a code too. */
  hasSecondFactor: boolean;
}

/** The passkeys of the user. The dialog that removes one is outside the list, which the passkey then leaves. */
export function Passkeys({ passkeys, hasPassword }: PasskeysProps) {
  const [removing, setRemoving] = useState<Passkey>();
  return (
    <>
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
                  <LastUse at={passkey.lastUsedAt} inRow />
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
      {removing !== undefined && (
        <RemovePasskey
          passkey={removing}
          hasPassword={hasPassword}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

export function AddPasskey({ hasPassword, mustSignInAgain, hasSecondFactor }: AddPasskeyProps) {
  return (
    <FormDialog
      trigger={
        <Button>
          <Fingerprint aria-hidden="true" />
          Add passkey…
        </Button>
      }
      title="Add a passkey"
      description="Your browser then asks for your fingerprint, face or PIN."
      instead={mustSignInAgain && <SignInAgain />}
      action={createPasskey}
      submit="Add passkey"
      done={{ title: 'Passkey added' }}
    >
      <NameField hint="To recognise it later, such as “Work laptop”." />
      {hasPassword && <CurrentPassword />}
      {hasSecondFactor && <CodeField hint="From your authenticator app, or a recovery code." />}
    </FormDialog>
  );
}

const RenamePasskey = ({ passkey: { passkeyId, name } }: { passkey: Passkey }) => (
  <FormDialog
    trigger={
      <Button size="sm">
        Rename…<span className="sr-only"> {legible(name)}</span>
      </Button>
    }
    title="Rename this passkey"
    action={renameOwnPasskey}
    hidden={{ passkeyId }}
    submit="Rename passkey"
  >
    <NameField initial={name} />
  </FormDialog>
);

interface RemovePasskeyProps {
  passkey: Passkey;
  hasPassword: boolean;
  onClose: () => void;
}

const RemovePasskey = ({ passkey, hasPassword, onClose }: RemovePasskeyProps) => (
  <ConfirmAction
    onClose={onClose}
    title={named`Remove ${passkey.name}?`}
    description="It no longer signs in. Delete it on your device too."
    action={removeOwnPasskey}
    hidden={{ passkeyId: passkey.passkeyId }}
    done={{ title: 'Passkey removed' }}
    cancel="Keep passkey"
    confirm="Remove passkey"
  >
    {hasPassword && <CurrentPassword />}
  </ConfirmAction>
);

const NameField = (field: Pick<TextFieldProps, 'hint' | 'initial'>) => (
  <TextField {...field} name="name" label="Name" maxLength={DISPLAY_NAME_LENGTH_MAX} />
);
