import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import {
  authorizeRequestSchema,
  createApiKeyRequestSchema,
  updateApiKeyRequestSchema,
} from '@ceiba/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TransportError } from '../errors.ts';
import { parseBody, type ReadBody, readArrivedBody, readJsonBody } from './body.ts';

const CAP = 1_024;
const JSON_TYPE = { 'content-type': 'application/json' };

const WAYS = {
  'while it arrives': (incoming: IncomingMessage) => readJsonBody(incoming, CAP),
  async 'once it has arrived'(incoming: IncomingMessage) {
    while (!incoming.complete) await turn();
    return readArrivedBody(incoming, CAP) ?? Promise.reject(new Error('it has not arrived'));
  },
};
let way: keyof typeof WAYS = 'while it arrives';

/** Reads what is sent to it as the Runtime does. */
const server = createServer((incoming, outgoing) => {
  void WAYS[way](incoming).then(
    (body) => outgoing.end(JSON.stringify(summaryOf(body))),
    (error: unknown) => outgoing.end(JSON.stringify({ kind: 'rejected', message: String(error) })),
  );
});
const summaryOf = (body: ReadBody) =>
  body.kind === 'refused' ? { kind: body.kind, code: body.error.code } : body;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends the chunks, each by itself, and returns what the server read. */
async function read(
  chunks: (string | Buffer)[],
  headers: Record<string, string> = JSON_TYPE,
): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ port, host: '127.0.0.1', method: 'POST', headers });
  outgoing.on('error', () => {});
  for (const chunk of chunks) outgoing.write(chunk);
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of answer) text += part;
  return JSON.parse(text);
}

const eachWay = Object.keys(WAYS) as (keyof typeof WAYS)[];

describe.each(eachWay)('reading a body %s', (each) => {
  beforeAll(() => {
    way = each;
  });

  it('parses JSON, even from chunks that split a character', async () => {
    const bytes = Buffer.from('{"displayName":"Zoë"}');
    const cut = bytes.length - 3;
    expect(await read([bytes])).toEqual({ kind: 'json', value: { displayName: 'Zoë' } });
    expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual({
      kind: 'json',
      value: { displayName: 'Zoë' },
    });
  });

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    ' application/json ;',
  ])('takes the content type %s', async (type) => {
    expect(await read(['{}'], { 'content-type': type })).toEqual({ kind: 'json', value: {} });
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
    'text/json',
    'application/json, application/json',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json; charset=utf-16',
  ])('refuses the content type %s', async (type) => {
    expect(await read(['{}'], { 'content-type': type })).toEqual({
      kind: 'refused',
      code: 'unsupported_media_type',
    });
  });

  it('refuses a body without a content type, and accepts an empty one without it', async () => {
    expect(await read(['{}'], {})).toEqual({ kind: 'refused', code: 'unsupported_media_type' });
    expect(await read([], { 'content-length': '0' })).toEqual({ kind: 'empty' });
  });

  it.each([
    ['nothing at all', ''],
    ['half an object', '{"a":1'],
    ['a comment', '{/* */}'],
    ['a trailing comma', '{"a":1,}'],
    ['two objects', '{}{}'],
    ['NaN', 'NaN'],
    ['undefined', 'undefined'],
    ['a single quote', "{'a':1}"],
    ['a form', 'a=1'],
    ['a raw NUL', '{"a":"\u0000"}'],
    ['a byte order mark', '\ufeff{}'],
  ])('refuses %s as malformed', async (_what, text) => {
    expect(await read([text])).toEqual({ kind: 'refused', code: 'invalid_request' });
  });

  it('refuses bytes that are not UTF-8 instead of replacing them', async () => {
    expect(await read([Buffer.from([0x22, 0xc3, 0x28, 0x22])])).toEqual({
      kind: 'refused',
      code: 'invalid_request',
    });
    expect(await read([Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])])).toEqual({
      kind: 'refused',
      code: 'invalid_request',
    });
  });
});

