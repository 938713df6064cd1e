'use server';

import { setEmail } from '@ceiba/schema';
import { z } from 'zod';
import { changeEmailLink, notify } from '#server/accounts/index.ts';
import { publicAction, refuse, userAction } from '#server/action.ts';

// The name ends like a credential's, so that a refusal does not send it back.
const link = z.object({ confirmationSecret: z.string().max(4096) });

/** Shows which address the link confirms. The link itself is the proof that the caller may see it. */
export const readConfirmation = publicAction({
  readsOnly: true,
  input: link,
  async run(_context, { confirmationSecret }): Promise<{ email: string }> {
    const { email } = await readLink(confirmationSecret);
    return { email };
  },
});

/** Changes the address of the signed-in user, who asked for it with their password. */
export const confirmEmail = userAction({
  input: link,
  async run({ inDatabase, user }, { confirmationSecret }): Promise<null> {
    const change = await readLink(confirmationSecret);
    if (change.userId !== user.userId) refuse('conflict', OTHER_USER);
    const result = await inDatabase((ctx) => setEmail(ctx, change));
    if (result.kind === 'email_taken') refuse('conflict', 'Another account has this address.');
    if (result.kind === 'outdated') refuse('not_found', GONE);
    if (result.kind === 'updated') notify(user.email, 'email_changed');
    return null;
  },
});

async function readLink(confirmationSecret: string) {
  const change = await changeEmailLink.read(confirmationSecret);
  return change ?? refuse('not_found', GONE);
}

const OTHER_USER = 'You are signed in with another account than the one that asked for this link.';
const GONE =
  'This link is not complete, or it ended: after an hour, with a new password, or when you signed out everywhere. Change the address again on your account page.';
