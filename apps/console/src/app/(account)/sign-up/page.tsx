import type { Metadata } from 'next';
import Link from 'next/link';
import { redirect } from 'next/navigation';
import { isSignUpOpen } from '#server/accounts/sign-up-policy.ts';
import { returnPath } from '#server/return-path.ts';
import { currentUser } from '#server/session.ts';
import { SignUpForm } from '../_components/sign-up-form.tsx';

export const metadata: Metadata = { title: 'Create an account' };

interface SignUpPageProps {
  searchParams: Promise<{ next?: string | string[] }>;
}

export default async function SignUpPage({ searchParams }: SignUpPageProps) {
  const { next } = await searchParams;
  const back = returnPath(typeof next === 'string' ? next : null);
  if ((await currentUser()) !== null) redirect(back);
  const isOpen = await isSignUpOpen();
  return (
    <>
      <h1 className="mt-8 mb-6 text-title">
        {isOpen ? 'Create an account' : 'Sign-up is closed here'}
      </h1>
      {isOpen ? (
        <SignUpForm next={back} />
      ) : (
        <p className="text-muted">Ask your administrator for an account.</p>
      )}
      <p className="mt-6 text-muted">
        Have an account?{' '}
        <Link
          href={`/sign-in?next=${encodeURIComponent(back)}`}
          className="rounded font-medium text-accent-text underline underline-offset-4"
        >
          Sign in
        </Link>
      </p>
    </>
  );
}
