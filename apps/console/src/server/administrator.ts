import 'server-only';
import { notFound } from 'next/navigation';
import { requireUser, type SignedInUser } from './session.ts';

/** The administrator who asks for a page; to anybody else that page does not exist. */
export async function requireAdministrator(): Promise<SignedInUser> {
  const user = await requireUser();
  if (!user.isAdministrator) notFound();
  return user;
}
