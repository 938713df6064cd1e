import {
  DENIAL_REASONS,
  HOST_ERROR_FOR_DENIAL,
  HTTP_STATUS_FOR_DENIAL,
} from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import {
  ceibaErrorCodeForDenial,
  httpStatusForDenial,
  httpStatusForRuntimeTransport,
  RuntimeTransportError,
} from './errors.ts';

describe('the denial table', () => {
  it.each(DENIAL_REASONS)('maps %s as the contract does', (reason) => {
    expect(httpStatusForDenial(reason)).toBe(HTTP_STATUS_FOR_DENIAL[reason]);
    expect(ceibaErrorCodeForDenial(reason)).toBe(HOST_ERROR_FOR_DENIAL[reason]);
  });

  it.each(['', 'suspended_api_key', 'toString', '__proto__', 'constructor'])(
    'denies with 403 for the unknown reason %j',
    (reason) => {
      expect(httpStatusForDenial(reason)).toBe(403);
      expect(ceibaErrorCodeForDenial(reason)).toBe('service_forbidden');
    },
  );
});

describe('the transport table', () => {
  it.each([
    [null, 503],
    [401, 503],
    [403, 503],
    [400, 502],
    [500, 500],
    [502, 502],
    [503, 503],
    [504, 504],
    [599, 599],
    [200, 502],
    [204, 502],
    [302, 502],
    [404, 502],
    [409, 502],
    [413, 502],
    [415, 502],
    [429, 502],
    [600, 600],
    [999, 999],
  ])('maps the Runtime status %j to %j', (status, hostStatus) => {
    expect(httpStatusForRuntimeTransport(status)).toBe(hostStatus);
  });

  it('never maps an answer to a status below 500', () => {
    for (let status = 0; status < 1_000; status += 1) {
      expect(httpStatusForRuntimeTransport(status)).toBeGreaterThanOrEqual(500);
    }
  });
});

describe('RuntimeTransportError', () => {
  it('carries status and body', () => {
    const body = { error: 'conflict', message: 'No.', requestId: 'r' };
    const error = new RuntimeTransportError('error_status', 'x', { status: 409, body });
    expect(error).toMatchObject({ name: 'RuntimeTransportError', status: 409, body });
    expect(error).toBeInstanceOf(Error);
  });

  it('recognises an error of another copy of the package, and no other value', () => {
    const brand = Symbol.for('ceiba.RuntimeTransportError');
    expect(RuntimeTransportError.is({ [brand]: true })).toBe(true);
    for (const other of [null, undefined, 'text', new Error('x'), {}]) {
      expect(RuntimeTransportError.is(other)).toBe(false);
    }
  });
});
