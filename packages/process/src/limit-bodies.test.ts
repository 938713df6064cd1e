import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type BodyLimits, withLimitedBodies } from './limit-bodies.ts';

const LIMITS: BodyLimits = { bodyBytes: 1_000, unfinishedBytes: 2_500, arrivalMs: 60_000 };
let server: Server;
/** The bodies that reached the listener. */
let reached: string[];

async function listen(change: Partial<BodyLimits> = {}): Promise<void> {
  reached = [];
  const listener = withLimitedBodies(
    async (incoming, outgoing) => {
      reached.push(await text(incoming));
      outgoing.end('done');
    },
    { ...LIMITS, ...change },
  );
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
}
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A POST whose length is not announced. */
function post(headers: Record<string, string> = {}, path = '/') {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers, path });
  const answer = once(sent, 'response').then(async ([response]: IncomingMessage[]) => ({
    status: response?.statusCode,
    body: response === undefined ? '' : await text(response),
  }));
  return { sent, answer };
}

describe('a body', () => {
  it('reaches the listener whole, however it was cut up, on one connection after another', async () => {
    await listen();
    for (const length of [0, 1, 1_000]) {
      const { sent, answer } = post();
      for (let n = 0; n < length; n += 100) sent.write('x'.repeat(Math.min(100, length - n)));
      sent.end();
      expect(await answer).toEqual({ status: 200, body: 'done' });
    }
    expect(reached.map(({ length }) => length)).toEqual([0, 1, 1_000]);
  });

  it.each([
    ['of an announced length', { 'content-length': '1001' }],
    ['of unknown length', {}],
  ])('over the limit is answered 413, %s, and reaches no listener', async (_, headers) => {
    await listen();
    const { sent, answer } = post(headers as Record<string, string>);
    sent.end('x'.repeat(1_001));
    expect(await answer).toEqual({ status: 413, body: 'A form may have at most 1 MB.\n' });
    expect(reached).toEqual([]);
  });

  it('over the limit is answered in JSON below the address for programs', async () => {
    await listen();
    const { sent, answer } = post({}, '/api/manage/apply?dryRun=1');
    sent.end('x'.repeat(1_001));
    const { status, body } = await answer;
    expect({ status, ...JSON.parse(body) }).toEqual({
      status: 413,
      error: 'payload_too_large',
      message: 'A request may have at most 1 MB.',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('over the limit is answered while more of it would come', async () => {
    await listen();
    const { sent, answer } = post();
    sent.write('x'.repeat(1_001));
    expect(await answer).toMatchObject({ status: 413 });
    sent.destroy();
  });

  it('that does not end in time is answered 408, and reaches no listener', async () => {
    await listen({ arrivalMs: 20 });
    const { sent, answer } = post();
    sent.write('x');
    expect(await answer).toMatchObject({ status: 408 });
    expect(reached).toEqual([]);
    sent.destroy();
  });

  it('is counted together with those of other connections: the largest unfinished one ends', async () => {
    await listen();
    const large = [post(), post(), post()];
    for (const { sent } of large) sent.write('x'.repeat(900));
    const refused = await Promise.race(large.map(({ answer }) => answer));
    expect(refused.status).toBe(503);
    const small = post();
    small.sent.end('x'.repeat(100));
    expect(await small.answer).toEqual({ status: 200, body: 'done' });
    expect(reached).toEqual(['x'.repeat(100)]);
    for (const { sent } of large) sent.on('error', () => {}).destroy();
  });

  it('that its client abandons is forgotten', async () => {
    await listen();
    for (let n = 0; n < 10; n += 1) {
      const connected = once(server, 'connection');
      const { sent, answer } = post();
      answer.catch(() => {});
      await new Promise((resolve) => sent.write('x'.repeat(900), resolve));
      const [socket] = await connected;
      const closed = new Promise((resolve) => socket.on('close', resolve));
      sent.on('error', () => {}).destroy();
      await closed;
    }
    const { sent, answer } = post();
    sent.end('x'.repeat(1_000));
    expect(await answer).toMatchObject({ status: 200 });
  });
});
