'use client';

import { Fingerprint } from 'lucide-react';
import Link from 'next/link';
import { type ReactNode, useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { signInWithCode, signInWithPasskey, signInWithPassword } from './sign-in.ts';

interface SignInFormProps {
  next: string;
  /** What else the first step offers. */
  children: ReactNode;
}

/** Asks for the password and, if the account has a second factor, for a code after it. */
export function SignInForm({ next, children }: SignInFormProps) {
  const [needsCode, setNeedsCode] = useState(false);
  // A full page load discards pages of a previous user that Next.js cached in the browser.
  const leave = () => window.location.assign(next);
  if (needsCode) return <CodeForm onDone={leave} onBack={() => setNeedsCode(false)} />;
  return (
    <>
      <div className="grid gap-4">
        <ActionForm
          action={signInWithPassword}
          onDone={(step) => (step === 'second_factor' ? setNeedsCode(true) : leave())}
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
        <PasskeyForm onDone={leave} />
        <p className="text-small">
          <Link
            href="/forgot-password"
            className="rounded text-muted underline underline-offset-4 hover:text-ink"
          >
            Forgot your password?
          </Link>
        </p>
      </div>
      {children}
    </>
  );
}

function PasskeyForm({ onDone }: { onDone: () => void }) {
  return (
    <ActionForm action={signInWithPasskey} onDone={onDone}>
      {({ pending }) => (
        <Button type="submit" className="w-full" pending={pending}>
          {!pending && <Fingerprint aria-hidden="true" />}
          Use a passkey
        </Button>
      )}
    </ActionForm>
  );
}

interface CodeFormProps {
  onDone: () => void;
  onBack: () => void;
}

function CodeForm({ onDone, onBack }: CodeFormProps) {
  return (
    <ActionForm action={signInWithCode} onDone={onDone} className="grid gap-6">
      {(parts) => (
        <>
          <TextField
            parts={parts}
            name="code"
            label="Code"
            hint="Six digits from your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            className="numbers"
            maxLength={64}
            // The step replaces the form that had the focus.
            autoFocus
          />
          <Button type="submit" variant="primary" pending={parts.pending}>
            Sign in
          </Button>
          <Button variant="quiet" onClick={onBack}>
            Start again
          </Button>
        </>
      )}
    </ActionForm>
  );
}
