import { describe, expect, it } from 'vitest';
import { canonicalPath } from './path.ts';
import { ambiguityOf } from './path-ambiguity.ts';
import { parsePathPattern, parsePolicyMethod } from './policy-rule.ts';
import { oneOf, seeded } from './test-support.ts';

/** Targets with one reading, and that reading. */
const CANONICAL: [target: string, path: string][] = [
  ['/', '/'],
  ['/?', '/'],
  ['/v1/reports', '/v1/reports'],
  ['/v1/reports/', '/v1/reports'],
  ['/v1/reports?page=2', '/v1/reports'],
  ['/v1/reports/?page=2', '/v1/reports'],
  ['/v1/reports?next=/../admin;x=//#é', '/v1/reports'],
  ['/v1/reports?a?b', '/v1/reports'],
  ['/V1/Reports', '/V1/Reports'],
  ['/v1/%7Eme/%41%2d%5F', '/v1/%7Eme/%41%2d%5F'],
  ['/v1/%72eports', '/v1/%72eports'],
  ['/v1/caf%c3%a9/', '/v1/caf%c3%a9'],
  ['/v1/a%20b', '/v1/a%20b'],
  ['/v1/a%2ab%3A', '/v1/a%2ab%3A'],
  ["/v1/a:b@c!$&'()*+,=", "/v1/a:b@c!$&'()*+,="],
  ['/v1/[a]|{b}^`"<>', '/v1/[a]|{b}^`"<>'],
  ['/v1/...', '/v1/...'],
  ['/v1/.well-known/..a/a..', '/v1/.well-known/..a/a..'],
  ['/v1/a.b%2ec', '/v1/a.b%2ec'],
  ['/v1/*', '/v1/*'],
];

/** Targets that two parsers could read differently, each with a word of its reason. */
const AMBIGUOUS: [target: string, reason: string][] = [
  ['', 'start with /'],
  ['?', 'start with /'],
  ['*', 'start with /'],
  ['v1/reports', 'start with /'],
  ['http://host/v1/reports', 'start with /'],
  ['HTTP://host/v1/reports', 'start with /'],
  ['host:443', 'start with /'],
  ['host.example', 'start with /'],
  [' /v1/reports', 'start with /'],
  ['\\v1\\reports', 'start with /'],
  ['%2Fv1/reports', 'start with /'],
  ['//', 'empty segment'],
  ['//host/v1/reports', 'empty segment'],
  ['/v1//reports', 'empty segment'],
  ['/v1/reports//', 'empty segment'],
  ['/v1/reports//?x', 'empty segment'],
  ['/.', 'dot segment'],
  ['/..', 'dot segment'],
  ['/v1/.', 'dot segment'],
  ['/v1/./reports', 'dot segment'],
  ['/v1/../admin', 'dot segment'],
  ['/v1/reports/..', 'dot segment'],
  ['/v1/reports/../', 'dot segment'],
  ['/v1/..?x', 'dot segment'],
  ['/v1/%2e/admin', 'dot segment'],
  ['/v1/%2E%2e/admin', 'dot segment'],
  ['/v1/.%2e/admin', 'dot segment'],
  ['/v1/%2e./admin', 'dot segment'],
  ['/v1/%252e%252e/admin', 'percent sign'],
  ['/v1/..%2fadmin', 'encoded slash'],
  ['/v1/reports%2F42', 'encoded slash'],
  ['/v1/reports%2f', 'encoded slash'],
  ['/v1/reports%5cadmin', 'encoded backslash'],
  ['/v1/reports%5C', 'encoded backslash'],
  ['/v1\\reports', 'backslash'],
  ['/v1/..;/admin', 'semicolon'],
  ['/v1/reports;v=1', 'semicolon'],
  ['/v1/reports%3bv=1', 'encoded semicolon'],
  ['/v1/reports#top', '#'],
  ['/v1/reports#top?x', '#'],
  ['/v1/reports%23top', 'encoded #'],
  ['/v1/reports%3Fx', 'question mark'],
  ['/v1/reports%', 'starts no escape'],
  ['/v1/reports%2', 'starts no escape'],
  ['/v1/%zz', 'starts no escape'],
  ['/v1/%u002e', 'starts no escape'],
  ['/v1/%25', 'percent sign'],
  ['/v1/%00', 'encoded control'],
  ['/v1/a%0d%0aX:y', 'encoded control'],
  ['/v1/%0A', 'encoded control'],
  ['/v1/%1f', 'encoded control'],
  ['/v1/%7F', 'encoded control'],
  ['/v1/\u0000', 'control character'],
  ['/v1/a\r\nX:y', 'control character'],
  ['/v1/reports\n', 'control character'],
  ['/v1/\t', 'control character'],
  ['/v1/\u007f', 'control character'],
  ['/v1/a b', 'space'],
  ['/v1/reports ', 'space'],
  ['/v1/café', 'outside ASCII'],
  ['/v1/\u2024\u2024/admin', 'outside ASCII'],
  ['/v1/\uff0e\uff0e/admin', 'outside ASCII'],
  ['/v1/\ud800', 'outside ASCII'],
  ['/v1/\u{1f333}', 'outside ASCII'],
  ['/v1/%c0%ae%c0%ae/admin', 'UTF-8'],
  ['/v1/reports%C0%AFadmin', 'UTF-8'],
  ['/v1/caf%e9', 'UTF-8'],
  ['/v1/%ED%A0%80', 'UTF-8'],
];

