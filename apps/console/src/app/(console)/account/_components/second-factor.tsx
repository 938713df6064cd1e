'use client';

import { useState } from 'react';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { CodeField } from '#components/form-fields.tsx';
import { CurrentPassword } from '#components/password-fields.tsx';
import { shownOnce } from '#components/shown-once.tsx';
import { SubmitForm } from '#components/submit-form.tsx';
import { Button } from '#components/ui/button.tsx';
import {
  confirmAuthenticatorApp,
  type NewAuthenticator,
  type NewRecoveryCodes,
  renewRecoveryCodes,
  setUpAuthenticator,
  turnOffAuthenticator,
} from '../second-factor-actions.ts';

const codes = shownOnce<NewRecoveryCodes>(() => import('./recovery-codes.tsx'));
const confirmShown = codes.before(confirmAuthenticatorApp, 'nothing was changed');
const renewShown = codes.before(renewRecoveryCodes, 'nothing was changed');

/** The dialogs are outside what the page shows while the second factor is on, which ends with it. */
export function SecondFactor({ isOn }: { isOn: boolean }) {
  const [turningOff, setTurningOff] = useState(false);
  return (
    <codes.Step>
      {isOn ? (
        <>
          <Renew />
          <Button onClick={() => setTurningOff(true)}>Turn off…</Button>
        </>
      ) : (
        <SetUp />
      )}
      {turningOff && <TurnOff onClose={() => setTurningOff(false)} />}
    </codes.Step>
  );
}

/** Sets up an authenticator app: password, then QR code and first code, then the recovery codes. */
function SetUp() {
  const [app, setApp] = useState<NewAuthenticator>();
  if (app !== undefined) return <FirstCode app={app} />;
  return (
    <FormDialog
      trigger={<Button>Set up authenticator app…</Button>}
      title="Set up an authenticator app"
      description="It then shows the codes that Ceiba asks for after your password."
      action={setUpAuthenticator}
      submit="Continue"
      onDone={setApp}
    >
      <CurrentPassword />
    </FormDialog>
  );
}

const FirstCode = ({ app }: { app: NewAuthenticator }) => (
  <SubmitForm
    action={confirmShown}
    onDone={codes.useShow()}
    submit="Turn on"
    variant="primary"
    className="grid max-w-96 gap-6"
  >
    <div className="grid gap-4">
      <p>Scan this code with an authenticator app, or type the secret into it.</p>
      <img src={app.qrCode} alt="QR code of the secret" className="size-48 rounded border" />
      <p className="text-small text-muted">
        Secret{' '}
        <code className="font-medium break-all text-ink select-all">
          {app.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
        </code>
      </p>
    </div>
    {/* The dialog that had the focus is gone. */}
    <CodeField hint="The six digits that the app shows now." autoFocus />
  </SubmitForm>
);

const Renew = () => (
  <ConfirmAction
    trigger={<Button>New recovery codes…</Button>}
    title="Replace the recovery codes?"
    description="You get ten new ones. The earlier ones stop working."
    action={renewShown}
    onDone={codes.useShow()}
    cancel="Keep them"
    confirm="Create new codes"
    isDangerous={false}
  >
    <PasswordAndCode />
  </ConfirmAction>
);

const TurnOff = ({ onClose }: { onClose: () => void }) => (
  <ConfirmAction
    onClose={onClose}
    title="Turn off the second factor?"
    description="Your password alone then signs in. The recovery codes stop working."
    action={turnOffAuthenticator}
    done={{ title: 'Second factor is off' }}
    cancel="Keep it on"
    confirm="Turn off"
  >
    <PasswordAndCode />
  </ConfirmAction>
);

const PasswordAndCode = () => (
  <div className="grid gap-4">
    <CurrentPassword />
    <CodeField hint="From your authenticator app, or a recovery code." />
  </div>
);
