import 'server-only';
import { RECOVERY_CODES_FEW } from '@ceiba/domain';
import type { Mail } from '@ceiba/process/mail';
import { chargeAccountNotice } from '@ceiba/schema';
import { after } from 'next/server';
import { env } from '../../env.ts';
import { inDatabaseAs } from '../in-database.ts';
import { log } from '../log.ts';
import { configuredMailer } from '../mail.ts';

/** Changes of which a user learns by mail, because a thief of the account would make them. */
const NOTICES = {
  password_changed: {
    subject: 'Your password was changed',
    text: 'The password of your account was changed, and every session was ended.',
  },
  password_reset: {
    subject: 'Your password was changed',
    text: 'The password of your account was set with a link. Every session was ended and every access token was revoked. Every passkey was removed, unless the link was mailed and a passkey is your required second factor.',
  },
  reset_link_created: {
    subject: 'An administrator created a link to reset your password',
    text: 'The link can set the password of your account, within a day. Until then your password works. To end the link, change your password or sign out everywhere on your account page.',
  },
  email_changed: {
    subject: 'Your e-mail address was changed',
    text: 'Your account now has another e-mail address. This is the last mail to this one.',
  },
  access_token_created: {
    subject: 'An access token of your account was created',
    text: 'A program that has it does what you may, until it expires or you revoke it on your account page.',
  },
  passkey_added: {
    subject: 'A passkey was added to your account',
    text: 'A new passkey can sign in to your account.',
  },
  passkey_removed: {
    subject: 'A passkey was removed from your account',
    text: 'One of your passkeys no longer signs in to your account.',
  },
  second_factor_added: {
    subject: 'Your second factor is on',
    text: 'Signing in with your password now needs a code of your authenticator app.',
  },
  recovery_code_used: {
    subject: 'A recovery code signed in to your account',
    text: 'The code does not work again. Your account page says how many are left and creates new ones.',
  },
  recovery_codes_few: {
    subject: 'Few recovery codes are left',
    text: `A recovery code signed in to your account and does not work again. Fewer than ${RECOVERY_CODES_FEW} are left: create new ones on your account page.`,
  },
  recovery_codes_replaced: {
    subject: 'Your recovery codes were replaced',
    text: 'The earlier recovery codes of your account no longer work.',
  },
  second_factor_removed: {
    subject: 'Your second factor was removed',
    text: 'Signing in with your password needs no code any more. If an administrator removed it, so were your passkeys, and your access tokens were revoked.',
  },
} as const;

/** After these, a reset by mail helps no one: it would go to the new address, or end no link. */
const ASK_ADMINISTRATOR: ReadonlySet<keyof typeof NOTICES> = new Set([
  'email_changed',
  'reset_link_created',
]);

/**
 * Notifies a user by mail, once the answer of this request is sent. An address gets a limited number in an
 * hour: an account may have someone else's address.
 */
export function notify(to: string, notice: keyof typeof NOTICES): void {
  const { subject, text } = NOTICES[notice];
  const { publicOrigin } = env();
  const advice = ASK_ADMINISTRATOR.has(notice)
    ? 'If you did not want this, inform the administrator of this console now.'
    : `If this was not you, reset your password at ${publicOrigin}/forgot-password and inform the administrator of this console.`;
  after(() =>
    sendNow(async () => {
      const charged = await inDatabaseAs({ kind: 'system' })((ctx) => chargeAccountNotice(ctx, to));
      if (charged.kind === 'limited') return null;
      return { to, subject, text: `${text}\n\n${advice}\n\n${publicOrigin}\n` };
    }),
  );
}

/** Sends a mail, if there is one and mail is set up. A failure is logged, because no one waits for it. */
export async function sendNow(compose: () => Promise<Mail | null>): Promise<void> {
  const mailer = configuredMailer();
  if (mailer === undefined) return;
  try {
    const mail = await compose();
    if (mail !== null) await mailer.send(mail);
  } catch (error) {
    log.error({ err: error }, 'account_mail.failed');
  }
}
