/**
 * A Redis in JavaScript for machines without one: `node js-redis.mjs <port>`. It stores nothing on
 * disk, and is for a first try, not for production or benchmarks.
 */
import { Server } from 'node:net';

import { createRedisServer } from 'js-redis-server';

import { loopback } from './settings.mjs';

// The package listens on all interfaces, and has no option to change that.
const listen = Server.prototype.listen;
Server.prototype.listen = /** @type {typeof listen} */ (
  /** @this {Server} @param {number} port */
  function listenOnLoopback(port) {
    return listen.call(this, { port, host: loopback });
  }
);

const port = Number(process.argv[2]);
const redis = await createRedisServer({ port, compatibility: 'redis-7.0' });
// With Nagle's algorithm, a reply in two writes waits 40 ms for the client's delayed acknowledgement.
Reflect.get(redis.server, 'server').on(
  'connection',
  (/** @type {import('node:net').Socket} */ socket) => socket.setNoDelay(true),
);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
