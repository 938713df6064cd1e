import { createHmac } from 'node:crypto';

/**
 * The headers of a webhook, with those of Standard Webhooks. With two secrets, as after a rotation,
 * receivers find one signature by each.
 *
 * @param secrets The current one first.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function webhookHeaders(
  { id, at, body }: { id: string; at: Date; body: string },
  secrets: readonly Buffer[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`);
    return `v1,${digest.digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'user-agent': 'Ceiba-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

const BRAND = 'whsec_';

/** A signing secret as its user stores it. */
export const signingSecretText = (secret: Buffer): string => `${BRAND}${secret.toString('base64')}`;

/** A signing secret from what its user stores. @returns null unless it has at least 24 bytes */
export function parseSigningSecret(text: string): Buffer | null {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (encoded === undefined) return null;
  const secret = Buffer.from(encoded, 'base64');
  return secret.length < SECRET_BYTES_MIN ? null : secret;
}

/** As Standard Webhooks asks for. */
const SECRET_BYTES_MIN = 24;
