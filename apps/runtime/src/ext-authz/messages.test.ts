import { fileURLToPath } from 'node:url';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';
import { describe, expect, it } from 'vitest';
import { unauthorized } from '../errors.ts';
import { answerToDecision, noVerdict } from '../gateways/answer.ts';
import { GatewayMistake } from '../gateways/cost.ts';
import { type CheckRequest, checkResponseOf, readCheckRequest } from './messages.ts';

const file = fileURLToPath(new URL('./ext-authz.proto', import.meta.url));
const service = loadSync(file, { keepCase: true, defaults: true })[
  'envoy.service.auth.v3.Authorization'
] as unknown as { Check: MethodDefinition<CheckRequest, object> };

/** A field of wire type 2 (protobuf, "Encoding"): its number, its length, its bytes. */
const field = (number: number, content: string | Buffer) => {
  const bytes = Buffer.from(content);
  if (number > 15 || bytes.length > 127) throw new Error('one byte each');
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
};
const request = (...http: Buffer[]) =>
  field(1, Buffer.concat([field(1, 'a peer'), field(4, field(2, Buffer.concat(http)))]));
const read = (bytes: Buffer) => readCheckRequest(service.Check.requestDeserialize(bytes));

describe('the messages', () => {
  it('have the name and the field numbers of the published API', () => {
    const header = Buffer.concat([field(1, 'x-api-key'), field(2, 'k')]);
    const known = [field(2, 'PUT'), field(3, header), field(4, '/v1/reports?a=b')];
    const others = [field(1, 'id'), field(5, 'host'), field(11, 'body')];
    expect(service.Check.path).toBe('/envoy.service.auth.v3.Authorization/Check');
    expect(read(request(...known, ...others))).toEqual({
      original: { kind: 'clear', request: { method: 'PUT', target: '/v1/reports?a=b' } },
      rawHeaders: ['x-api-key', 'k'],
    });
    const response = checkResponseOf(
      noVerdict(unauthorized(), '', { report() {}, reportGatewayMistake() {} }),
      {
        rawHeaders: [],
      },
    );
    const bytes = service.Check.responseSerialize(response);
    // status (1) with code (1) 14; denied_response (2) with status (1) with code (1) 503.
    expect(bytes.subarray(0, 4)).toEqual(Buffer.from([0x0a, 2, 0x08, 14]));
    expect(bytes[4]).toBe(0x12);
    expect(bytes.includes(Buffer.from([0x0a, 3, 0x08, 0xf7, 0x03]))).toBe(true);
  });

  it('keep raw headers apart, so that a repeated one is seen', () => {
    const raw = (value: string) =>
      field(1, Buffer.concat([field(1, 'x-api-key'), field(3, Buffer.from(value, 'latin1'))]));
    const map = field(13, Buffer.concat([raw('one'), raw('tw\u00f6')]));
    expect(read(request(field(2, 'GET'), field(4, '/'), map)).rawHeaders).toEqual([
      'x-api-key',
      'one',
      'x-api-key',
      'tw\u00f6',
    ]);
  });

  it('have the cost that the route of Envoy says, and no header for it', () => {
    const asked = field(2, Buffer.concat([field(2, 'GET'), field(4, '/')]));
    const header = Buffer.concat([field(1, 'cost'), field(2, '1')]);
    const withHeader = field(2, Buffer.concat([field(2, 'GET'), field(3, header), field(4, '/')]));
    const extension = (value: string) =>
      field(10, Buffer.concat([field(1, 'cost'), field(2, value)]));
    const costOf = (...parts: Buffer[]) => read(field(1, Buffer.concat(parts))).cost;
    expect(costOf(field(4, asked))).toBeUndefined();
    expect(costOf(field(4, withHeader))).toBeUndefined();
    expect(costOf(field(4, withHeader), extension('25'))).toBe(25);
    expect(costOf(field(4, asked), extension('a lot'))).toBeInstanceOf(GatewayMistake);
    expect(costOf(field(4, asked), extension(''))).toBeInstanceOf(GatewayMistake);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no request', field(1, '')],
    ['a request that is not HTTP', field(1, field(4, ''))],
    ['no method', request(field(4, '/v1/reports'))],
    ['no valid method', request(field(2, 'GET /'), field(4, '/v1/reports'))],
    ['no path', request(field(2, 'GET'))],
    ['no path but a host', request(field(2, 'CONNECT'), field(4, 'host:80'))],
  ])('name no request where they have %s', (_, bytes) => {
    expect(read(bytes).original.kind).toBe('unclear');
  });
});

describe('the response', () => {
  const id = '0190a0b0-0000-7000-8000-000000000000';
  const allow = answerToDecision(id, {
    allowed: true,
    decisionId: id,
    access: {
      projectId: id,
      apiKey: { apiKeyId: id, displayName: 'Näme\r\n', keyPrefix: 'ceiba_x' },
      customer: { customerId: id, externalId: 'Müller & Söhne\r\n/ 50 %\u{1f333}', plan: null },
      policy: { policyId: id, method: 'GET', pathPattern: '/*' },
      plan: { planId: id, name: 'Pro' },
    },
    limits: {
      rateLimitPerMinute: 1,
      monthlyQuota: 1,
      remainingThisMinute: 0,
      remainingThisMonth: 0,
    },
    resetAfterSeconds: { minute: 1, month: 1 },
  });

  it('removes every identity header that the caller sent and Ceiba does not set', () => {
    const claims = [
      'x-ceiba-key-id',
      'X_Ceiba_Key_Id',
      'X.Ceiba.Key.Id',
      'x-ceiba-denial-reason',
      'x-ceiba',
      'x-other',
    ];
    const response = checkResponseOf(allow, {
      rawHeaders: claims.flatMap((name) => [name, 'evil']),
    });
    expect(response.ok_response?.headers_to_remove).toEqual([
      'X_Ceiba_Key_Id',
      'X.Ceiba.Key.Id',
      'x-ceiba-denial-reason',
      'x-ceiba',
    ]);
    expect(response.ok_response?.headers).toContainEqual({
      header: { key: 'x-ceiba-key-id', value: id },
      append_action: 2,
    });
  });

  it('has the external ID of the customer percent-encoded, so that any text survives', () => {
    expect(decodeURIComponent(allow.headers['x-ceiba-customer-external-id'] ?? '')).toBe(
      'Müller & Söhne\r\n/ 50 %\u{1f333}',
    );
  });

  it('has only values that are safe in a header', () => {
    expect(Object.values(allow.headers).filter((value) => !/^[\x20-\x7e]+$/.test(value))).toEqual(
      [],
    );
  });
});
