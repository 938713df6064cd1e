import 'server-only';
import { createMailer, type Mailer } from '@ceiba/process/mail';
import { env } from '../env.ts';

let mailer: Mailer | undefined;

/** Sends mail; undefined if `SMTP_URL` and `MAIL_FROM` are not set. */
export function configuredMailer(): Mailer | undefined {
  const { mail } = env();
  if (mail !== undefined) mailer ??= createMailer(mail);
  return mailer;
}
