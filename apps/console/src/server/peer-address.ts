import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** @see https://nodejs.org/api/diagnostics_channel.html#http */
const REQUEST_STARTS = 'http.server.request.start';

/** The request header with the IP address of the connection's peer. Handlers only see headers. */
export const PEER_ADDRESS_HEADER = 'x-ceiba-peer-address';

/**
 * Sets that header on every request before a handler sees it, and overwrites what the client sent
 * under its name. Without it, a handler would have to trust X-Forwarded-For, which a client can forge.
 */
export function recordPeerAddresses(): void {
  subscribe(REQUEST_STARTS, (message) => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    request.headers[PEER_ADDRESS_HEADER] = socket.remoteAddress ?? '';
  });
}

/**
 * Calls back once, at the first request with X-Forwarded-For: a proxy seems to be in front. A handler
 * cannot know, because Next.js adds the header itself.
 */
export function onFirstForwarded(callback: () => void): void {
  const listen = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    if (request.headers['x-forwarded-for'] === undefined) return;
    unsubscribe(REQUEST_STARTS, listen);
    callback();
  };
  subscribe(REQUEST_STARTS, listen);
}
