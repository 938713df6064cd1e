import { createHmac } from 'node:crypto';

/**
 * The headers of Standard Webhooks. With two secrets, as after a rotation, receivers find one
 * signature by each.
 *
 * @param secrets The current one first.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders(
  { id, at, body }: { id: string; at: Date; body: string },
  secrets: readonly Buffer[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`);
    return `v1,${digest.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

const BRAND = 'whsec_';

/** A signing secret as its user stores it. */
export const signingSecretText = (secret: Buffer): string => `${BRAND}${secret.toString('base64')}`;
