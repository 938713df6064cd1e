import { isPostgresParameter, type PostgresParameter, refusalOf } from './postgres-parameters.ts';

/** Why a text is not an address; the reason repeats nothing of it, since it can hold a password. */
export interface InvalidAddress {
  kind: 'invalid';
  reason: string;
}

/** One server of the list, in the order in which they are tried. */
export interface PostgresHost {
  /** A name, an IP address, or the folder of a Unix-domain socket; empty for the usual place. */
  host: string;
  /** Where to connect, if not to the addresses of `host`. Its certificate still has to name `host`. */
  hostaddr: string | null;
  port: number;
}

/** Where Postgres is, and how to connect. */
export interface PostgresAddress {
  kind: 'postgres';
  hosts: readonly [PostgresHost, ...PostgresHost[]];
  /** The other parameters that were given, each with a value that is accepted. */
  parameters: ReadonlyMap<PostgresParameter, string>;
}

type Given = Map<PostgresParameter, string>;

const DEFAULT_PORT = '5432';
/** As libpq does, an @ ends the credentials only if no slash precedes it. */
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s;
const HOST = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(.*))?$/s;

/**
 * Reads `DATABASE_URL` as libpq does: hosts in a list, by name, IPv6 address in brackets or folder of
 * a socket; every part percent-encoded; and parameters. Environment variables such as `PGHOST` are
 * not read.
 *
 * @param service the parameters of the service that the address names; the address wins over them
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 * @example parsePostgresUrl('postgres://ceiba:secret@one,two:5433/ceiba?sslmode=verify-full')
 */
export function parsePostgresUrl(
  url: string,
  service: ReadonlyMap<string, string> = new Map(),
): PostgresAddress | InvalidAddress {
  try {
    const given: Given = new Map();
    for (const [name, value] of service) give(given, name, value);
    readUrl(given, url);
    return addressOf(given);
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'invalid', reason: error.message };
    throw error;
  }
}

class Refusal extends Error {}

function readUrl(given: Given, url: string): void {
  const [whole, credentials, hosts = '', dbname, query] = SHAPE.exec(url) ?? [];
  if (whole === undefined)
    throw new Refusal('must be an address such as postgres://user@host:5432/ceiba');
  if (credentials !== undefined) {
    const [user = '', ...password] = credentials.split(':');
    give(given, 'user', decoded(user, 'user'));
    give(given, 'password', decoded(password.join(':'), 'password'));
  }
  readHosts(given, hosts);
  give(given, 'dbname', decoded(dbname ?? '', 'name of the database'));
  // As for libpq, nothing has to follow the last separator.
  for (const pair of query ? query.replace(/&$/, '').split('&') : []) {
    const [name = '', value, ...rest] = pair.split('=');
    if (value === undefined || rest.length > 0) {
      throw new Refusal('has a parameter that is not name=value; write an = of a value as %3D');
    }
    give(given, decoded(name, 'parameters'), decoded(value, 'parameters'));
  }
}

function readHosts(given: Given, text: string): void {
  const places = text.split(',').map((place) => {
    const [whole, ipv6, name = '', port = ''] = HOST.exec(place) ?? [];
    if (whole === undefined || name.includes('@') || !/^\d*$/.test(port))
      throw new Refusal(BAD_HOST);
    return { host: decoded(ipv6 ?? name, 'host'), port };
  });
  give(given, 'host', places.map(({ host }) => host).join(','));
  const ports = places.map(({ port }) => port);
  if (ports.some((port) => port !== '')) give(given, 'port', ports.join(','));
}

const BAD_HOST =
  'has a host or port that cannot be read: special characters of the user and password need ' +
  'percent-encoding (an @ is %40, a / is %2F), and an IPv6 address needs brackets';

/** A later value replaces an earlier one; an empty one counts as absent. */
function give(given: Given, name: string, value: string): void {
  if (name === 'ssl' && value === 'true') {
    // As libpq does for JDBC's sake.
    given.set('sslmode', 'require');
    return;
  }
  if (!isPostgresParameter(name)) {
    const shown = /^[A-Za-z_]{1,63}$/.test(name) ? `the parameter ${name}` : 'a parameter';
    throw new Refusal(
      `has ${shown}, which libpq does not know; a setting of the server goes into options`,
    );
  }
  const refusal = refusalOf(name, value);
  if (refusal !== null) throw new Refusal(`${name} ${refusal}`);
  if (value !== '') given.set(name, value);
}

/** @throws Refusal that names the part, and nothing of it */
function decoded(text: string, part: string): string {
  const isMalformed = /%(?![0-9A-Fa-f]{2})|%00/.test(text);
  try {
    if (!isMalformed) return decodeURIComponent(text);
  } catch {
    // Not UTF-8.
  }
  throw new Refusal(`has a % in its ${part} that begins no percent-encoding: write a % as %25`);
}

function addressOf(given: Given): PostgresAddress {
  const list = (name: PostgresParameter) => given.get(name)?.split(',') ?? [];
  const [names, addresses, ports] = [list('host'), list('hostaddr'), list('port')];
  const count = Math.max(1, addresses.length, names.length);
  if (addresses.length > 0 && names.length > 0 && addresses.length !== names.length) {
    throw new Refusal('hostaddr must have as many entries as there are hosts');
  }
  if (ports.length > 1 && ports.length !== count) {
    throw new Refusal('port must have one entry, or as many as there are hosts');
  }
  const hosts = Array.from({ length: count }, (_, index) => ({
    host: names[index] ?? '',
    hostaddr: addresses[index] || null,
    port: portOf((ports.length === 1 ? ports[0] : ports[index]) || DEFAULT_PORT),
  }));
  const [first, ...others] = hosts;
  if (first === undefined) throw new Refusal(BAD_HOST);
  refuseContradictions(given);
  const parameters = new Map(given);
  for (const name of ['host', 'hostaddr', 'port'] as const) parameters.delete(name);
  return { kind: 'postgres', hosts: [first, ...others], parameters };
}

function portOf(text: string): number {
  const port = /^\s*\d{1,5}\s*$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Refusal(BAD_HOST);
  return port;
}

/** As libpq does: a protection that another parameter takes back is refused. */
function refuseContradictions(given: Given): void {
  const requiressl = given.get('requiressl');
  if (requiressl !== undefined && !given.has('sslmode')) {
    given.set('sslmode', requiressl === '1' ? 'require' : 'prefer');
  }
  const isSystem = given.get('sslrootcert') === 'system';
  const mode = given.get('sslmode') ?? (isSystem ? 'verify-full' : 'prefer');
  given.set('sslmode', mode);
  const verifies = /^(require|verify-ca|verify-full)$/.test(mode);
  if (given.get('sslrootcert') && !verifies) {
    throw new Refusal(
      `sslmode must be verify-full with sslrootcert: with ${mode} nothing is verified`,
    );
  }
  if (mode === 'verify-ca' && !given.get('sslrootcert')) {
    throw new Refusal('sslmode=verify-ca needs sslrootcert; without one, use sslmode=verify-full');
  }
  if (isSystem && mode !== 'verify-full') {
    throw new Refusal(`sslmode must be verify-full with sslrootcert=system, not ${mode}`);
  }
  if (given.get('sslnegotiation') === 'direct' && /^(disable|allow|prefer)$/.test(mode)) {
    throw new Refusal(
      `sslmode must be require or stricter with sslnegotiation=direct, not ${mode}`,
    );
  }
}
