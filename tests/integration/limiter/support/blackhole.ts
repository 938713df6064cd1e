import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can go dark: connections stay open and carry nothing any more. */
export interface Blackhole {
  readonly url: string;
  /** How many connections have been made, dark ones included. */
  readonly connectionsMade: number;
  /** What is connected now goes dark for good; new connections do too, until `clear`. */
  darken(): void;
  /** New connections get through again; those that went dark stay so. */
  clear(): void;
  close(): Promise<void>;
}

export async function startBlackhole(port: number): Promise<Blackhole> {
  const sockets = new Set<Socket>();
  let dark = false;
  let connectionsMade = 0;
  const server = createServer((client) => {
    connectionsMade += 1;
    sockets.add(client);
    client.on('error', () => {});
    if (dark) return;
    const upstream = connect(port, '127.0.0.1');
    sockets.add(upstream);
    upstream.on('error', () => {});
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: ownPort } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${ownPort}`,
    get connectionsMade() {
      return connectionsMade;
    },
    darken() {
      dark = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    clear() {
      dark = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
