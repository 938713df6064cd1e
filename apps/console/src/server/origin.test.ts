import { describe, expect, it } from 'vitest';
import { isForeignForm, isOwnOrigin } from './origin.ts';

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

describe('isForeignForm', () => {
  const isForeign = (headers: Record<string, string>, method = 'POST', pathname = '/sign-up') =>
    isForeignForm({ method, pathname, headers: new Headers(headers) }, 'https://ceiba.example');

  it.each([
    ['without an origin', { host: 'ceiba.example' }],
    ['with a null origin', { host: 'ceiba.example', origin: 'null' }],
    ['with a malformed origin', { host: 'ceiba.example', origin: 'http://' }],
    ['of another site', { host: 'ceiba.example', origin: 'https://evil.example' }],
    [
      'of another site with forged headers',
      {
        host: 'ceiba.example',
        origin: 'https://evil.example',
        'x-forwarded-host': 'evil.example',
      },
    ],
  ])('refuses a form %s', (_name, headers) => {
    expect(isForeign(headers as Record<string, string>)).toBe(true);
  });

  it('lets forms of the console pass, behind any proxy', () => {
    expect(isForeign({ origin: 'https://ceiba.example', host: '10.0.0.7:3000' })).toBe(false);
  });

  it('leaves to the action what this server shows under another name', () => {
    expect(isForeign({ origin: 'http://10.0.0.7:3000', host: '10.0.0.7:3000' })).toBe(false);
  });

  it('leaves other methods, and the routes below /api, to their handlers', () => {
    expect(isForeign({}, 'GET')).toBe(false);
    expect(isForeign({}, 'POST', '/api/auth/signout')).toBe(false);
    expect(isForeign({}, 'POST', '/apinot')).toBe(true);
  });
});
