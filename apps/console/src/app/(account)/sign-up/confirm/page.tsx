import type { Metadata } from 'next';
import { FinishSignUp } from './_components/finish-sign-up.tsx';

export const metadata: Metadata = { title: 'Finish creating your account' };

/** Where the mailed link of a sign-up leads to. The server never sees its fragment. */
export default function FinishSignUpPage() {
  return (
    <>
      <h1 className="mt-8 mb-6 text-heading">Finish creating your account</h1>
      <FinishSignUp />
    </>
  );
}
