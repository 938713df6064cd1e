'use server';

import { whyPasswordRefused } from '@ceiba/domain/password-rule';
import { deleteUser, endSessionOf, setEmail, signOutEverywhere } from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { legible } from '#lib/text.ts';
import {
  changePasswordOf,
  confirmsAddresses,
  mailChangeLink,
  notify,
} from '#server/accounts/index.ts';
import { refuse, refuseField, userAction } from '#server/action.ts';
import { tooManyAttempts } from '../../../lib/action-state.ts';
import { emailSchema } from '../../../lib/email-schema.ts';
import { proveSelf, refuseOutdated, refuseUnproven } from './prove-self.ts';

/** Changes the password and ends every session of the user, including this one. */
export const changePassword = userAction({
  input: z.object({ currentPassword: z.string().max(1024), newPassword: z.string() }),
  async run({ inDatabase, user }, passwords): Promise<null> {
    const reason = await whyPasswordRefused(passwords.newPassword, user.email);
    if (reason !== null) refuseField('newPassword', `The password ${reason}.`);
    const result = await changePasswordOf(inDatabase, user, passwords);
    switch (result.kind) {
      case 'updated':
        notify(user.email, 'password_changed');
        return redirect('/sign-in?notice=password_changed');
      case 'limited':
      case 'wrong':
        return refuseUnproven(result);
      case 'outdated':
      case 'not_found':
        return refuseOutdated();
    }
  },
});

/** Ends every session of the user, in every browser. */
export const endEverySession = userAction({
  input: z.object({}),
  async run({ inDatabase, user }): Promise<null> {
    await inDatabase((ctx) => signOutEverywhere(ctx, user.userId));
    redirect('/sign-in?notice=signed_out_everywhere');
  },
});

/** Changes the address with which the user signs in or, with a mail server, mails a link that does. */
export const changeEmail = userAction({
  input: z.object({ email: emailSchema, currentPassword: z.string().max(1024) }),
  async run(context, { email, currentPassword }): Promise<null> {
    const { inDatabase } = context;
    const proven = await proveSelf(context, currentPassword);
    if (confirmsAddresses()) {
      const mailed = await mailChangeLink(inDatabase, { ...proven, email });
      if (mailed.kind === 'limited')
        refuse('rate_limited', tooManyAttempts(mailed.retryAfterSeconds));
      return null;
    }
    const result = await inDatabase((ctx) => setEmail(ctx, { ...proven, email }));
    if (result.kind === 'email_taken') {
      refuseField('email', 'Another account has this address.');
    }
    if (result.kind === 'outdated') refuseOutdated();
    return null;
  },
});

/** Ends one session of the user. */
export const endOneSession = userAction({
  input: z.object({ sessionId: z.guid() }),
  async run({ inDatabase, user }, { sessionId }): Promise<null> {
    const { userId } = user;
    const result = await inDatabase((ctx) => endSessionOf(ctx, { userId, sessionId }));
    if (result.kind === 'not_found') refuse('not_found', 'This session has ended already.');
    return null;
  },
});

/** Deletes the user's account. The password or a fresh sign-in proves the user. */
export const deleteAccount = userAction({
  input: z.object({ confirmation: z.string(), currentPassword: z.string().max(1024).optional() }),
  async run(context, { confirmation, currentPassword }): Promise<null> {
    const { inDatabase, user } = context;
    if (confirmation.trim() !== user.email) {
      refuseField('confirmation', `Type the e-mail address of your account: ${user.email}.`);
    }
    const proven = await proveSelf(context, currentPassword);
    const result = await inDatabase((ctx) => deleteUser(ctx, proven));
    switch (result.kind) {
      case 'deleted':
        return redirect('/sign-in?notice=account_deleted');
      case 'owns_projects':
        return refuse(
          'conflict',
          `You own ${result.names.map(legible).join(', ')}. Transfer or delete every project first.`,
        );
      case 'last_administrator':
        return refuse(
          'conflict',
          'You are the last administrator. Make another user an administrator first.',
        );
      case 'outdated':
      case 'not_found':
        return refuseOutdated();
    }
  },
});
