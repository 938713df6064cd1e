import { describe, expect, it } from 'vitest';
import { clientAddress } from './client-address.ts';

const read = (hops: number, peer: string, forwardedFor?: string) =>
  clientAddress(
    new Headers({
      'x-ceiba-peer-address': peer,
      ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
    }),
    hops,
  );

describe('clientAddress', () => {
  it('uses only the connection if no proxy is trusted', () => {
    expect(read(0, '192.0.2.1', '203.0.113.9')).toBe('192.0.2.1');
  });

  it('uses the entry of the outermost trusted proxy, and no entry that the client forged', () => {
    expect(read(1, '10.0.0.1', '6.6.6.6, 203.0.113.9')).toBe('203.0.113.9');
    expect(read(2, '10.0.0.1', '6.6.6.6, 203.0.113.9, 10.0.0.2')).toBe('203.0.113.9');
  });

  it('uses the first entry if there are fewer entries than proxies', () => {
    expect(read(2, '10.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(read(1, '192.0.2.1')).toBe('192.0.2.1');
  });

  it('reads an IPv4 client of an IPv6 socket as IPv4', () => {
    expect(read(0, '::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(read(0, '2001:db8::1')).toBe('2001:db8::1');
  });

  it('returns null for an invalid address', () => {
    expect(read(1, '10.0.0.1', 'unknown')).toBeNull();
    expect(read(0, '')).toBeNull();
  });
});
