import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { jsonReply, send } from './replies.ts';

it('an answer arrives whole, whatever characters it has', async () => {
  const body = { displayName: 'Grüße 💥' };
  const server = createServer((_, outgoing) => send(outgoing, jsonReply(200, body, 'id')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } });
    expect(await reply.json()).toEqual(body);
  } finally {
    server.close();
  }
});
