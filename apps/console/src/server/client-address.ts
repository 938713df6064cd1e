import { isIP } from 'node:net';
import { PEER_ADDRESS_HEADER } from './peer-address.ts';

/**
 * The client's IP address: the peer of the connection or, behind `trustedProxyHops` proxies that each
 * append to X-Forwarded-For, the entry of the outermost proxy. The client can forge the entries
 * before that one.
 *
 * @returns null if no address is known
 */
export function clientAddress(headers: Headers, trustedProxyHops: number): string | null {
  const forwarded = trustedProxyHops === 0 ? [] : listOf(headers.get('x-forwarded-for'));
  const hops = [...forwarded, headers.get(PEER_ADDRESS_HEADER) ?? ''];
  const address = hops.at(Math.max(0, hops.length - 1 - trustedProxyHops));
  return address !== undefined && isIP(address) !== 0 ? withoutMapping(address) : null;
}

function listOf(header: string | null): string[] {
  return header === null ? [] : header.split(',').map((entry) => entry.trim());
}

/** A server that listens on IPv6 sees IPv4 clients as `::ffff:192.0.2.1`. */
const withoutMapping = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');
