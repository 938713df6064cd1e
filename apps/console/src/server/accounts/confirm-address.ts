import 'server-only';
import { CONFIRMATION_MINUTES } from '@ceiba/domain';
import { chargeAccountMail, findUserByEmail, type ProvenUser } from '@ceiba/schema';
import { after } from 'next/server';
import { env } from '../../env.ts';
import { plural } from '../../lib/format.ts';
import type { InDatabase } from '../in-database.ts';
import { configuredMailer } from '../mail.ts';
import { sendNow } from './account-mail.ts';
import { changeEmailLink, signUpLink } from './confirmation-link.ts';

/**
 * With a mail server, a new address counts once a link that was mailed to it is used. Whether it has an
 * account already is said in that mail alone: it is looked up after the answer is sent, so neither the
 * answer nor its time shows it.
 */
export const confirmsAddresses = (): boolean => configuredMailer() !== undefined;

export type ConfirmationResult =
  | { kind: 'mailed' }
  | { kind: 'limited'; retryAfterSeconds: number };

/** Mails a link that finishes a sign-up. */
export function mailSignUpLink(inDatabase: InDatabase, email: string): Promise<ConfirmationResult> {
  return mailLink(inDatabase, email, {
    subject: 'Finish creating your account',
    before: 'Open this link and choose a password. Then your account is created.',
    createLink: () => signUpLink.create({ email }),
  });
}

/** Mails a link that makes this the address of a user, who has proven themselves. */
export function mailChangeLink(
  inDatabase: InDatabase,
  { userId, sessionVersion, email }: ProvenUser & { email: string },
): Promise<ConfirmationResult> {
  return mailLink(inDatabase, email, {
    subject: 'Confirm your new e-mail address',
    before:
      'Open this link in the browser in which you are signed in. Then you sign in with this address.',
    createLink: () => changeEmailLink.create({ userId, sessionVersion, email }),
    mayBelongTo: userId,
  });
}

interface LinkMail {
  subject: string;
  /** What to do with the link. */
  before: string;
  createLink: () => Promise<string>;
  /** The user who may have the address already, in other letter case. */
  mayBelongTo?: string;
}

async function mailLink(
  inDatabase: InDatabase,
  email: string,
  { subject, before, createLink, mayBelongTo }: LinkMail,
): Promise<ConfirmationResult> {
  const attempt = await inDatabase((ctx) => chargeAccountMail(ctx, email));
  if (attempt.kind === 'limited') return attempt;
  after(() =>
    sendNow(async () => {
      const known = await inDatabase(({ db }) => findUserByEmail(db, email));
      if (known !== null && known.userId !== mayBelongTo) return accountExists(known.email);
      const time = plural(CONFIRMATION_MINUTES, 'minute');
      const text = `${before} It works for ${time}:\n\n${await createLink()}\n\nIf you did not ask for it, ignore this mail: nothing was changed.\n`;
      return { to: email, subject, text };
    }),
  );
  return { kind: 'mailed' };
}

function accountExists(to: string) {
  const { publicOrigin } = env();
  return {
    to,
    subject: 'You have an account already',
    text: `Someone asked for an account with this address, or to use it for another account. It has an account already, so nothing was changed.\n\nIf it was you, sign in at ${publicOrigin}/sign-in, or set a new password at ${publicOrigin}/forgot-password. If not, ignore this mail.\n`,
  };
}
