import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What the driver passes to `socket`: the addresses of the pool. */
interface Addresses {
  host: string[];
  port: number[];
  path?: string | false | null;
}

/**
 * Opens the sockets of a pool, with a pause after each that was closed without a byte. When a load
 * balancer accepts connections and closes them at once, postgres.js (3.4.9) reconnects without one,
 * thousands of times per second.
 */
export class PacedSockets {
  #closedEmpty = 0;
  #isOver = false;

  constructor(private readonly pauseMs: (attempt: number) => number) {}

  readonly open = async ({ host, port, path }: Addresses): Promise<Socket> => {
    if (this.#closedEmpty > 0) await delay(this.pauseMs(this.#closedEmpty));
    if (this.#isOver)
      throw Object.assign(new Error('the pool is closed'), { code: 'CONNECTION_ENDED' });
    const [hostname, number] = [host[0] ?? 'localhost', port[0] ?? 5432];
    const socket = path ? connect(path) : connect(number, hostname);
    socket.once('close', () => {
      this.#closedEmpty = socket.bytesRead === 0 ? this.#closedEmpty + 1 : 0;
    });
    // The driver's errors name these.
    return Object.assign(socket, { host: hostname, port: number });
  };

  end(): void {
    this.#isOver = true;
  }
}
