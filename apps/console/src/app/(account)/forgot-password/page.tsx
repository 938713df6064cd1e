import { PASSWORD_RESET_MINUTES } from '@ceiba/domain/constants';
import type { Metadata } from 'next';
import { configuredMailer } from '#server/mail.ts';
import { MailLinkForm } from '../_components/mail-link-form.tsx';
import { OtherPage } from '../_components/other-page.tsx';
import { requestReset } from './actions.ts';

export const metadata: Metadata = { title: 'Forgot your password?' };

export default function ForgotPasswordPage() {
  return (
    <>
      <h1 className="mt-8 mb-6 text-heading">Forgot your password?</h1>
      {configuredMailer() === undefined ? (
        <p className="text-muted">
          This console sends no mail. Ask your administrator for a link that sets a new password.
        </p>
      ) : (
        <MailLinkForm
          action={requestReset}
          sent={`If this address has an account with a password, a link to set a new one is on its way. It works for ${PASSWORD_RESET_MINUTES.mail} minutes.`}
        />
      )}
      <OtherPage question="Remembered it?" href="/sign-in" label="Sign in" next="/projects" />
    </>
  );
}
