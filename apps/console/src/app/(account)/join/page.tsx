import type { Metadata } from 'next';
import { isSignUpOpen } from '#server/accounts/index.ts';
import { currentUser } from '#server/session.ts';
import { JoinProject } from './_components/join-project.tsx';

export const metadata: Metadata = { title: 'Join a project' };

/** Where an invitation's link leads to, signed in or not. The server never sees its fragment. */
export default async function JoinPage() {
  const user = await currentUser();
  return (
    <>
      <h1 className="mt-8 mb-6 text-heading">Join a project</h1>
      <JoinProject email={user?.email ?? null} mayRegister={await isSignUpOpen()} />
    </>
  );
}
