/** A server by name or number; IPv6 without brackets. */
export interface HostAndPort {
  host: string;
  port: number;
}

/** What it takes to be let in; the same at every server of an arrangement. */
export interface RedisAccess {
  username: string | null;
  password: string | null;
  isTls: boolean;
}

/** Where Redis is: one server, or a cluster by some of its nodes. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | { kind: 'cluster'; nodes: readonly HostAndPort[]; access: RedisAccess };

/** Why a text is no address; repeats nothing of it, since it can hold a password. */
export interface InvalidAddress {
  kind: 'invalid';
  reason: string;
}

const DEFAULT_PORT = 6379;
const SHAPE = /^(rediss?):\/\/(?:([^@/]*)@)?([^@/?]+)/;
const HOST = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\],\s]+))(?::(\d{1,5}))?$/;

/**
 * Reads `REDIS_URL`: `redis://host:port`, or for a cluster several nodes in a comma list, of which
 * one that answers is enough. `rediss://` is TLS.
 *
 * @example parseRedisUrl('redis://:secret@one:6379,two:6379', true)
 */
export function parseRedisUrl(url: string, isCluster: boolean): RedisAddress | InvalidAddress {
  const [, scheme, userInfo = '', authority = ''] = SHAPE.exec(url) ?? [];
  if (scheme === undefined) return invalid('must be an address such as redis://host:6379');
  const hosts = authority.split(',');
  if (!isCluster) {
    return hosts.length === 1
      ? { kind: 'server', url }
      : invalid('names several servers, which takes REDIS_CLUSTER=true');
  }
  const nodes = hosts.map(hostAndPort);
  const access = accessOf(userInfo, scheme === 'rediss');
  return access !== null && nodes.every((node) => node !== null)
    ? { kind: 'cluster', nodes, access }
    : invalid('must be an address such as redis://one:6379,two:6379');
}

const invalid = (reason: string): InvalidAddress => ({ kind: 'invalid', reason });

function hostAndPort(text: string): HostAndPort | null {
  const [, ipv6, name, port = DEFAULT_PORT] = HOST.exec(text) ?? [];
  const host = ipv6 ?? name;
  return host === undefined || Number(port) > 65_535 ? null : { host, port: Number(port) };
}

/** `user:password` with percent escapes; null where those cannot be read. */
function accessOf(userInfo: string, isTls: boolean): RedisAccess | null {
  const [username = '', ...rest] = userInfo.split(':');
  try {
    return {
      username: decodeURIComponent(username) || null,
      password: decodeURIComponent(rest.join(':')) || null,
      isTls,
    };
  } catch {
    return null;
  }
}
