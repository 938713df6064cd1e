import { connect, isIP, type NetConnectOpts } from 'node:net';
import { checkServerIdentity, connect as connectTls, type PeerCertificate } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import type { HostAndPort } from './address.ts';

/** What the driver hides: why the last connection of a client could not be made. */
export interface Failures {
  last: Error | null;
}

type Stream = Awaited<ReturnType<AbstractConnector['connect']>>;

/**
 * Opens the connections of one client. The driver reports each failure as "Connection is closed."; this
 * keeps the cause. With TLS it asks for the server by its name (SNI) and verifies that name.
 *
 * @param configured the servers of `REDIS_URL`
 */
export function connectorFor(
  configured: readonly HostAndPort[],
  failures: Failures,
): NonNullable<RedisOptions['Connector']> {
  const names = configured.map(({ host }) => host).filter((host) => isIP(host) === 0);
  return class extends AbstractConnector {
    readonly #options: RedisOptions;

    constructor(options: unknown) {
      const given = options as RedisOptions;
      super(given.disconnectTimeout ?? 0);
      this.#options = given;
    }

    async connect(): Promise<Stream> {
      const { host = 'localhost', port = 6379, family, tls } = this.#options;
      this.connecting = true;
      // As the driver's own connector does: it may be disconnected first.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      if (!this.connecting) throw new Error('Connection is closed.');
      const place = { host, port, ...(family !== undefined && { family }) } as NetConnectOpts;
      const stream = tls
        ? connectTls({ ...place, ...tls, ...identityOf(host, names) })
        : connect(place);
      // Not once: TLS may report a second error, which without a listener would end the process.
      stream.on('error', (error) => {
        this.firstError ??= error;
        failures.last = this.firstError ?? error;
      });
      stream.once(tls ? 'secureConnect' : 'connect', () => {
        failures.last = null;
      });
      this.stream = stream;
      return stream;
    }
  };
}

/**
 * A server that is known by its name has to prove that name. One that only its cluster or its sentinels
 * announced, by its IP address, has to prove that address or a name of `REDIS_URL`: the operator trusts
 * no other one, and the server that announced it has proven itself.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9525
 */
function identityOf(host: string, names: readonly string[]) {
  if (isIP(host) === 0) return { servername: host };
  const [name] = names;
  return {
    ...(name !== undefined && { servername: name }),
    checkServerIdentity(_: string, certificate: PeerCertificate): Error | undefined {
      const byAddress = checkServerIdentity(host, certificate);
      const isNamed = names.some((it) => checkServerIdentity(it, certificate) === undefined);
      return isNamed ? undefined : byAddress;
    },
  };
}

const failuresOf = new WeakMap<object, Failures>();

/** Remembers why connections of the client fail. */
export function withFailures<Client extends object>(client: Client, failures: Failures): Client {
  failuresOf.set(client, failures);
  return client;
}

/** Why the client could not connect, where the driver hid it; else the error that it reported. */
export function connectionError(client: object, reported: unknown): unknown {
  const isReply = reported instanceof Error && /^[A-Z]{3,} /.test(reported.message);
  return isReply ? reported : (failuresOf.get(client)?.last ?? reported);
}
