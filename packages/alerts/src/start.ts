import type { Logger } from '@ceiba/process/log';
import { createMailer, type MailSettings } from '@ceiba/process/mail';
import { attempt } from './attempt.ts';
import { type ConnectOptions, connect } from './connect.ts';
import { startDetecting } from './detection.ts';
import type { Network } from './networks.ts';
import { AlertSender } from './sender.ts';

export interface AlertOptions extends ConnectOptions {
  /** Undefined where no mail server is configured. */
  mail: MailSettings | undefined;
  /** Private networks that webhooks may reach. */
  webhookNetworks: readonly Network[];
  /** Where users open the console. */
  consoleUrl: string;
  log: Logger;
}

/** The whole attempt, in ms; the claim of a delivery lasts longer. */
const WEBHOOK_MS = 15_000;
const MAIL_MS = 45_000;

/**
 * Detects and sends alerts until the process ends (ADR 0056); what it had claimed is sent by another.
 * Any process may run it, and several share the work. It has connections of its own, so that nothing
 * else waits for alerts, and more of them for detection, whose slow statements delay no alert that is
 * sent.
 */
export function startAlerts(options: AlertOptions): void {
  const { mail, webhookNetworks, consoleUrl, log } = options;
  const sending = connect(options, 2);
  const detection = connect(options, 3);
  const settings = {
    mailer: mail && createMailer(mail),
    allowedNetworks: webhookNetworks,
    consoleUrl,
    timeoutMs: WEBHOOK_MS,
    mailMs: MAIL_MS,
    random: Math.random,
    now: () => new Date(),
  };
  new AlertSender({
    run: sending,
    attempt: (delivery) => attempt(delivery, settings),
    log,
  });
  startDetecting({ run: detection, log });
}
