import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** A caller that keeps a connection sends its next request within this time, in ms, or later. */
const QUIET_MS = 300;
const CHECK_MS = 50;
/** How long requests under way may take once it stops, in ms; all that are served take less. */
const LONGEST_DRAIN_MS = 3_000;

/**
 * Prepares a server to be stopped with no request lost that came over one of its connections.
 *
 * @returns resolves once every connection is closed. From then on each answer is the last of its
 *   connection, so that callers leave by themselves. After the delay, for load balancers that have
 *   yet to notice, no connection is accepted any more, and those that nobody uses are closed.
 *   Node's own `server.close()` closes them at once: also those whose next request lies unread in
 *   the socket. What has sent half a request after some seconds will not send the rest.
 */
export function createDrain(server: Server): (delayMs: number) => Promise<void> {
  const unused = watchUnused(server);
  return async (delayMs) => {
    if (!server.listening) return;
    let lastRequestAt = performance.now();
    server.prependListener('request', (_, reply) => {
      lastRequestAt = performance.now();
      reply.setHeader('connection', 'close');
    });
    await pause(delayMs);
    await turn(); // takes what the system has accepted so far
    const closed = once(server, 'close');
    NetServer.prototype.close.call(server);
    // After the sockets were read: a late timer must not pass for a quiet caller.
    const checkQuiet = () =>
      setImmediate(() => {
        if (performance.now() - lastRequestAt < QUIET_MS) return;
        server.closeIdleConnections();
        for (const socket of unused) socket.destroy();
      });
    const checks = setInterval(checkQuiet, CHECK_MS);
    const rest = setTimeout(() => server.closeAllConnections(), LONGEST_DRAIN_MS);
    await closed;
    clearInterval(checks);
    clearTimeout(rest);
  };
}

/** Connections without a request so far, as load balancers keep them; to Node those are not idle. */
function watchUnused(server: Server): Set<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return unused;
}
