import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between a Runtime and a server that a test controls. */
export interface TestNetwork {
  /** The server's URL through this network. */
  readonly url: string;
  /**
   * Connections stay open and carry nothing; new ones are accepted and carry nothing either. Data
   * that was sent meanwhile arrives after `heal`, as after a partition.
   */
  darken(): void;
  /** Only the connections that are open now carry nothing any more; new ones work. */
  darkenOpen(): void;
  /** Delays everything by this time, in each direction. */
  slowDown(delayMs: number): void;
  /** Closes every connection, and each new one at once. */
  refuse(): void;
  heal(): void;
  close(): Promise<void>;
}

/** A delayed chunk; null is the end of the stream. */
interface Parcel {
  chunk: Buffer | null;
  dueAtMs: number;
}

/** @param others makes it a balancer: each new connection goes to the next server */
export async function startTestNetwork(
  serverUrl: string,
  ...others: readonly string[]
): Promise<TestNetwork> {
  const targets = [serverUrl, ...others].map((url) => new URL(url));
  let accepted = 0;
  const lines = new Set<Line>();
  const sockets = new Set<Socket>();
  let weather: Weather = { isDark: false, delayMs: 0 };
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
    darkenOpen() {
      weather.isDark = true;
      weather = { ...weather, isDark: false };
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

  /** In order: a chunk that is not due yet delays those after it. */
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
