import type { Metadata } from 'next';
import { ResetPassword } from './_components/reset-password.tsx';

export const metadata: Metadata = { title: 'Set a new password' };

/** Where the link of a reset leads to. The server never sees its fragment. */
export default function ResetPasswordPage() {
  return (
    <>
      <h1 className="mt-8 mb-6 text-heading">Set a new password</h1>
      <ResetPassword />
    </>
  );
}