describe('canonicalPath', () => {
  it.each(CANONICAL)('reads %j as %j', (target, path) => {
    expect(canonicalPath(target)).toBe(path);
    expect(ambiguityOf(target)).toBeNull();
  });

  it.each(AMBIGUOUS)('refuses %j (%s)', (target, reason) => {
    expect(canonicalPath(target)).toBeNull();
    expect(ambiguityOf(target)).toContain(reason);
  });

  it('reads 2,048 characters and no more, counted as sent and without the query', () => {
    const longest = `/${'a'.repeat(2047)}`;
    expect(canonicalPath(longest)).toBe(longest);
    expect(ambiguityOf(longest)).toBeNull();
    expect(canonicalPath(`${longest}?${'q'.repeat(9000)}`)).toBe(longest);
    for (const tooLong of [`${longest}a`, `${longest}/`, `${longest.slice(0, -2)}%41`]) {
      expect(tooLong).toHaveLength(2049);
      expect(canonicalPath(tooLong)).toBeNull();
      expect(ambiguityOf(tooLong)).toContain('2048 characters');
    }
  });

  it('keeps every escape that it does not refuse, and in a pattern only those that are needed', () => {
    for (let code = 0x20; code < 0x7f; code++) {
      const character = String.fromCharCode(code);
      for (const target of [`/x${escapeOf(code)}`, `/x${escapeOf(code).toLowerCase()}`]) {
        const isRefused = '#%/;?\\'.includes(character);
        expect(canonicalPath(target)).toBe(isRefused ? null : target);
        const isNeeded = !/[0-9A-Za-z._~-]/.test(character);
        expect(parsePathPattern(target).ok, target).toBe(!isRefused && isNeeded);
      }
    }
  });

  it('changes nothing when it is applied twice, and explains itself exactly when it refuses', () => {
    const pick = seeded(5);
    let read = 0;
    for (let i = 0; i < 20_000; i++) {
      const target = randomTarget(pick);
      const path = canonicalPath(target);
      expect(path === null, target).toBe(ambiguityOf(target) !== null);
      if (path === null) continue;
      read++;
      expect(canonicalPath(path), target).toBe(path);
    }
    expect(read).toBeGreaterThan(2000);
  });

  it('agrees with the WHATWG URL parser on every path that it does not refuse', () => {
    const pick = seeded(6);
    for (let i = 0; i < 20_000; i++) {
      const target = randomTarget(pick);
      const path = canonicalPath(target);
      if (path === null) continue;
      const { pathname, host } = new URL(target, 'http://host');
      expect(host, target).toBe('host');
      expect(decodeURIComponent(pathname).replace(/(?<=.)\/$/, ''), target).toBe(
        decodeURIComponent(path),
      );
    }
  });

  it('judges the longest targets without backtracking', () => {
    const worst = [
      '/.'.repeat(1023),
      '/%2e'.repeat(500),
      '/a'.repeat(1024),
      '%'.repeat(65_536),
      '/'.repeat(65_536),
    ];
    const startedAt = performance.now();
    for (const target of worst) for (let i = 0; i < 20; i++) canonicalPath(target);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

describe('parsePathPattern', () => {
  it.each([
    ['*', '*'],
    ['/', '/'],
    ['/*', '/*'],
    ['/v1/reports', '/v1/reports'],
    ['/v1/reports/', '/v1/reports'],
    ['/v1/reports*', '/v1/reports*'],
    ['/v1/reports/*', '/v1/reports*'],
    ['/v1/caf%C3%A9/', '/v1/caf%C3%A9'],
    ['/v1/a%2ab', '/v1/a%2ab'],
  ])('normalises %j to %j, and that to itself', (text, pattern) => {
    expect(parsePathPattern(text)).toEqual({ ok: true, pattern });
    expect(parsePathPattern(pattern)).toEqual({ ok: true, pattern });
  });

  it.each([
    ['', 'must start with / (or be a single *)'],
    ['v1/reports', 'must start with /'],
    ['**', 'must start with /'],
    ['https://api.example.com/v1/*', 'without scheme and host'],
    ['/v1/*/reports', 'only as its last character'],
    ['/v1/**', 'only as its last character'],
    ['/v1/reports/*/', 'only as its last character'],
    ['/v1/reports?page=*', 'query'],
    ['/v1/../admin', 'dot segment'],
    ['/v1/..*', 'dot segment'],
    ['/v1/./*', 'dot segment'],
    ['/v1//reports', 'empty segment'],
    ['/v1/reports//*', 'empty segment'],
    ['//*', 'empty segment'],
    ['/v1/a;b', 'semicolon'],
    ['/v1/a b', 'space (write %20)'],
    ['/v1/café', 'percent-encode'],
    ['/v1/a%2fb', 'encoded slash'],
    ['/v1/100%', 'starts no escape'],
    ['/v1/%7eme/*', 'must not hold %7e: write ~'],
    ['/v1/reports/%2D%5f', 'must not hold %2D: write -'],
    ['/v1/reports\n', 'control character'],
  ])('refuses %j (%s)', (text, reason) => {
    expect(parsePathPattern(text)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('takes a base of 2,048 characters and no more', () => {
    const longest = `/${'a'.repeat(2047)}`;
    expect(parsePathPattern(`${longest}*`)).toEqual({ ok: true, pattern: `${longest}*` });
    const reason = 'must be at most 2048 characters';
    expect(parsePathPattern(`${longest}a`)).toEqual({ ok: false, reason });
    expect(parsePathPattern(`${longest}a*`)).toEqual({ ok: false, reason });
  });

  it('accepts as an exact pattern every path that has one reading, no * and no needless escape', () => {
    const pick = seeded(7);
    let accepted = 0;
    for (let i = 0; i < 5000; i++) {
      const path = canonicalPath(randomTarget(pick));
      if (path === null || /[*]|%(?:7e|41|2E)/.test(path)) continue;
      expect(parsePathPattern(path)).toEqual({ ok: true, pattern: path });
      accepted++;
    }
    expect(accepted).toBeGreaterThan(500);
  });
});

describe('parsePolicyMethod', () => {
  it.each([
    '*',
    ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'QUERY'],
    ...['M-SEARCH', 'VERSION-CONTROL', 'X_1!'],
  ])('accepts %s as it is', (method) => {
    expect(parsePolicyMethod(method)).toEqual({ ok: true, method });
  });

  it.each([
    ['get', 'write GET'],
    ['Patch', 'write PATCH'],
    ['', 'one HTTP method'],
    ['GET,POST', 'one HTTP method'],
    ['GET ', 'one HTTP method'],
    ['GET\n', 'one HTTP method'],
    ['G*', 'one HTTP method'],
    ['**', 'one HTTP method'],
    ['GÉT', 'one HTTP method'],
    ['ſ', 'one HTTP method'],
  ])('refuses %j and says: %s', (text, reason) => {
    expect(parsePolicyMethod(text)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('takes 64 characters, as the wire does, and no more', () => {
    expect(parsePolicyMethod('A'.repeat(64))).toMatchObject({ ok: true });
    const reason = 'must be at most 64 characters';
    expect(parsePolicyMethod('A'.repeat(65))).toEqual({ ok: false, reason });
  });
});

function escapeOf(code: number): string {
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** A target from pieces that are harmless alone and suspicious next to each other. */
function randomTarget(pick: (below: number) => number): string {
  const harmless = [
    '/',
    '/a',
    '/v1',
    'b',
    '.a',
    '%7e',
    '%41',
    '%2E',
    '%c3%a9',
    '%20',
    ':',
    '*',
    '~',
    '/.x',
    '|',
    '{',
  ];
  const suspicious = [
    '.',
    '..',
    '/',
    '%',
    '%2f',
    '%5C',
    '%25',
    ';',
    '#',
    '?',
    '\\',
    '%00',
    '%c0%ae',
    'é',
    ' ',
    '\n',
  ];
  const pieces = Array.from({ length: pick(7) }, () =>
    oneOf(pick, pick(8) === 0 ? suspicious : harmless),
  );
  return (pick(20) === 0 ? '' : '/') + pieces.join('');
}
