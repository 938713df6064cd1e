'use server';

import { emailSchema } from '@ceiba/contract';
import { PASSWORD_RESET_MINUTES } from '@ceiba/domain';
import { chargeAccountMail, findUserByEmail } from '@ceiba/schema';
import { after } from 'next/server';
import { z } from 'zod';
import { plural } from '#lib/format.ts';
import { createResetLink, sendNow } from '#server/accounts/index.ts';
import { publicAction } from '#server/action.ts';
import type { InDatabase } from '#server/in-database.ts';
import { configuredMailer } from '#server/mail.ts';
import { settle } from '#server/settle.ts';

/**
 * Mails a link that sets a new password. Whether the address has an account shows neither in the
 * answer nor in its time, because the account is looked up after the answer is sent.
 */
export const requestReset = publicAction({
  input: z.object({ email: emailSchema }),
  async run({ inDatabase }, { email }): Promise<null> {
    // The page says that an administrator makes the link instead.
    if (configuredMailer() === undefined) return null;
    settle(await inDatabase((ctx) => chargeAccountMail(ctx, email)), {});
    after(() => mailLink(inDatabase, email));
    return null;
  },
});

async function mailLink(inDatabase: InDatabase, email: string): Promise<void> {
  await sendNow(async () => {
    const created = await inDatabase(async (ctx) => {
      const user = await findUserByEmail(ctx.db, email);
      if (user === null) return null;
      const { userId, email: to } = user;
      const reset = await createResetLink(ctx, { userId, email: to }, 'mail');
      return reset.kind === 'created' ? { to, link: reset.link } : null;
    });
    if (created === null) return null;
    const { to, link } = created;
    const time = plural(PASSWORD_RESET_MINUTES.mail, 'minute');
    return {
      to,
      subject: 'Reset your password',
      text: `Open this link to set a new password. It works once, within ${time}:\n\n${link}\n\nIf you did not ask for it, ignore this mail: nothing was changed.\n`,
    };
  });
}
