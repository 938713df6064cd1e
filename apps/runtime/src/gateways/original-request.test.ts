import { describe, expect, it } from 'vitest';
import { readOriginalRequest } from './original-request.ts';

const ORIGINAL = ['X-Original-Method', 'GET', 'X-Original-URI', '/v1/reports?page=2'];
const FORWARDED = ['X-Forwarded-Method', 'GET', 'X-Forwarded-Uri', '/v1/reports?page=2'];
const OWN = { method: 'GET', target: '/v1/reports?page=2' };
const CLEAR = { kind: 'clear', request: OWN };

const without = (headers: readonly string[], name: string) => {
  const at = headers.indexOf(name);
  return headers.filter((_, index) => index !== at && index !== at + 1);
};
const changed = (headers: readonly string[], name: string, value: string) =>
  headers.map((text, index) => (headers[index - 1] === name ? value : text));

describe('the original request', () => {
  it.each([
    ['from either family', ORIGINAL, null],
    ['from the other family', FORWARDED, null],
    ['from both families, where they agree', [...FORWARDED, ...ORIGINAL], null],
    ['from the request itself below the prefix', [], OWN],
    ['from all three, where they agree', [...FORWARDED, ...ORIGINAL], OWN],
    [
      'from names in any case',
      ORIGINAL.map((text, at) => (at % 2 ? text : text.toUpperCase())),
      null,
    ],
  ] as const)('is read %s', (_, headers, own) => {
    expect(readOriginalRequest(headers, own)).toEqual(CLEAR);
  });

  it.each([
    ['there is none', [], null, 'sent neither'],
    ['the method is missing', without(ORIGINAL, 'X-Original-Method'), null, 'without the other'],
    ['the target is missing', without(ORIGINAL, 'X-Original-URI'), null, 'without the other'],
    [
      'one family is complete and the other is not',
      [...ORIGINAL, 'X-Forwarded-Uri', OWN.target],
      null,
      'without the other',
    ],
    ['the method is repeated', [...ORIGINAL, 'x-original-method', 'GET'], null, 'twice'],
    ['the target is repeated', [...ORIGINAL, 'x-original-uri', OWN.target], null, 'twice'],
    ['a repeated target is empty', [...FORWARDED, 'x-forwarded-uri', ''], null, 'twice'],
    [
      'the families differ in the method',
      [...ORIGINAL, ...changed(FORWARDED, 'X-Forwarded-Method', 'HEAD')],
      null,
      'two requests',
    ],
    [
      'the families differ in the target',
      [...ORIGINAL, ...changed(FORWARDED, 'X-Forwarded-Uri', '/v1/reports')],
      null,
      'two requests',
    ],
    [
      'a family differs from the request itself',
      ORIGINAL,
      { ...OWN, target: '/v1/admin' },
      'two requests',
    ],
    [
      'a family differs from the method of the request itself',
      ORIGINAL,
      { ...OWN, method: 'POST' },
      'two requests',
    ],
    ['the method is empty', changed(ORIGINAL, 'X-Original-Method', ''), null, 'no method'],
    ['the method is two', changed(ORIGINAL, 'X-Original-Method', 'GET, GET'), null, 'no method'],
    ...[
      '',
      '*',
      'v1/reports',
      'http://host/v1/reports',
      'host:80',
      ' /a',
      '/a ',
      '/a, /b',
      '/a\t',
    ].map(
      (target) =>
        [
          `the target is ${JSON.stringify(target)}`,
          changed(ORIGINAL, 'X-Original-URI', target),
          null,
          'no target',
        ] as const,
    ),
    ['the request itself has no target', [], { ...OWN, target: '' }, 'no target'],
  ] as const)('is unclear where %s', (_, headers, own, problem) => {
    const reading = readOriginalRequest(headers, own);
    expect(reading).toEqual({ kind: 'unclear', problem: expect.stringContaining(problem) });
  });

  it('has a target with commas and a method in lower case as they were sent', () => {
    const headers = ['x-original-method', 'get', 'x-original-uri', '/a,/b,c'];
    expect(readOriginalRequest(headers, null)).toMatchObject({
      request: { method: 'get', target: '/a,/b,c' },
    });
  });
});
