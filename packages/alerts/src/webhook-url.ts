import { isIP } from 'node:net';
import { ALERT_URL_LENGTH_MAX } from '@ceiba/domain';
import { isInNetworks, isPublicAddress, type Network } from './networks.ts';

/**
 * What is wrong with the URL of a webhook, to complete "the address …"; null if nothing is. The
 * addresses of a name are judged when a request is sent (`post-webhook.ts`).
 */
export function problemOfUrl(text: string, allowed: readonly Network[]): string | null {
  if (text.length > ALERT_URL_LENGTH_MAX) {
    return `must be at most ${ALERT_URL_LENGTH_MAX} characters`;
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return 'must be a URL such as https://example.com/webhooks';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user or password: receivers verify the signature instead';
  }
  if (url.hash !== '') return 'must not contain a fragment (#…), which is never sent';
  if (url.protocol === 'http:' && allowed.length === 0) return 'must begin with https://';
  const literal = literalAddressOf(url);
  if (literal !== null && !permits(url, literal, allowed)) return PRIVATE;
  if (/(^|\.)localhost\.?$/.test(url.hostname) && allowed.length === 0) return PRIVATE;
  return null;
}

const PRIVATE =
  'must not be private: use a public one, or ask your administrator to set WEBHOOK_ALLOWED_NETWORKS';

/** The IP address that a URL names instead of a host; `URL` has normalised every way to write it. */
export function literalAddressOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
}

/** Whether a webhook may connect to an address: without TLS only in an allowed network. */
export const permits = (url: URL, address: string, allowed: readonly Network[]): boolean =>
  isInNetworks(address, allowed) || (url.protocol === 'https:' && isPublicAddress(address));
