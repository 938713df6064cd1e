import { createFetchTransport } from './http/fetch-transport.ts';
import type { BaseHeaders, Transport } from './http/transport.ts';

/** Sends through the global `fetch`, which is looked up at each call. */
export function createDefaultTransport(baseUrl: string, headers: BaseHeaders): Transport {
  return createFetchTransport(baseUrl, headers, (url, init) => fetch(url, init));
}

/** Cloudflare's workerd cancels a request that waits for the exchange of another one. */
export const CAN_SHARE_EXCHANGES = false;

/** Nothing waits, so nothing leaves in the context of another request. */
export const keepContext = () => (work: () => void) => work();
