import type { Metadata } from 'next';
import { Notice } from '#components/ui/notice.tsx';
import { configuredProviders, isSignUpOpen } from '#server/accounts/index.ts';
import { requireSignedOut } from '#server/session.ts';
import { OtherPage } from '../_components/other-page.tsx';
import { ProviderButtons } from '../_components/provider-buttons.tsx';
import { SignInForm } from '../_components/sign-in-form.tsx';

export const metadata: Metadata = { title: 'Sign in' };

interface SignInPageProps {
  searchParams: Promise<{ next?: string | string[]; error?: string; notice?: string }>;
}

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { next, error, notice } = await searchParams;
  const back = await requireSignedOut(next);
  const providers = configuredProviders();
  const providerError =
    error === undefined ? undefined : (PROVIDER_ERRORS.get(error) ?? OTHER_ERROR);
  const done = NOTICES.get(notice ?? '');
  return (
    <>
      <h1 className="mt-8 mb-6 text-heading">Sign in</h1>
      {providerError && (
        <Notice tone="error" className="mb-6">
          {providerError}
        </Notice>
      )}
      {done && (
        <Notice tone="done" className="mb-6">
          {done}
        </Notice>
      )}
      <SignInForm next={back}>
        {providers.length > 0 && <ProviderButtons providers={providers} next={back} />}
        {(await isSignUpOpen()) && (
          <OtherPage question="No account yet?" href="/sign-up" label="Create one" next={back} />
        )}
      </SignInForm>
    </>
  );
}

const OTHER_ERROR = 'Signing in with this provider failed. Try again, or sign in another way.';

/** Why a sign-in through a provider was refused. */
const PROVIDER_ERRORS = new Map(
  Object.entries({
    email_taken:
      'An account with this e-mail address exists already. Sign in to it the way you did before: a matching address alone does not link accounts.',
    email_missing: 'The provider did not share an e-mail address, and an account needs one.',
    email_invalid:
      'The provider shared something that is not an e-mail address with a public domain, and an account needs one.',
    email_unverified: 'Your provider has not verified this e-mail address. Verify it there first.',
    closed: 'There is no account for this identity, and sign-up is closed.',
    setup_token:
      'There is no administrator yet. Create the first account on the sign-up page, with the setup token.',
    unavailable: 'The database is not answering. Try again in a moment.',
  }),
);

const NOTICES = new Map(
  Object.entries({
    password_changed:
      'Your password is changed, and you are signed out everywhere. Sign in with the new password.',
    account_deleted: 'Your account is deleted.',
    signed_out_everywhere: 'You are signed out in every browser, including this one.',
  }),
);