describe.each(eachWay)('the cap of a body that is read %s', (each) => {
  beforeAll(() => {
    way = each;
  });

  const bodyOf = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;

  it('accepts a body of exactly its size', async () => {
    expect(await read([bodyOf(CAP)])).toMatchObject({ kind: 'json' });
  });

  it('refuses one byte more, declared or sent in chunks', async () => {
    const tooLarge = { kind: 'refused', code: 'payload_too_large' };
    const text = bodyOf(CAP + 1);
    expect(await read([text], { ...JSON_TYPE, 'content-length': String(CAP + 1) })).toEqual(
      tooLarge,
    );
    expect(await read([text.slice(0, 600), text.slice(600)])).toEqual(tooLarge);
  });

  it('counts bytes, not characters', async () => {
    expect(await read([`"${'é'.repeat(CAP / 2)}"`])).toEqual({
      kind: 'refused',
      code: 'payload_too_large',
    });
  });

  it('is checked before the content type', async () => {
    expect(await read([bodyOf(CAP + 1)], { 'content-type': 'text/plain' })).toEqual({
      kind: 'refused',
      code: 'payload_too_large',
    });
  });
});

describe('a body that has not arrived', () => {
  it('is not taken for an empty one', async () => {
    const early = createServer((incoming, outgoing) => {
      outgoing.end(String(readArrivedBody(incoming, CAP)));
      incoming.resume();
    });
    await once(early.listen(0, '127.0.0.1'), 'listening');
    const { port } = early.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' });
    expect(await reply.text()).toBe('null');
    early.closeAllConnections();
    early.close();
  });
});

describe('the error of an invalid body', () => {
  const messageOf = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      if (error instanceof TransportError && error.code === 'invalid_request') return error.message;
      throw error;
    }
    return '';
  };
  const json = (value: unknown): ReadBody => ({ kind: 'json', value });

  it.each([
    [{}, '"displayName" is required.'],
    [{ displayName: null }, '"displayName" must be a string.'],
    [{ displayName: 7 }, '"displayName" must be a string.'],
    [{ displayName: ' ' }, '"displayName" must not be empty.'],
    [{ displayName: 'a', color: 'red' }, '"color" is not a known field.'],
    [[], 'The body must be an object.'],
    [null, 'The body must be an object.'],
    ['x', 'The body must be an object.'],
    [42, 'The body must be an object.'],
    [true, 'The body must be an object.'],
    [{ displayName: 'a', constructor: 1 }, '"constructor" is not a known field.'],
    [{ displayName: 'a', '': 1 }, '"" is not a known field.'],
    [{ displayName: 'a', déjà: 1 }, '"d?j?" is not a known field.'],
  ])('names the field: %j is answered with %s', (value, message) => {
    expect(messageOf(() => parseBody(createApiKeyRequestSchema, json(value)))).toBe(message);
  });

  it('says what an expiry has to look like', () => {
    expect(messageOf(() => parseBody(updateApiKeyRequestSchema, json({ expiresAt: 'soon' })))).toBe(
      '"expiresAt" must be an RFC 3339 date-time with Z or an offset, such as 2027-01-31T12:00:00Z.',
    );
  });

  it('shows the name of an unknown field shortened, printable and without credentials', () => {
    const message = (field: string) =>
      messageOf(() => parseBody(createApiKeyRequestSchema, json({ displayName: 'a', [field]: 1 })));
    expect(message('x'.repeat(5_000)).length).toBeLessThan(120);
    expect(message('a"\u0000\n<é')).toBe(`"a'??<?" is not a known field.`);
    expect(message(`ceiba_secret_${'a1B2'.repeat(12)}z`)).not.toContain('a1B2');
  });

  it('treats __proto__ like any other unknown field', () => {
    const value: unknown = JSON.parse('{"displayName":"a","__proto__":{"isAdministrator":true}}');
    expect(messageOf(() => parseBody(createApiKeyRequestSchema, json(value)))).toBe(
      '"__proto__" is not a known field.',
    );
  });

  it('says that a body is required', () => {
    expect(messageOf(() => parseBody(createApiKeyRequestSchema, { kind: 'empty' }))).toBe(
      'The body must be a JSON object.',
    );
  });

  it('does not occur for unknown fields of authorize, so that an older Runtime serves a newer host', () => {
    expect(
      parseBody(authorizeRequestSchema, json({ apiKey: 'k', method: 'GET', path: '/', trace: 1 })),
    ).toEqual({ apiKey: 'k', method: 'GET', path: '/' });
  });
});
