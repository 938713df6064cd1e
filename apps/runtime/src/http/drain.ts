import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { StopTimes } from '../stop-times.ts';

/** A connection without a request for this long counts as idle, in ms. */
const QUIET_MS = 300;
const CHECK_MS = 50;

/**
 * Prepares a server to stop without losing a request that arrived over one of its connections.
 *
 * @returns a function that stops the server and resolves when every connection is closed. Each
 *   further answer is the last of its connection (`Connection: close`). After the delay, which gives
 *   load balancers time to notice, the server accepts no connection, and closes idle ones. Node's own
 *   `server.close()` would close them at once, even with an unread request in the socket.
 */
export function createDrain(server: Server): (times: StopTimes) => Promise<void> {
  const unused = watchUnused(server);
  return async ({ delayMs, drainMs }) => {
    if (!server.listening) return;
    let lastRequestAt = performance.now();
    server.prependListener('request', (_, reply) => {
      lastRequestAt = performance.now();
      reply.setHeader('connection', 'close');
    });
    await pause(delayMs);
    await turn(); // accepts the connections that the system has queued
    const closed = once(server, 'close');
    NetServer.prototype.close.call(server);
    // After the sockets were read: otherwise a late timer looks like an idle connection.
    const checkQuiet = () =>
      setImmediate(() => {
        if (performance.now() - lastRequestAt < QUIET_MS) return;
        server.closeIdleConnections();
        for (const socket of unused) socket.destroy();
      });
    const checks = setInterval(checkQuiet, CHECK_MS);
    const rest = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearInterval(checks);
    clearTimeout(rest);
  };
}

/** Connections that never had a request, as load balancers keep them; Node does not count them as idle. */
function watchUnused(server: Server): Set<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return unused;
}
