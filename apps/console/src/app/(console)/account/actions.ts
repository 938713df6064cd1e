'use server';

import { emailSchema } from '@ceiba/contract';
import { whyPasswordRefused } from '@ceiba/domain/password-rule';
import { deleteUser, endSessionOf, setEmail, setTimeZone, signOutEverywhere } from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { legible } from '#lib/text.ts';
import {
  changePasswordOf,
  confirmsAddresses,
  mailChangeLink,
  notify,
} from '#server/accounts/index.ts';
import { refuseField, userAction } from '#server/action.ts';
import { done, OUTDATED, settle } from '#server/settle.ts';
import { proveSelf, WRONG_PASSWORD } from './prove-self.ts';

/** Changes the password and ends every session of the user, including this one. */
export const changePassword = userAction({
  input: z.object({ currentPassword: z.string().max(1024), newPassword: z.string() }),
  async run({ inDatabase, user }, passwords): Promise<null> {
    const reason = await whyPasswordRefused(passwords.newPassword, user.email);
    if (reason !== null) refuseField('newPassword', `The password ${reason}.`);
    const result = await changePasswordOf(inDatabase, user, passwords);
    settle(result, { wrong: WRONG_PASSWORD, not_found: OUTDATED });
    notify(user.email, 'password_changed');
    redirect('/sign-in?notice=password_changed');
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
      return done(await mailChangeLink(inDatabase, { ...proven, email }), {});
    }
    const result = await inDatabase((ctx) => setEmail(ctx, { ...proven, email }));
    return done(result, {
      email_taken: { field: 'email', text: 'Another account has this address.' },
    });
  },
});

/** Chooses the zone in which the user's pages show times: without one, that of the browser. */
export const changeTimeZone = userAction({
  input: z.object({ timeZone: z.string().nullable().default(null) }),
  async run({ inDatabase, user }, { timeZone }): Promise<null> {
    const { userId, sessionVersion } = user;
    const change = { userId, sessionVersion, timeZone };
    return done(await inDatabase((ctx) => setTimeZone(ctx, change)), {});
  },
});

/** Ends one session of the user. */
export const endOneSession = userAction({
  input: z.object({ sessionId: z.guid() }),
  async run({ inDatabase, user }, { sessionId }): Promise<null> {
    const { userId } = user;
    const result = await inDatabase((ctx) => endSessionOf(ctx, { userId, sessionId }));
    return done(result, { not_found: 'This session has ended already.' });
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
    settle(result, {
      owns_projects: ({ names }) =>
        `You own ${names.map(legible).join(', ')}. Transfer or delete every project first.`,
      last_administrator:
        'You are the last administrator. Make another user an administrator first.',
      not_found: OUTDATED,
    });
    redirect('/sign-in?notice=account_deleted');
  },
});
