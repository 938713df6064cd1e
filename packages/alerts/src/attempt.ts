import { retryPauseSeconds } from '@ceiba/domain';
import { MailError, type Mailer } from '@ceiba/process/mail';
import { type AttemptOutcome, type ClaimedDelivery, within } from '@ceiba/schema';
import { mailOf } from './mail-text.ts';
import type { Network } from './networks.ts';
import { postWebhook, WebhookError } from './post-webhook.ts';
import { webhookHeaders } from './sign.ts';

export interface AttemptOptions {
  /** Undefined where no mail server is configured. */
  mailer: Mailer | undefined;
  allowedNetworks: readonly Network[];
  /** Where users open the console. */
  consoleUrl: string;
  /** The time for a whole webhook, in ms. */
  timeoutMs: number;
  /** The time for a whole mail, in ms; each of its steps has a limit of its own. */
  mailMs: number;
  random: () => number;
  now: () => Date;
}

/** How a receiver answered; `error` is null if it accepted the alert. */
interface Answer {
  status: number | null;
  error: string | null;
}

/** Makes one attempt of a delivery. @throws only for a bug */
export async function attempt(
  delivery: ClaimedDelivery,
  options: AttemptOptions,
): Promise<AttemptOutcome> {
  const { status, error } = await (delivery.kind === 'mail'
    ? sendMail(delivery, options)
    : sendWebhook(delivery, options));
  if (error === null) return { kind: 'delivered', status };
  const isGone = delivery.kind === 'webhook' && status === 410;
  const retryAfterSeconds = isGone ? null : retryPauseSeconds(delivery.attempt, options.random());
  return { kind: 'failed', status, error, isGone, retryAfterSeconds };
}

async function sendWebhook(
  { event, address, signingSecrets }: ClaimedDelivery,
  options: AttemptOptions,
): Promise<Answer> {
  const { id, type, createdAt, data } = event;
  // Stored data only, so that each attempt sends the same body.
  const body = JSON.stringify({ type, timestamp: createdAt.toISOString(), data });
  const headers = webhookHeaders({ id, at: options.now(), body }, signingSecrets);
  try {
    const status = await postWebhook({ url: address, headers, body }, options);
    return { status, error: errorOfStatus(status) };
  } catch (error) {
    if (error instanceof WebhookError) return { status: null, error: error.message };
    throw error;
  }
}

function errorOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return 'it answered 410: it wants no further alerts';
  if (status >= 300 && status < 400) return `it answered ${status}; redirects are not followed`;
  return `it answered ${status}`;
}

class TimeLimitError extends Error {
  constructor(ms: number) {
    super(`it did not end within ${ms / 1_000} seconds`);
  }
}

async function sendMail(
  delivery: ClaimedDelivery,
  { mailer, consoleUrl, mailMs }: AttemptOptions,
): Promise<Answer> {
  if (mailer === undefined) return { status: null, error: 'mail is off: SMTP_URL is not set' };
  const { mailToken } = delivery;
  if (mailToken === null) throw new Error('a mail was claimed without its link');
  try {
    const sent = mailer.send(mailOf(delivery, mailToken, consoleUrl));
    await within(mailMs, sent, () => new TimeLimitError(mailMs));
    return { status: null, error: null };
  } catch (error) {
    if (error instanceof TimeLimitError) return { status: null, error: error.message };
    if (!(error instanceof MailError)) throw error;
    const { status } = error;
    const words = status === null ? 'the mail server did not answer' : `it answered ${status}`;
    return { status, error: words };
  }
}
