import { PASSWORD_RESET_MINUTES } from '@ceiba/domain/constants';
import type { Metadata } from 'next';
import { configuredMailer } from '#server/mail.ts';
import { OtherPage } from '../_components/other-page.tsx';
import { RequestReset } from './_components/request-reset.tsx';

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
        <RequestReset minutes={PASSWORD_RESET_MINUTES.mail} />
      )}
      <OtherPage question="Remembered it?" href="/sign-in" label="Sign in" next="/projects" />
    </>
  );
}
