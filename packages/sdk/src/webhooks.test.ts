import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CeibaConfigError } from './config.ts';
import {
  createWebhookVerifier,
  type WebhookHeaders,
  type WebhookVerificationError,
} from './webhooks.ts';

const AT = new Date('2026-11-26T10:00:00.400Z');
const SECRET = Buffer.from('the secret of a receiver');
const FORMER = Buffer.from('the secret that was here');
const textOf = (bytes: Buffer) => `whsec_${bytes.toString('base64')}`;
const secret = textOf(SECRET);
const data = { project: { id: 'p', name: 'Überblick' }, threshold: 80 };
const body = JSON.stringify({ type: 'quota.threshold_reached', timestamp: AT.toISOString(), data });
const alert = { id: 'msg_1', type: 'quota.threshold_reached', timestamp: AT.toISOString(), data };

/** Signs as Standard Webhooks says; `tests/sdk/webhooks.test.ts` has what Ceiba itself sends. */
function signed(changes: { id?: string; at?: Date; body?: string } = {}, by = [SECRET]) {
  const { id, at, body: sent } = { id: 'msg_1', at: AT, body, ...changes };
  const seconds = String(Math.floor(at.getTime() / 1_000));
  const signatures = by.map((key) => {
    const digest = createHmac('sha256', key).update(`${id}.${seconds}.${sent}`).digest('base64');
    return `v1,${digest}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  };
}
const verifier = (of: string | string[] = secret, seconds = 0) =>
  createWebhookVerifier({ secret: of, now: () => AT.getTime() + seconds * 1_000 });

async function problemOf(headers: WebhookHeaders, received: unknown = body, verify = verifier()) {
  const error: WebhookVerificationError = await verify(received as string, headers).then(
    () => Promise.reject(new Error('the webhook was accepted')),
    (refused) => refused,
  );
  expect(error.name).toBe('WebhookVerificationError');
  for (const kept of [secret, secret.slice(6), 'Überblick']) {
    expect(error.message).not.toContain(kept);
  }
  return [error.problem, error.message];
}

describe('a webhook', () => {
  const bytes = new TextEncoder().encode(body);

  it.each([
    ['text', body],
    ['a Buffer', Buffer.from(body)],
    ['bytes within a larger buffer', Buffer.from(`-${body}-`).subarray(1, -1)],
    ['an ArrayBuffer', bytes.buffer.slice(0, bytes.length)],
  ])('is accepted with its body as %s', async (_kind, received) => {
    expect(await verifier()(received, signed())).toEqual(alert);
  });

  it.each([
    ['Headers', new Headers(signed())],
    ['names in other letters', { 'Webhook-Id': 'msg_1', ...upperCase(signed()) }],
    ['lists of values', Object.fromEntries(Object.entries(signed()).map(([n, v]) => [n, [v]]))],
  ])('is accepted with headers as %s', async (_kind, headers) => {
    expect(await verifier()(body, headers)).toEqual(alert);
  });

  it('is accepted by the former and the new secret while a secret is rotated', async () => {
    const headers = signed({}, [SECRET, FORMER]);
    for (const one of [SECRET, FORMER]) {
      expect(await verifier(textOf(one))(body, headers)).toEqual(alert);
    }
    const both = verifier([textOf(FORMER), secret]);
    expect(await both(body, signed())).toEqual(alert);
    const others = { ...headers, 'webhook-signature': `v1a,AAAA ${headers['webhook-signature']}` };
    expect(await verifier()(body, others)).toEqual(alert);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'without %s is refused, and the error names it',
    async (name) => {
      for (const headers of [
        { ...signed(), [name]: undefined },
        { ...signed(), [name]: '' },
      ]) {
        const [problem, message] = await problemOf(headers);
        expect(problem).toBe('missing_header');
        expect(message).toContain(`The header ${name} is missing`);
      }
    },
  );

  it.each([
    [301, 'too_old', 'signed 301 seconds in the past'],
    [-301, 'too_new', 'signed 301 seconds in the future'],
  ])('that is %i seconds old is refused as %s', async (seconds, problem, text) => {
    const refused = await problemOf(signed(), body, verifier(secret, seconds));
    expect(refused).toEqual([problem, expect.stringContaining(text)]);
    expect(await verifier(secret, seconds - Math.sign(seconds))(body, signed())).toEqual(alert);
  });

  it.each(['', 'soon', '1.5', '-1', ' 1', '1e9', '9'.repeat(13)])(
    'with the timestamp %j is refused',
    async (timestamp) => {
      const [problem] = await problemOf({ ...signed(), 'webhook-timestamp': timestamp });
      expect(['invalid_timestamp', 'missing_header']).toContain(problem);
    },
  );

  const { 'webhook-signature': signature = '' } = signed();
  const digest = signature.slice(3);
  it.each([
    ['of another secret', signed({}, [FORMER]), body],
    ['of another id', { ...signed(), 'webhook-id': 'msg_2' }, body],
    ['of another time', { ...signed(), 'webhook-timestamp': '1795687201' }, body],
    ['of a body with a space more', signed(), `${body} `],
    [
      'of the same JSON in another order',
      signed(),
      JSON.stringify({ data, type: alert.type, timestamp: alert.timestamp }),
    ],
    ['in another version', { ...signed(), 'webhook-signature': `v2,${digest}` }, body],
    ['without a version', { ...signed(), 'webhook-signature': digest }, body],
    ['that is cut', { ...signed(), 'webhook-signature': signature.slice(0, 20) }, body],
    ['that is empty', { ...signed(), 'webhook-signature': 'v1,' }, body],
    ['that is no base64', { ...signed(), 'webhook-signature': 'v1,*' }, body],
  ])('with a signature %s is refused', async (_case, headers, received) => {
    const refused = await problemOf(headers, received);
    expect(refused).toEqual(['wrong_signature', expect.stringContaining('CEIBA_WEBHOOK_SECRET')]);
  });

  it.each([{ type: 'x' }, undefined, null, 7])(
    'that was parsed as %j is refused',
    async (parsed) => {
      const verify = verifier();
      const error = await verify(parsed as never, signed()).catch((refused) => refused);
      expect([error.problem, error.message]).toEqual([
        'parsed_body',
        expect.stringContaining('express.raw()'),
      ]);
    },
  );

  it.each(['', 'no JSON', '[]', '{"type":"a","timestamp":"b"}'])(
    'with a right signature of %j is refused',
    async (received) => {
      const [problem] = await problemOf(signed({ body: received }), received);
      expect(problem).toBe('invalid_body');
    },
  );
});

describe('the verifier', () => {
  it.each([
    [undefined, 'secret (CEIBA_WEBHOOK_SECRET) is missing'],
    ['', 'is missing'],
    [[], 'is missing'],
    [[secret, undefined], 'is missing'],
    [secret.slice(6), 'must be whsec_ and base64'],
    ['whsec_', 'must be whsec_ and base64'],
    ['whsec_***', 'must be whsec_ and base64'],
    [42, 'must be whsec_ and base64'],
  ])('refuses %j as its secret', (given, problem) => {
    const create = () => createWebhookVerifier({ secret: given as string });
    expect(create).toThrow(CeibaConfigError);
    expect(create).toThrow(problem);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '300'])(
    'refuses %j as its tolerance',
    (toleranceSeconds) => {
      const create = () => createWebhookVerifier({ secret, toleranceSeconds } as never);
      expect(create).toThrow('toleranceSeconds must be a number of seconds above 0');
    },
  );
});

function upperCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([n, v]) => [n.toUpperCase(), v]));
}
