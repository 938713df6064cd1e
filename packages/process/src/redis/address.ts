import type { InvalidAddress } from '@ceiba/domain';

/** A server by name or number; IPv6 without brackets. */
export interface HostAndPort {
  host: string;
  port: number;
}

/** The credentials, the same for all servers of a cluster or behind Sentinel. */
export interface RedisAccess {
  username: string | null;
  password: string | null;
  isTls: boolean;
}

/** Where Redis is: one server, a cluster by some of its nodes, or the primary that Sentinel names. */
export type RedisAddress = RedisServerAddress | RedisClusterAddress | RedisSentinelAddress;

export interface RedisServerAddress {
  kind: 'server';
  url: string;
}

export interface RedisClusterAddress {
  kind: 'cluster';
  nodes: readonly HostAndPort[];
  access: RedisAccess;
}

export interface RedisSentinelAddress {
  kind: 'sentinel';
  sentinels: readonly HostAndPort[];
  /** The name of the primary in the sentinels' configuration, such as `mymaster`. */
  primaryName: string;
  database: number;
  /** For the primary; `isTls` applies to the sentinels too. */
  access: RedisAccess;
}

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;
const SHAPE = /^(rediss?)(\+sentinel)?:\/\/(?:([^@/]*)@)?([^@/?]+)(?:\/([^/?]*))?(?:\/(\d{1,5}))?/;
const HOST = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\],\s]+))(?::(\d{1,5}))?$/;

/**
 * Reads `REDIS_URL`. `rediss` instead of `redis` is TLS.
 * - One server: `redis://user:password@host:port/database`, passed to the client unchanged.
 * - A cluster: several nodes, separated by commas; one that answers is enough.
 * - Sentinel: `redis+sentinel://user:password@one:26379,two:26379/name-of-primary/database`.
 *
 * @example parseRedisUrl('redis://:secret@one:6379,two:6379', true)
 */
export function parseRedisUrl(url: string, isCluster: boolean): RedisAddress | InvalidAddress {
  const [, scheme, sentinel, userInfo = '', authority = '', path, database] = SHAPE.exec(url) ?? [];
  if (scheme === undefined) return invalid('must be an address such as redis://host:6379');
  const hosts = authority.split(',');
  const access = accessOf(userInfo, scheme === 'rediss');
  if (sentinel !== undefined) {
    if (isCluster)
      return invalid('names sentinels, which cannot be combined with REDIS_CLUSTER=true');
    const sentinels = hosts.map((host) => hostAndPort(host, SENTINEL_PORT));
    return access !== null && path && sentinels.every((place) => place !== null)
      ? { kind: 'sentinel', sentinels, primaryName: path, database: Number(database ?? 0), access }
      : invalid('must be an address such as redis+sentinel://one:26379,two:26379/mymaster');
  }
  if (!isCluster) {
    if (hosts.length > 1)
      return invalid('names several servers, which requires REDIS_CLUSTER=true');
    return URL.canParse(url)
      ? { kind: 'server', url }
      : invalid('must be an address such as redis://user:password@host:6379');
  }
  const nodes = hosts.map((host) => hostAndPort(host, REDIS_PORT));
  return access !== null && nodes.every((node) => node !== null)
    ? { kind: 'cluster', nodes, access }
    : invalid('must be an address such as redis://one:6379,two:6379');
}

const invalid = (reason: string): InvalidAddress => ({ kind: 'invalid', reason });

function hostAndPort(text: string, defaultPort: number): HostAndPort | null {
  const [, ipv6, name, port = defaultPort] = HOST.exec(text) ?? [];
  const host = ipv6 ?? name;
  return host === undefined || Number(port) > 65_535 ? null : { host, port: Number(port) };
}

/** `user:password` with percent escapes; null where these are malformed. */
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
