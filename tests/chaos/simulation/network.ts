import type { Random } from '../support/random.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How long a message takes, in ms. */
export interface Delays {
  leastMs: number;
  mostMs: number;
  /** The share of messages that take up to `slowMs`. */
  slowShare: number;
  slowMs: number;
}

export const CALM: Delays = { leastMs: 0.1, mostMs: 2, slowShare: 0, slowMs: 0 };

/** A process as a client of servers. */
export interface Process {
  readonly name: string;
  /** Killed: it sends and receives nothing more. */
  isDead: boolean;
}

/** One server and the connections of all processes to it. */
export class Endpoint {
  readonly clock: VirtualClock;
  readonly #random: Random;
  readonly #open = new Set<Wire>();
  #atThaw: (() => void)[] = [];
  #isFrozen = false;
  isDown = false;
  /** Names of processes whose messages are dropped, in both directions. */
  readonly dark = new Set<string>();
  delays = CALM;

  constructor(clock: VirtualClock, random: Random) {
    this.clock = clock;
    this.#random = random;
  }

  /** @returns a connection that is not open yet */
  wire(process: Process): Wire {
    return new Wire(this, process, this.#open);
  }

  delayMs(): number {
    const { leastMs, mostMs, slowShare, slowMs } = this.delays;
    const longest = slowShare > 0 && this.#random.chance(slowShare) ? slowMs : mostMs;
    return leastMs + (this.#random.int(0, 1_000) / 1_000) * (longest - leastMs);
  }

  /** Closes every connection; calls in flight get no answer, even if they have run. */
  breakAll(process?: Process): void {
    for (const wire of [...this.#open]) {
      if (process === undefined || wire.process === process) wire.fail(closed());
    }
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  /** Runs the messages that arrived meanwhile, even if no caller waits for them. */
  thaw(): void {
    this.#isFrozen = false;
    const waiting = this.#atThaw;
    this.#atThaw = [];
    for (const run of waiting) run();
  }

  whenAwake(run: () => void): void {
    if (this.isDown) return;
    if (this.#isFrozen) this.#atThaw.push(run);
    else run();
  }
}

const closed = () => codedError('CONNECTION_CLOSED', 'Connection is closed.');

export const codedError = (code: string, message: string) =>
  Object.assign(new Error(message), { code });

/** The connect timeout of a driver. */
const CONNECT_TIMEOUT_MS = 1_000;

/** One connection. Its messages arrive in order, or not at all. */
export class Wire {
  readonly process: Process;
  readonly #endpoint: Endpoint;
  readonly #open: Set<Wire>;
  readonly #pending = new Set<(error: Error) => void>();
  readonly #onClose: (() => void)[] = [];
  #lastArrivalMs = 0;
  #lastReplyMs = 0;

  constructor(endpoint: Endpoint, process: Process, open: Set<Wire>) {
    this.#endpoint = endpoint;
    this.process = process;
    this.#open = open;
  }

  get isOpen(): boolean {
    return this.#open.has(this);
  }

  onClose(listener: () => void): void {
    this.#onClose.push(listener);
  }

  /** A frozen server accepts connections, because its kernel does. */
  connect(): Promise<void> {
    const { clock } = this.#endpoint;
    return new Promise((resolve, reject) => {
      if (this.process.isDead) return;
      if (this.#isDark) {
        const timeout = codedError('CONNECT_TIMEOUT', 'connect timed out');
        clock.after(CONNECT_TIMEOUT_MS, () => reject(timeout));
        return;
      }
      clock.after(2 * this.#endpoint.delayMs(), () => {
        if (this.process.isDead) return;
        if (this.#endpoint.isDown) {
          reject(codedError('ECONNREFUSED', 'connect ECONNREFUSED'));
        } else {
          this.#open.add(this);
          resolve();
        }
      });
    });
  }

  /**
   * @param run what the server does when the message arrives; may return a promise
   */
  request<T>(run: () => T | Promise<T>): Promise<T> {
    const { clock } = this.#endpoint;
    if (!this.isOpen) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      if (this.process.isDead) return;
      this.#pending.add(reject);
      const answer = (settle: () => void) => {
        const atMs = Math.max(this.#lastReplyMs, clock.nowMs + this.#endpoint.delayMs());
        this.#lastReplyMs = atMs;
        clock.after(atMs - clock.nowMs, () => {
          if (!this.#isDark && !this.process.isDead && this.#pending.delete(reject)) settle();
        });
      };
      const arrive = async () => {
        try {
          const value = await run();
          answer(() => resolve(value));
        } catch (error) {
          answer(() => reject(error));
        }
      };
      const atMs = Math.max(this.#lastArrivalMs, clock.nowMs + this.#endpoint.delayMs());
      this.#lastArrivalMs = atMs;
      clock.after(atMs - clock.nowMs, () => {
        if (!this.#isDark) this.#endpoint.whenAwake(() => void arrive());
      });
    });
  }

  fail(error: Error): void {
    const wasOpen = this.#open.delete(this);
    if (this.process.isDead) return;
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
    if (wasOpen) for (const listener of this.#onClose) listener();
  }

  /** Closes it on this side; sent messages may still arrive. */
  close(): void {
    this.fail(closed());
  }

  get #isDark(): boolean {
    return this.#endpoint.dark.has(this.process.name);
  }
}
