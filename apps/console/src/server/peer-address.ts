import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The request header with the IP address of the connection's peer. Handlers only see headers. */
export const PEER_ADDRESS_HEADER = 'x-ceiba-peer-address';

/**
 * Sets that header on every request before a handler sees it, and overwrites what the client sent
 * under its name. Without it, a handler would have to trust X-Forwarded-For, which a client can forge.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html#http
 */
export function recordPeerAddresses(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    request.headers[PEER_ADDRESS_HEADER] = socket.remoteAddress ?? '';
  });
}
