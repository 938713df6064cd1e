import { describe, expect, it } from 'vitest';
import { isInNetworks, isPublicAddress, parseNetworks } from './networks.ts';
import { permits, problemOfUrl } from './webhook-url.ts';

const LOCAL = parseNetworks('127.0.0.0/8, fd00::/8') ?? [];

describe('an address', () => {
  it.each([
    ...['127.0.0.1', '127.9.9.9', '10.0.0.1', '172.16.0.1', '192.168.1.1', '0.0.0.0'],
    ...['169.254.169.254', '100.64.0.1', '100.100.100.200', '192.0.0.192', '198.18.0.1'],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.1', '203.0.113.1'],
    ...['::1', '::', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '2001:db8::1'],
    ...['::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1', '64:ff9b::a9fe:a9fe'],
    ...['64:ff9b:1::1', '2002:7f00:1::', '2001::1', 'fec0::1', '100::1'],
    ...['not an address', ''],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it('is in a network of its own family, also in IPv6 notation', () => {
    expect(isInNetworks('127.0.0.1', LOCAL)).toBe(true);
    expect(isInNetworks('::ffff:127.0.0.1', LOCAL)).toBe(true);
    expect(isInNetworks('fd12::1', LOCAL)).toBe(true);
    expect(isInNetworks('10.0.0.1', LOCAL)).toBe(false);
    expect(isInNetworks('::1', LOCAL)).toBe(false);
  });
});

describe('networks', () => {
  it.each(['10.0.0.0', '10.0.0.0/33', 'internal', '', '10.0.0.0/8,'])('%j are refused', (text) => {
    expect(parseNetworks(text)).toBeNull();
  });
});

describe('the URL of a webhook', () => {
  it.each(['https://example.com/hooks?token=1', 'https://8.8.8.8:8443/', 'https://[2606:4700::1]'])(
    '%s is accepted',
    (url) => {
      expect(problemOfUrl(url, [])).toBeNull();
    },
  );

  it.each<readonly [string, string]>([
    ['example.com', 'must be a URL'],
    ['ftp://example.com', 'must be a URL'],
    ['https://user:password@example.com', 'user or password'],
    ['https://example.com/#part', 'fragment'],
    ['http://example.com', 'https://'],
    [`https://example.com/${'x'.repeat(2_000)}`, 'at most 2000'],
    ...[
      ...['https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://0177.0.0.1/'],
      ...['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://169.254.169.254/latest'],
      ...['https://localhost/', 'https://LOCALHOST./', 'https://api.localhost/', 'https://0/'],
    ].map((url) => [url, 'private'] as const),
  ])('%s is refused', (url, words) => {
    expect(problemOfUrl(url, [])).toContain(words);
  });

  it('may be private or without TLS in an allowed network only', () => {
    expect(problemOfUrl('http://127.0.0.1:8080/', LOCAL)).toBeNull();
    expect(problemOfUrl('https://127.0.0.1/', LOCAL)).toBeNull();
    expect(problemOfUrl('http://10.0.0.1/', LOCAL)).toContain('private');
    expect(problemOfUrl('http://8.8.8.8/', LOCAL)).toContain('private');
  });

  it('permits a connection without TLS only into an allowed network', () => {
    expect(permits(new URL('http://example.com'), '8.8.8.8', LOCAL)).toBe(false);
    expect(permits(new URL('https://example.com'), '8.8.8.8', LOCAL)).toBe(true);
    expect(permits(new URL('http://example.com'), '127.0.0.1', LOCAL)).toBe(true);
    expect(permits(new URL('https://example.com'), '10.0.0.1', LOCAL)).toBe(false);
  });
});
