import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Carries the address of the connection's other end to the handlers, which see headers alone. */
export const PEER_ADDRESS_HEADER = 'x-ceiba-peer-address';

/**
 * Writes each connection's address into a header of its requests, over whatever the client sent
 * under that name. Node announces a request before any handler sees it. Without this, a handler
 * would have to believe X-Forwarded-For, which anyone can write.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html#http
 */
export function recordPeerAddresses(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    request.headers[PEER_ADDRESS_HEADER] = socket.remoteAddress ?? '';
  });
}
