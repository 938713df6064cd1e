import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface FreezableProxy {
  /** The database's address through the proxy. */
  readonly url: string;
  /** From now on nothing passes, and no connection is closed: as a frozen server does it. */
  freeze(): void;
  thaw(): void;
  /** From now on every connection is closed at once: as a server that is not there does it. */
  cut(): void;
  /** From now on connections are let through again. */
  mend(): void;
  stop(): Promise<void>;
}

/** Stands in front of a Postgres, so that a test can stop it without touching the others'. */
export async function startFreezableProxy(databaseUrl: string): Promise<FreezableProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let frozen = false;
  let isCut = false;

  const server = createServer((near) => {
    if (isCut) {
      near.on('error', () => {});
      near.destroy();
      return;
    }
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      if (frozen) socket.pause();
    }
    pass(near, far);
    pass(far, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  function pass(from: Socket, to: Socket): void {
    from.on('data', (chunk) => to.write(chunk));
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${address.port}`;
  return {
    url: url.href,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
