import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createNodeTransport } from './node-transport.ts';

/** How long a connection may be idle after an answer with this header, in ms. */
async function idleMsAfter(announced: string | undefined): Promise<number> {
  const server = createServer((_req, res) => {
    res.setHeader('Connection', 'keep-alive');
    if (announced !== undefined) res.setHeader('Keep-Alive', announced);
    res.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const onSocket = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', onSocket);
  const transport = createNodeTransport(`http://127.0.0.1:${port}`, {});
  const exchange = { method: 'GET', path: '/', body: undefined, timeoutMs: 5_000 } as const;
  const send = () => transport.send({ ...exchange, maxResponseBytes: 10, signal: undefined });
  try {
    await send();
    await send();
    expect(sockets).toHaveLength(1);
    return sockets[0]?.timeout ?? 0;
  } finally {
    unsubscribe('net.client.socket', onSocket);
    transport.close();
    server.close();
  }
}

it.each([
  ['timeout=65', 60_000],
  ['timeout=30, max=100', 29_000],
  ['max=100, timeout=10', 9_000],
  ['max=100', 4_000],
  ['', 4_000],
  [undefined, 4_000],
])('keeps an idle connection a second less than its server announces: %j', async (header, ms) => {
  expect(await idleMsAfter(header)).toBe(ms);
});
