import ipaddr from 'ipaddr.js';

/** A network in CIDR notation, parsed. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Parses `10.1.0.0/16, fd00::/8`. @returns null if one is not a network in CIDR notation */
export function parseNetworks(text: string): Network[] | null {
  const parts = text.split(',').map((part) => part.trim());
  return parts.every(ipaddr.isValidCIDR) ? parts.map((part) => ipaddr.parseCIDR(part)) : null;
}

/** The addresses of the Internet; everything else in IPv6 is reserved or reaches IPv4 by another name. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is a public one: not loopback, private, link-local (with the metadata
 * services of clouds), carrier-grade NAT, multicast, reserved or unspecified, nor an IPv6 address
 * that stands for such an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  const address = parsed(text);
  if (address === null || address.range() !== 'unicast') return false;
  return !isIPv6(address) || address.match(GLOBAL_IPV6);
}

export function isInNetworks(text: string, networks: readonly Network[]): boolean {
  const address = parsed(text);
  return (
    address !== null &&
    networks.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
  );
}

const isIPv6 = (address: ipaddr.IPv4 | ipaddr.IPv6): address is ipaddr.IPv6 =>
  address.kind() === 'ipv6';

/** An IPv4 address in IPv6 notation is the IPv4 address that connections to it reach. */
const parsed = (text: string) => (ipaddr.isValid(text) ? ipaddr.process(text) : null);
