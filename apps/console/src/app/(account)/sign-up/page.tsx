import type { Metadata } from 'next';
import { isSignUpOpen, signsUpByMail } from '#server/accounts/sign-up.ts';
import { requireSignedOut } from '#server/session.ts';
import { OtherPage } from '../_components/other-page.tsx';
import { SignUpByMail } from '../_components/sign-up-by-mail.tsx';
import { SignUpForm } from '../_components/sign-up-form.tsx';

export const metadata: Metadata = { title: 'Create an account' };

interface SignUpPageProps {
  searchParams: Promise<{ next?: string | string[] }>;
}

export default async function SignUpPage({ searchParams }: SignUpPageProps) {
  const back = await requireSignedOut((await searchParams).next);
  const isOpen = await isSignUpOpen();
  return (
    <>
      <h1 className="mt-8 mb-6 text-heading">
        {isOpen ? 'Create an account' : 'Sign-up is closed'}
      </h1>
      {isOpen ? (
        <NewAccount next={back} />
      ) : (
        <p className="text-muted">Ask your administrator for an account.</p>
      )}
      <OtherPage question="Have an account?" href="/sign-in" label="Sign in" next={back} />
    </>
  );
}

const NewAccount = async ({ next }: { next: string }) =>
  (await signsUpByMail()) ? <SignUpByMail /> : <SignUpForm next={next} />;
