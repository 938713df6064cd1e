'use server';

import {
  chargePasswordChange,
  findUserById,
  forgivePasswordChange,
  hashPassword,
  setPassword,
  signOutEverywhere,
  verifyPassword,
  whyPasswordRefused,
} from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { refuse, refuseField, userAction } from '#server/action.ts';

/** Changes the password, which signs out every session, this one too. */
export const changePassword = userAction({
  input: z.object({ currentPassword: z.string().max(1024), newPassword: z.string() }),
  async run({ ctx, user }, { currentPassword, newPassword }): Promise<null> {
    const reason = whyPasswordRefused(newPassword);
    if (reason !== null) refuseField('newPassword', `The password ${reason}.`);
    const attempt = await chargePasswordChange(ctx, user.userId);
    if (attempt.kind === 'limited') {
      const minutes = Math.ceil(attempt.retryAfterSeconds / 60);
      refuse('rate_limited', `Too many attempts. Try again in ${minutes} min.`);
    }
    const { passwordHash = null } = (await findUserById(ctx.db, user.userId)) ?? {};
    if (!(await verifyPassword(passwordHash, currentPassword))) {
      refuseField('currentPassword', 'This is not your present password.');
    }
    await forgivePasswordChange(ctx, user);
    await setPassword(ctx, {
      userId: user.userId,
      passwordHash: await hashPassword(newPassword),
    });
    redirect('/sign-in?notice=password_changed');
  },
});

/** Ends every session of this person, in every browser. */
export const endEverySession = userAction({
  input: z.object({}),
  async run({ ctx, user }): Promise<null> {
    await signOutEverywhere(ctx, user.userId);
    redirect('/sign-in?notice=signed_out_everywhere');
  },
});
