import 'server-only';
import { env } from '../../env.ts';
import { withAlertDatabase, withDetectionDatabase } from '../database.ts';
import { log } from '../log.ts';
import { configuredMailer } from '../mail.ts';
import { attempt } from './attempt.ts';
import { AlertSender, startDetecting } from './worker.ts';

/** The whole attempt, in ms; the claim of a delivery lasts longer. */
const WEBHOOK_MS = 15_000;
const MAIL_MS = 45_000;

/** Starts to detect and to send alerts, until the process ends. */
export function startAlerts(): void {
  const { webhookNetworks, publicOrigin } = env();
  const options = {
    mailer: configuredMailer(),
    allowedNetworks: webhookNetworks,
    consoleUrl: publicOrigin,
    timeoutMs: WEBHOOK_MS,
    mailMs: MAIL_MS,
    random: Math.random,
    now: () => new Date(),
  };
  new AlertSender({
    run: withAlertDatabase,
    attempt: (delivery) => attempt(delivery, options),
    log,
  });
  startDetecting({ run: withDetectionDatabase, log });
}
