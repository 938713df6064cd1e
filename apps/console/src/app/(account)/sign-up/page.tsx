import { CONFIRMATION_MINUTES } from '@ceiba/domain/constants';
import type { Metadata } from 'next';
import { GuideLink } from '#components/ui/guide-link.tsx';
import {
  configuredProviders,
  isSignUpOpen,
  needsSetup,
  signsUpByMail,
} from '#server/accounts/index.ts';
import { requireSignedOut } from '#server/session.ts';
import { MailLinkForm } from '../_components/mail-link-form.tsx';
import { OtherPage } from '../_components/other-page.tsx';
import { SetUpForm } from '../_components/set-up-form.tsx';
import { SignUpForm } from '../_components/sign-up-form.tsx';
import { createAccount } from './actions.ts';

export const metadata: Metadata = { title: 'Create an account' };

interface SignUpPageProps {
  searchParams: Promise<{ next?: string | string[] }>;
}

export default async function SignUpPage({ searchParams }: SignUpPageProps) {
  const back = await requireSignedOut((await searchParams).next);
  const isOpen = await isSignUpOpen();
  const isFirst = await needsSetup();
  return (
    <>
      <h1 className="mt-8 mb-6 text-heading">
        {isOpen ? 'Create an account' : 'Sign-up is closed'}
      </h1>
      {isFirst && <FirstAccount isOpen={isOpen} />}
      {isOpen && isFirst && <SetUpForm next={back} providers={configuredProviders()} />}
      {isOpen && !isFirst && <NewAccount next={back} />}
      {!isOpen && !isFirst && <p className="text-muted">Ask your administrator for an account.</p>}
      <OtherPage question="Have an account?" href="/sign-in" label="Sign in" next={back} />
    </>
  );
}

const NewAccount = async ({ next }: { next: string }) =>
  (await signsUpByMail()) ? (
    <MailLinkForm
      action={createAccount}
      hint="We mail you a link with which you choose a password."
      sent={`A link to finish creating your account is on its way. It works for ${CONFIRMATION_MINUTES} minutes.`}
    />
  ) : (
    <SignUpForm next={next} />
  );

/** How someone who runs this installation gets its first account. */
function FirstAccount({ isOpen }: { isOpen: boolean }) {
  return (
    <div className="mb-6 grid gap-2 text-muted">
      {isOpen ? (
        <p>
          The first account is the administrator’s. To prove that you run this installation, print a
          setup token where Ceiba runs:
        </p>
      ) : (
        <p>There is no administrator yet. Create the account where Ceiba runs:</p>
      )}
      <pre className="overflow-x-auto rounded border bg-sunken px-3 py-2 text-small text-ink">
        <code>{isOpen ? 'ceiba setup-token' : 'ceiba owner create --email you@example.com'}</code>
      </pre>
      <p>
        <GuideLink topic="firstAccount" />
      </p>
    </div>
  );
}
