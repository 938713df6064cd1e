'use client';

import { Fingerprint } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { CodeField } from '#components/form-fields.tsx';
import { ActionButton } from '#components/submit-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AccountForm } from './account-form.tsx';
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
        <AccountForm
          action={signInWithPassword}
          onDone={(step) => (step === 'second_factor' ? setNeedsCode(true) : leave())}
          submit="Sign in"
        >
          <CredentialFields autoComplete="current-password" />
        </AccountForm>
        <ActionButton action={signInWithPasskey} onDone={leave} leaves className="w-full">
          <Fingerprint aria-hidden="true" />
          Use a passkey
        </ActionButton>
        <p className="text-small">
          <TextLink href="/forgot-password" className="text-muted hover:text-ink">
            Forgot your password?
          </TextLink>
        </p>
      </div>
      {children}
    </>
  );
}

function CodeForm({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  return (
    <div className="grid gap-6">
      <AccountForm action={signInWithCode} onDone={onDone} submit="Sign in">
        {/* The step replaces the form that had the focus. */}
        <CodeField hint="Six digits from your authenticator app, or a recovery code." autoFocus />
      </AccountForm>
      <Button variant="quiet" onClick={onBack}>
        Start again
      </Button>
    </div>
  );
}
