/** The console's memory belongs to all its users: what strangers send to it must not fill it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitBodies } from '@ceiba/process/limit-bodies';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../support/until.ts';

const MB = 1_000_000;
limitBodies();

let server: Server;
/** What the server kept of bodies, as Next.js keeps it for its proxy, in bytes. */
let kept = 0;
beforeEach(async () => {
  kept = 0;
  server = createServer((incoming, outgoing) => {
    incoming.on('data', (chunk: Buffer) => {
      kept += chunk.length;
    });
    incoming.on('end', () => outgoing.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A POST of unknown length, and the status of its answer; null where its connection was cut. */
function post() {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', method: 'POST', agent: false });
  const status = once(sent, 'response').then(
    ([response]: IncomingMessage[]) => {
      response?.resume();
      return response?.statusCode ?? null;
    },
    () => null,
  );
  sent.on('error', () => {});
  return { sent, status };
}

async function sendForm(): Promise<number | null> {
  const { sent, status } = post();
  sent.end('email=ana%40example.com');
  return status;
}

it('keeps no byte of 80 bodies that are too long, and takes the form of a neighbour', async () => {
  const attackers = Array.from({ length: 80 }, post);
  for (const { sent } of attackers) {
    for (let n = 0; n < 2; n += 1) sent.write(Buffer.alloc(MB));
    sent.end();
  }
  const statuses = await Promise.all(attackers.map(({ status }) => status));
  expect(statuses.filter((status) => status !== 413 && status !== null)).toEqual([]);
  expect(kept).toBe(0);
  expect(await sendForm()).toBe(200);
});

it('ends the largest of the bodies that never end, and takes the form of a neighbour', async () => {
  const attackers = Array.from({ length: 40 }, post);
  const ended: (number | null)[] = [];
  for (const { sent, status } of attackers) {
    sent.write(Buffer.alloc(MB));
    void status.then((is) => ended.push(is));
  }
  // 33 of them fit into the 32 MiB of all.
  await until('the others ended', () => ended.length >= 7);
  expect(await sendForm()).toBe(200);
  expect(ended.length).toBeLessThan(40);
  expect(ended.filter((status) => status !== 503 && status !== null)).toEqual([]);
  for (const { sent } of attackers) sent.destroy();
});
