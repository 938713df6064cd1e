import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** A caller that keeps a connection sends its next request within this time, in ms, or later. */
const QUIET_MS = 300;
const CHECK_MS = 50;
/** How long requests under way may take once it stops, in ms; all that are served take less. */
const LONGEST_DRAIN_MS = 3_000;

/**
 * Resolves once every connection is closed, with no request lost that came over one.
 *
 * From now on each answer is the last of its connection, so that callers leave by themselves. After
 * the delay no connection is accepted any more, and those that nobody uses are closed. Node's own
 * `server.close()` closes them at once: also those whose next request lies unread in the socket. What
 * has sent half a request after some seconds will not send the rest.
 *
 * @param delayMs how long to go on accepting connections, for load balancers that have yet to notice
 */
export async function drain(server: Server, delayMs: number): Promise<void> {
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
      if (performance.now() - lastRequestAt >= QUIET_MS) server.closeIdleConnections();
    });
  const checks = setInterval(checkQuiet, CHECK_MS);
  const rest = setTimeout(() => server.closeAllConnections(), LONGEST_DRAIN_MS);
  await closed;
  clearInterval(checks);
  clearTimeout(rest);
}
