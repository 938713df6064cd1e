import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of one or several Redis servers. */
export interface RedisProxy {
  readonly url: string;
  /** Sets the servers over which new connections are distributed. */
  ports: readonly number[];
  close(): Promise<void>;
}

/** @param rewrite changes answers; it must keep their length */
export async function startRedisProxy(
  ports: readonly number[],
  rewrite: (answer: string) => string = (answer) => answer,
): Promise<RedisProxy> {
  const sockets = new Set<Socket>();
  let made = 0;
  const server = createServer((client) => {
    const port = proxy.ports[made++ % proxy.ports.length] ?? 0;
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.once('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      client.write(Buffer.from(rewrite(chunk.toString('latin1')), 'latin1'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: RedisProxy = {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ports,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** The report of a server that identifies neither its run nor its replication. */
export const withoutEpoch = (answer: string) =>
  answer.replaceAll('run_id:', 'run_xx:').replaceAll('master_replid:', 'master_xxxxxx:');
