import { describe, expect, it } from 'vitest';
import { rawHeadersOf, readCredential, readCredentialFromHeaders } from './credential.ts';

const key = (apiKey: string) => ({ kind: 'key', apiKey });
const MISSING = { kind: 'missing' };
const CONFLICTING = { kind: 'conflicting' };

/** Headers that no framework joins or drops, with the credential that both readers must return. */
const CASES = [
  ['no header', [], MISSING],
  ['only other headers', ['Host', 'a', 'Accept', 'b', 'api-key', 'c'], MISSING],
  ['a key among other headers', ['Host', 'a', 'x-api-key', 'abc', 'Accept', 'b'], key('abc')],
  ['a Bearer credential', ['Authorization', 'Bearer abc'], key('abc')],
  ['a scheme in any case', ['authorization', 'bEaReR abc'], key('abc')],
  ['several spaces after the scheme', ['Authorization', 'Bearer   abc'], key('abc')],
  ['an x-api-key', ['X-API-Key', 'abc'], key('abc')],
  ['the same key in both headers', ['X-Api-Key', 'abc', 'Authorization', 'Bearer abc'], key('abc')],
  ['two keys', ['X-Api-Key', 'abc', 'Authorization', 'Bearer def'], CONFLICTING],
  ['an empty x-api-key', ['x-api-key', ''], MISSING],
  ['a blank x-api-key', ['x-api-key', '  '], MISSING],
  ['a scheme without a token', ['Authorization', 'Bearer'], MISSING],
  ['a scheme with a blank token', ['Authorization', 'Bearer  '], MISSING],
  ['an empty header next to a key', ['Authorization', 'Bearer', 'x-api-key', 'abc'], key('abc')],
  ['another scheme', ['Authorization', 'Basic dXNlcjpwYXNz'], MISSING],
  ['another scheme next to a key', ['Authorization', 'Basic dXNlcg==', 'x-api-key', 'a'], key('a')],
  ['a scheme that starts with the letters of Bearer', ['Authorization', 'BearerX abc'], MISSING],
  ['a key that ends in a no-break space', ['x-api-key', 'abc\u00a0'], key('abc\u00a0')],
  ['a key of unusual characters', ['x-api-key', `a b,c;"d"='é`], key(`a b,c;"d"='é`)],
  ['a key that looks like a scheme', ['x-api-key', 'Bearer abc'], key('Bearer abc')],
] as const;

describe.each(CASES)('%s: the credential', (_name, rawHeaders, expected) => {
  it('is the same from raw headers and from Headers', () => {
    expect(readCredential(rawHeaders)).toEqual(expected);
    const headers = new Headers();
    for (let at = 0; at < rawHeaders.length; at += 2) {
      headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
    }
    expect(readCredentialFromHeaders(headers)).toEqual(expected);
  });
});

describe('a repeated header', () => {
  it.each([
    ['Authorization', 'Bearer abc', 'Bearer def'],
    ['Authorization', 'Bearer abc', 'Bearer abc'],
    ['Authorization', 'Bearer abc', 'Basic dXNlcg=='],
    ['x-api-key', 'abc', 'def'],
    ['X-Api-Key', 'abc', 'abc'],
    ['x-api-key', '', 'abc'],
  ])('conflicts: %s twice, %j and %j', (name, first, second) => {
    expect(readCredential([name, first, name.toUpperCase(), second])).toEqual(CONFLICTING);
  });

  it.each([
    ['authorization', 'Bearer abc', 'Bearer abc'],
    ['x-api-key', 'abc', 'abc'],
  ])('is not a valid key after the framework has joined it: %s', (name, first, second) => {
    const headers = new Headers();
    headers.append(name, first);
    headers.append(name, second);
    const credential = readCredentialFromHeaders(headers);
    expect(credential).toMatchObject({ kind: 'key' });
    expect(credential).not.toEqual(key('abc'));
  });
});

describe('a request without raw headers, as serverless adapters build it', () => {
  const read = (headers: Record<string, string | string[] | undefined>, rawHeaders?: string[]) =>
    readCredential(rawHeadersOf({ headers, rawHeaders }));

  it.each([undefined, []])('has the key of its parsed headers (raw: %j)', (rawHeaders) => {
    expect(read({ host: 'a', 'x-api-key': 'abc' }, rawHeaders)).toEqual(key('abc'));
    expect(read({ authorization: 'Bearer abc', cookie: undefined }, rawHeaders)).toEqual(
      key('abc'),
    );
    expect(read({}, rawHeaders)).toEqual(MISSING);
    expect(readCredential(rawHeadersOf({}))).toEqual(MISSING);
  });

  it('is refused with two keys, as a list, in two spellings, or in two headers', () => {
    expect(read({ 'x-api-key': ['abc', 'def'] })).toEqual(CONFLICTING);
    expect(read({ 'x-api-key': 'abc', 'X-Api-Key': 'def' })).toEqual(CONFLICTING);
    expect(read({ 'x-api-key': 'abc', authorization: 'Bearer def' })).toEqual(CONFLICTING);
  });

  it('is judged by its raw headers alone where it has them', () => {
    expect(read({ 'x-api-key': 'abc' }, ['Host', 'a'])).toEqual(MISSING);
  });
});
