import type { StreamedEntry } from '@ceiba/schema';
import { parseNetworks } from '../networks.ts';
import { postWebhook } from '../post-webhook.ts';
import { webhookHeaders } from '../sign.ts';
import type { AuditDestination } from './stream.ts';

export interface AuditWebhook {
  url: string;
  /** The current one first; another while receivers still verify by it. */
  signingSecrets: readonly Buffer[];
}

const TIMEOUT_MS = 15_000;
/** The operator chose the address, so that it may be any, unlike those of users. */
const EVERY_NETWORK = parseNetworks('0.0.0.0/0,::/0') ?? [];

/** Sends each entry as a webhook of its own, signed as those of alerts are. */
export const auditWebhook = ({ url, signingSecrets }: AuditWebhook): AuditDestination => ({
  name: 'webhook',
  perRequest: 1,
  async send(entries) {
    for (const entry of entries) {
      const body = bodyOf(entry);
      const headers = webhookHeaders(
        { id: entry.deliveryId, at: new Date(), body },
        signingSecrets,
      );
      const status = await postWebhook(
        { url, headers, body },
        { allowedNetworks: EVERY_NETWORK, timeoutMs: TIMEOUT_MS },
      );
      if (status < 200 || status > 299) throw new Error(`the receiver answered ${status}`);
    }
  },
});

function bodyOf({ outboxId, deliveryId, ...data }: StreamedEntry): string {
  return JSON.stringify({ type: 'audit.entry', timestamp: data.at.toISOString(), data });
}
