import type { Metadata } from 'next';
import { currentUser } from '#server/session.ts';
import { ConfirmEmail } from './_components/confirm-email.tsx';

export const metadata: Metadata = { title: 'Confirm your new address' };

/** Where the mailed link of a new address leads to, signed in or not. The server never sees its fragment. */
export default async function ConfirmEmailPage() {
  const user = await currentUser();
  return (
    <>
      <h1 className="mt-8 mb-6 text-heading">Confirm your new address</h1>
      <ConfirmEmail isSignedIn={user !== null} />
    </>
  );
}
