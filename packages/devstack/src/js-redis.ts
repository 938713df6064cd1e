/**
 * A Redis in JavaScript for machines without one: `node --import tsx js-redis.ts <port>`. It stores nothing on
 * disk, and is for a first try, not for production or benchmarks.
 */
import { Server, type Socket } from 'node:net';

import { createRedisServer } from 'js-redis-server';

import { loopback } from './settings.ts';

// The package listens on all interfaces, and has no option to change that.
const listen = Server.prototype.listen;
Server.prototype.listen = function listenOnLoopback(this: Server, port: number) {
  return listen.call(this, { port, host: loopback });
} as typeof listen;

const port = Number(process.argv[2]);
const redis = await createRedisServer({ port, compatibility: 'redis-7.0' });
// With Nagle's algorithm, a reply in two writes waits 40 ms for the client's delayed acknowledgement.
Reflect.get(redis.server, 'server').on('connection', (socket: Socket) => socket.setNoDelay(true));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
