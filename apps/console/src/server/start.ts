import { startAlerts } from '@ceiba/alerts';
import { startAuditStreams } from '@ceiba/alerts/audit-stream';
import { limitBodies } from '@ceiba/process/limit-bodies';
import { env } from '../env.ts';
import { announceSetup } from './announce-setup.ts';
import { log } from './log.ts';
import { onFirstForwarded, recordPeerAddresses } from './peer-address.ts';

const UNTRUSTED_PROXY =
  'requests have X-Forwarded-For, but TRUSTED_PROXY_HOPS is 0: behind a proxy all users share its ' +
  'address, so that a stranger can use up the sign-in attempts of an account. Set it to the number ' +
  'of proxies that append to the header. Without a proxy, leave it at 0.';

/**
 * Validates the settings, starts to limit the bodies of requests, to record the addresses of peers, to
 * detect and send alerts, and to stream the audit log where a receiver is set. Warns once where a proxy
 * seems to be in front that the settings do not name, and where there is no administrator.
 *
 * @throws an error that names every invalid setting
 */
export function start(): void {
  const { databaseUrl, mail, webhookNetworks, publicOrigin: consoleUrl, ...settings } = env();
  const shared = { databaseUrl, applicationName: 'ceiba-console', log };
  limitBodies();
  recordPeerAddresses();
  if (settings.trustedProxyHops === 0) onFirstForwarded(() => log.warn(UNTRUSTED_PROXY));
  if (settings.sendsAlerts) startAlerts({ ...shared, mail, webhookNetworks, consoleUrl });
  const { auditWebhook: webhook, auditOtlpUrl: otlpUrl } = settings;
  void startAuditStreams({ ...shared, webhook, otlpUrl });
  announceSetup();
}
