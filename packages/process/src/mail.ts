import { createTransport } from 'nodemailer';

export interface MailSettings {
  /** `smtp://user:password@host:587`, or `smtps://…` for TLS from the start. */
  url: string;
  /** `ceiba@example.com` or `Ceiba <ceiba@example.com>`. */
  from: string;
}

export interface Mail {
  /** One address. */
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
  /** Identifies a mail that is sent again, so that readers can recognise the copy. */
  id?: string;
  /** A POST to it ends such mails, without anything else (RFC 8058). */
  unsubscribeUrl?: string;
}

export interface Mailer {
  /**
   * Resolves when the server has accepted the mail, which is not yet its delivery.
   *
   * @throws MailError
   */
  send(mail: Mail): Promise<void>;
}

/** A mail that the server did not accept, or may not have accepted. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** The reply code of SMTP; null if there was no reply. */
  readonly status: number | null;

  /** @param status The reply code of SMTP; null if there was no reply. */
  constructor(message: string, status: number | null, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** A mail server that does not answer fails the mail after at most this time per step. */
const STEP_MS = 10_000;

/**
 * Sends plain-text mail over SMTP, with one connection per mail.
 *
 * A password is only sent over TLS, unless the address says `?requireTLS=false` or names loopback.
 */
export function createMailer({ url, from }: MailSettings): Mailer {
  const transport = createTransport({
    url,
    requireTLS: needsTls(url),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.replace(/^.*@|>$/g, '');
  return {
    async send({ to, subject, text, id, unsubscribeUrl }) {
      try {
        await transport.sendMail({
          from,
          // As an object it is one address, whatever commas it has.
          to: { name: '', address: to },
          subject,
          text,
          ...(id !== undefined && { messageId: `<${id}@${domain}>` }),
          headers: {
            // Keeps out-of-office replies away (RFC 3834).
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl !== undefined && {
              'List-Unsubscribe': `<${unsubscribeUrl}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
        });
      } catch (error) {
        throw mailError(error);
      }
    },
  };
}

function needsTls(url: string): boolean {
  const { protocol, password, hostname } = new URL(url);
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return protocol === 'smtp:' && password !== '' && !isLoopback;
}

function mailError(error: unknown): MailError {
  const { message, responseCode } = error as { message?: string; responseCode?: number };
  const status = responseCode ?? null;
  return new MailError(`the mail was not accepted: ${message ?? error}`, status, { cause: error });
}
