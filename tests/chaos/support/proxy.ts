import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between a Runtime and a server, in a test's hand. */
export interface TestNetwork {
  /** The server's URL by way of this network. */
  readonly url: string;
  /**
   * Connections stay open and carry nothing; new ones are accepted and carry nothing either. What
   * was sent meanwhile arrives once it is healed, as after a partition.
   */
  darken(): void;
  /** From now on everything takes this much longer, each way. */
  slowDown(delayMs: number): void;
  /** Ends every connection, and each new one at once. */
  refuse(): void;
  heal(): void;
  close(): Promise<void>;
}

/** A chunk that waits for its time; null is the end of the stream. */
interface Parcel {
  chunk: Buffer | null;
  dueAtMs: number;
}

/** @param others - With them it is a balancer: each new connection goes to the next server. */
export async function startTestNetwork(
  serverUrl: string,
  ...others: readonly string[]
): Promise<TestNetwork> {
  const targets = [serverUrl, ...others].map((url) => new URL(url));
  let accepted = 0;
  const lines = new Set<Line>();
  const sockets = new Set<Socket>();
  const weather: Weather = { isDark: false, delayMs: 0 };
  let isRefusing = false;

  const adopt = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isRefusing) return client.destroy();
    const target = targets[accepted++ % targets.length];
    const upstream = connect({
      port: Number(target?.port),
      host: target?.hostname,
      allowHalfOpen: true,
    });
    adopt(client);
    adopt(upstream);
    lines.add(new Line(client, upstream, weather)).add(new Line(upstream, client, weather));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.port = String((server.address() as AddressInfo).port);

  const cut = () => {
    for (const socket of sockets) socket.destroy();
    lines.clear();
  };
  return {
    url: url.toString(),
    darken() {
      weather.isDark = true;
    },
    slowDown(delayMs) {
      weather.delayMs = delayMs;
    },
    refuse() {
      isRefusing = true;
      cut();
    },
    heal() {
      isRefusing = false;
      weather.isDark = false;
      weather.delayMs = 0;
      for (const line of lines) line.deliver();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Weather {
  isDark: boolean;
  delayMs: number;
}

/** One direction of a connection. */
class Line {
  readonly #to: Socket;
  readonly #weather: Weather;
  readonly #parcels: Parcel[] = [];

  constructor(from: Socket, to: Socket, weather: Weather) {
    this.#to = to;
    this.#weather = weather;
    from.on('data', (chunk) => this.#post(chunk));
    from.once('close', () => this.#post(null));
    from.once('end', () => this.#post(null));
  }

  #post(chunk: Buffer | null): void {
    const { delayMs } = this.#weather;
    this.#parcels.push({ chunk, dueAtMs: performance.now() + delayMs });
    if (delayMs === 0) this.deliver();
    else setTimeout(() => this.deliver(), delayMs + 1);
  }

  /** In order: one that is not due yet holds up those behind it. */
  deliver(): void {
    while (!this.#weather.isDark) {
      const [first] = this.#parcels;
      if (first === undefined || first.dueAtMs > performance.now()) return;
      this.#parcels.shift();
      if (first.chunk === null) this.#to.end();
      else if (!this.#to.destroyed) this.#to.write(first.chunk);
    }
  }
}
