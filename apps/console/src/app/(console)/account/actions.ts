'use server';

import { whyPasswordRefused } from '@ceiba/domain';
import { signOutEverywhere } from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { changePasswordOf } from '#server/accounts/change-password.ts';
import { refuse, refuseField, userAction } from '#server/action.ts';
import { tooManyAttempts } from '../../../lib/action-state.ts';

/** Changes the password and ends every session of the user, including this one. */
export const changePassword = userAction({
  input: z.object({ currentPassword: z.string().max(1024), newPassword: z.string() }),
  async run({ inDatabase, user }, passwords): Promise<null> {
    const reason = whyPasswordRefused(passwords.newPassword);
    if (reason !== null) refuseField('newPassword', `The password ${reason}.`);
    const result = await changePasswordOf(inDatabase, user, passwords);
    switch (result.kind) {
      case 'updated':
        return redirect('/sign-in?notice=password_changed');
      case 'limited':
        return refuse('rate_limited', tooManyAttempts(result.retryAfterSeconds));
      case 'wrong':
        return refuseField('currentPassword', 'This is not your current password.');
      case 'outdated':
      case 'not_found':
        return refuse('signed_out', SIGNED_OUT_MEANWHILE);
    }
  },
});

const SIGNED_OUT_MEANWHILE =
  'Your password was changed in another window, or you were signed out there. Nothing was changed here.';

/** Ends every session of the user, in every browser. */
export const endEverySession = userAction({
  input: z.object({}),
  async run({ inDatabase, user }): Promise<null> {
    await inDatabase((ctx) => signOutEverywhere(ctx, user.userId));
    redirect('/sign-in?notice=signed_out_everywhere');
  },
});
