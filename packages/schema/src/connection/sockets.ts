import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type NetConnectOpts, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { PostgresHost } from '@ceiba/domain';
import { type Encryption, isSocket } from './tls.ts';

export interface SocketOptions {
  host: PostgresHost;
  encryption: Encryption;
  /** How long opening one may take, in ms. */
  timeoutMs: number;
  pauseMs: (attempt: number) => number;
}

/**
 * Opens the sockets of a pool, encrypted as the address asks; the driver itself knows less of libpq's
 * ways. There is a pause after each socket that was closed without a byte: when a load balancer
 * accepts connections and closes them at once, postgres.js (3.4.9) reconnects without one, thousands
 * of times per second.
 */
export class PacedSockets {
  readonly #options: SocketOptions;
  #closedEmpty = 0;
  #isOver = false;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  readonly open = async (): Promise<Socket> => {
    if (this.#closedEmpty > 0) await delay(this.#options.pauseMs(this.#closedEmpty));
    const socket = this.#isOver ? closedSocket() : await openSocket(this.#options).catch(failing);
    if (this.#isOver) {
      socket.destroy();
      throw Object.assign(new Error('the pool is closed'), { code: 'CONNECTION_ENDED' });
    }
    socket.once('close', () => {
      this.#closedEmpty = socket.bytesRead === 0 ? this.#closedEmpty + 1 : 0;
    });
    // The driver's errors name these.
    const { host, hostaddr, port } = this.#options.host;
    return Object.assign(socket, { host: host || hostaddr || 'localhost', port });
  };

  end(): void {
    this.#isOver = true;
  }
}

const closedSocket = () => new Socket();

/** The driver waits for ever for a socket that was refused: it gets one that fails. */
function failing(error: Error): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(error));
  return socket;
}

/** @throws Error of the network, of TLS or with the code CONNECT_TIMEOUT */
async function openSocket(options: SocketOptions): Promise<Socket> {
  const endsAt = performance.now() + options.timeoutMs;
  const { use } = options.encryption;
  try {
    return await attempt(options, endsAt, use !== 'never');
  } catch (error) {
    // As libpq does with `prefer`.
    if (use !== 'if_offered' || !(error instanceof HandshakeError)) throw error;
    return await attempt(options, endsAt, false);
  }
}

/** The server was reached, and TLS with it failed. */
class HandshakeError extends Error {}

async function attempt(
  { host, encryption }: SocketOptions,
  endsAt: number,
  isEncrypted: boolean,
): Promise<Socket> {
  let current: Socket = listenedTo(connect(placeOf(host)));
  const timer = setTimeout(() => current.destroy(timeoutError()), endsAt - performance.now());
  try {
    await once(current, 'connect');
    if (!isEncrypted || (!encryption.isDirect && !(await offersTls(current, encryption)))) {
      return current;
    }
    const { options, isDirect } = encryption;
    const alpn = isDirect && { ALPNProtocols: ['postgresql'] };
    current = listenedTo(connectTls({ ...options, socket: current, ...alpn }));
    await once(current, 'secureConnect').catch((cause: Error) => {
      throw encryption.use === 'if_offered' ? new HandshakeError(cause.message, { cause }) : cause;
    });
    return current;
  } catch (error) {
    current.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** TLS may report a second error, which without a listener would end the process. */
const listenedTo = (socket: Socket): Socket => socket.on('error', () => {});

const timeoutError = () =>
  Object.assign(new Error('the server did not accept a connection in time'), {
    code: 'CONNECT_TIMEOUT',
  });

/** @see https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-SSLREQUEST */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** @throws Error where the server has no TLS and must, or does not say */
async function offersTls(socket: Socket, { use }: Encryption): Promise<boolean> {
  socket.write(SSL_REQUEST);
  const answer = await Promise.race([
    once(socket, 'data').then(([chunk]: Buffer[]) => chunk?.toString('latin1')),
    once(socket, 'close').then(() => undefined),
  ]);
  // Anything after the letter would have been sent by someone in between, before encryption.
  if (answer === 'S') return true;
  if (answer === 'N' && use === 'if_offered') return false;
  throw Object.assign(
    new Error(
      answer === 'N'
        ? 'the server does not offer TLS'
        : 'the server did not answer a request for TLS',
    ),
    { code: answer === 'N' ? 'ERR_TLS_NOT_OFFERED' : 'CONNECTION_CLOSED' },
  );
}

/** Where Debian and PostgreSQL itself put the sockets. */
const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp'];

function placeOf(host: PostgresHost): NetConnectOpts {
  const { hostaddr, port } = host;
  if (isSocket(host)) return { path: socketIn(host.host, port) };
  if (host.host !== '' || hostaddr !== null) return { host: hostaddr ?? host.host, port };
  const path = SOCKET_FOLDERS.map((folder) => socketIn(folder, port)).find(existsSync);
  return path === undefined ? { host: 'localhost', port } : { path };
}

const socketIn = (folder: string, port: number) => `${folder.replace(/^@/, '\0')}/.s.PGSQL.${port}`;
