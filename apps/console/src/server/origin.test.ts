import { describe, expect, it } from 'vitest';
import { isOwnOrigin } from './origin.ts';

const accepts = (headers: Record<string, string>, publicOrigin = 'https://ceiba.example') =>
  isOwnOrigin(new Headers(headers), publicOrigin);

describe('isOwnOrigin', () => {
  it('accepts the configured origin with any Host header', () => {
    expect(accepts({ origin: 'https://ceiba.example', host: '10.0.0.7:3000' })).toBe(true);
  });

  it.each([
    ['an absent origin', {}],
    ['null', { origin: 'null' }],
    ['an empty origin', { origin: '' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['another scheme', { origin: 'http://ceiba.example' }],
    ['another port', { origin: 'https://ceiba.example:8443' }],
    ['a subdomain', { origin: 'https://evil.ceiba.example' }],
    ['the origin as a prefix', { origin: 'https://ceiba.example.evil.example' }],
    ['user information', { origin: 'https://ceiba.example@evil.example' }],
    ['a path', { origin: 'https://ceiba.example/' }],
    ['two origins', { origin: 'https://ceiba.example, https://evil.example' }],
    [
      'a foreign origin that matches the host',
      {
        origin: 'https://evil.example',
        host: 'evil.example',
      },
    ],
    [
      'a foreign origin that matches forwarded headers',
      {
        origin: 'https://evil.example',
        host: 'ceiba.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example;proto=https',
      },
    ],
  ])('refuses %s', (_name, headers) => {
    expect(accepts(headers as Record<string, string>)).toBe(false);
  });

  it('accepts another name of the same loopback server', () => {
    const own = 'http://localhost:3000';
    expect(accepts({ origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }, own)).toBe(true);
    expect(accepts({ origin: 'http://[::1]:3000', host: '[::1]:3000' }, own)).toBe(true);
  });

  it('refuses another loopback port, and an origin that differs from the host', () => {
    const own = 'http://localhost:3000';
    expect(accepts({ origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' }, own)).toBe(false);
    expect(accepts({ origin: 'http://127.0.0.1:3000', host: 'localhost:3000' }, own)).toBe(false);
    expect(accepts({ origin: 'https://127.0.0.1:3000', host: '127.0.0.1:3000' }, own)).toBe(false);
  });

  it('refuses loopback names if the console has a public address', () => {
    expect(accepts({ origin: 'https://localhost', host: 'localhost' })).toBe(false);
  });
});
