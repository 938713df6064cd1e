import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@ceiba/process/log';
import { expect, it } from 'vitest';
import { ErrorLog } from './error-log.ts';
import { unauthorized } from './errors.ts';
import { errorReply, jsonReply, send } from './replies.ts';

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

it('a refused secret is one line for many, with the request and no secret', () => {
  const lines: unknown[][] = [];
  const log = { info: (...line: unknown[]) => void lines.push(line) } as unknown as Logger;
  const errors = new ErrorLog(log);
  for (const id of ['a', 'b', 'c']) expect(errorReply(unauthorized(), id, errors).status).toBe(401);
  expect(lines).toEqual([[{ requestId: 'a', suppressed: 0 }, 'refused a project secret']]);
});
