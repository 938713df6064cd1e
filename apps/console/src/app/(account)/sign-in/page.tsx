import type { Metadata } from 'next';
import Link from 'next/link';
import { redirect } from 'next/navigation';
import { Notice } from '#components/ui/notice.tsx';
import { configuredProviders } from '#server/accounts/auth-options.ts';
import { isSignUpOpen } from '#server/accounts/sign-up-policy.ts';
import { returnPath } from '#server/return-path.ts';
import { currentUser } from '#server/session.ts';
import { ProviderButtons } from '../_components/provider-buttons.tsx';
import { SignInForm } from '../_components/sign-in-form.tsx';

export const metadata: Metadata = { title: 'Sign in' };

interface SignInPageProps {
  searchParams: Promise<{ next?: string | string[]; error?: string; notice?: string }>;
}

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { next, error, notice } = await searchParams;
  const back = returnPath(typeof next === 'string' ? next : null);
  if ((await currentUser()) !== null) redirect(back);
  const providers = configuredProviders();
  const fault = error === undefined ? undefined : (PROVIDER_FAULTS[error] ?? PROVIDER_FAULT);
  return (
    <>
      <h1 className="mt-8 mb-6 text-title">Sign in</h1>
      {fault && (
        <Notice tone="fault" className="mb-6">
          {fault}
        </Notice>
      )}
      {notice !== undefined && NOTICES[notice] && (
        <Notice tone="done" className="mb-6">
          {NOTICES[notice]}
        </Notice>
      )}
      <SignInForm next={back} />
      {providers.length > 0 && <ProviderButtons providers={providers} next={back} />}
      {(await isSignUpOpen()) && (
        <p className="mt-6 text-muted">
          No account yet?{' '}
          <Link
            href={`/sign-up?next=${encodeURIComponent(back)}`}
            className="rounded font-medium text-accent-text underline underline-offset-4"
          >
            Create one
          </Link>
        </p>
      )}
    </>
  );
}

const PROVIDER_FAULT = 'Signing in there did not work. Try again, or use another way.';

/** Why a sign-in through a provider was refused. */
const PROVIDER_FAULTS: Record<string, string> = {
  email_taken:
    'An account with that e-mail address exists already. Sign in to it the way you did before: accounts are never joined by their address alone.',
  email_missing: 'The provider did not tell an e-mail address, and an account needs one.',
  email_unverified: 'Your provider has not verified this e-mail address. Verify it there first.',
  closed: 'There is no account for this identity, and sign-up is closed.',
  unavailable: 'The database is not answering. Try again in a moment.',
};

const NOTICES: Record<string, string> = {
  password_changed:
    'Your password is changed, and every session is signed out. Sign in with the new one.',
  signed_out_everywhere: 'Every session is signed out, this one too.',
};
