import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@ceiba/process/log';
import {
  type ClientSource,
  connectionError,
  createSource,
  type DataServer,
  dataServersOf,
  type RedisClient,
  type RedisSettings,
} from '@ceiba/process/redis';
import type { Redis } from 'ioredis';
import { type MonotonicClock, withinMs } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import type { RedisClock } from './clock.ts';
import { Connection, unavailable } from './connection.ts';

export interface RedisLinkOptions extends RedisSettings {
  clock: RedisClock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Uniform in [0, 1); spreads the reconnects of many Runtimes. */
  random: () => number;
  now: MonotonicClock;
  /** Called with the error of each command that failed after it was sent. */
  onError?: (error: unknown) => void;
}

/** A frozen server accepts connections but answers nothing, so a connection has to prove itself. */
const PROOF_TIMEOUT_MS = 1000;
const BACKOFF_MS_MAX = 500;
/** After a connection that worked for this long, reconnect without a delay. */
const SOUND_AFTER_MS = 1000;
/** How often the sentinels are asked for the current primary, in ms. */
const LOOK_EVERY_MS = 500;

/**
 * The connection to Redis. It makes new clients itself, because the first timeout has to end a
 * connection for good. Until the next one has proved itself, every command fails at once without
 * being sent (rules charge-deadline and replaced-connection). A server that recovers is used again
 * within two seconds.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #source: ClientSource;
  readonly #closed = new AbortController();
  #connection: Connection | null = null;
  #attempt = 0;
  #reportedDown = false;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#source = createSource(options);
    void this.#connect();
  }

  /**
   * @param budgetMs - How long the command may take.
   * @param key - A key of the command: in a cluster, a timeout ends the connection to the key's node.
   * @throws UnavailableError on any error. Without a connection nothing was sent; otherwise the
   *   command may still have run.
   */
  async send<T>(
    budgetMs: number,
    run: (client: RedisClient) => Promise<T>,
    key?: string,
  ): Promise<T> {
    if (!this.#connection) throw new UnavailableError('redis', 'not connected');
    if (budgetMs <= 0) throw new UnavailableError('redis', 'no time left to ask');
    try {
      return await this.#connection.send(budgetMs, run, key);
    } catch (error) {
      this.#options.onError?.(error);
      throw error;
    }
  }

  /**
   * Asks every server for its time, which also updates the clock.
   *
   * @throws UnavailableError that names the server, unless every server answers within the budget.
   */
  ping(budgetMs: number): Promise<void> {
    return this.sendToEach(
      budgetMs,
      async ({ connection }) => timeMsOf(connection()),
      (timeMs) => this.#options.clock.observe(timeMs),
    );
  }

  /**
   * Sends a command to every server at the same time.
   *
   * @param onReply called with each reply that came within the budget
   * @throws UnavailableError that names the server, unless every server answers within the budget.
   */
  async sendToEach<T>(
    budgetMs: number,
    run: (server: DataServer) => Promise<T>,
    onReply: (reply: T) => void = () => {},
  ): Promise<void> {
    const servers = await this.send(budgetMs, async (client) => dataServersOf(client));
    const sendTo = async (server: DataServer) => {
      try {
        onReply(await this.send(budgetMs, () => run(server)));
      } catch (error) {
        const { message } = unavailable(error);
        throw new UnavailableError('redis', `${server.address}: ${message}`, { cause: error });
      }
    };
    await Promise.all(servers.map(sendTo));
  }

  /** Whether there is a connection; while there is none, the link has logged why. */
  get isUp(): boolean {
    return this.#connection !== null;
  }

  /** Ends the connection and makes no other. */
  close(): void {
    this.#closed.abort();
    this.#connection?.discard(new Error('the link was closed'));
    this.#source.close();
  }

  async #connect(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await this.#backOff();
      try {
        const client = await this.#openProvenClient();
        if (this.#closed.signal.aborted) return client.disconnect();
        return this.#use(client);
      } catch (error) {
        this.#reportDown(error);
      }
    }
  }

  #use(client: RedisClient): void {
    const since = this.#options.now();
    this.#options.log.info('connected to Redis');
    this.#reportedDown = false;
    const connection = new Connection(client, (error) => {
      this.#connection = null;
      if (this.#closed.signal.aborted) return;
      this.#reportDown(error);
      if (this.#options.now() - since >= SOUND_AFTER_MS) this.#attempt = 0;
      void this.#connect();
    });
    if (connection.isLost) return;
    this.#connection = connection;
    if (this.#source.isReplaced) void this.#discardOnceReplaced(connection, this.#source);
  }

  /**
   * A replaced primary may go on answering until its sentinels reach it (rule sentinel-primary).
   */
  async #discardOnceReplaced(connection: Connection, source: ClientSource): Promise<void> {
    while (!connection.isLost) {
      await this.#pause(LOOK_EVERY_MS);
      if (await source.isReplaced?.()) {
        connection.discard(new Error('the sentinels name another primary'));
      }
    }
  }

  /** Ends early on `close`. */
  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#closed.signal }).catch(() => {});
  }

  /** The first attempt is immediate; the others wait up to half a second, with jitter. */
  async #backOff(): Promise<void> {
    const attempt = this.#attempt++;
    if (attempt === 0) return;
    const longest = Math.min(BACKOFF_MS_MAX, 25 * 2 ** Math.min(attempt, 10));
    await this.#pause(longest * (0.5 + this.#options.random() / 2));
  }

  async #openProvenClient(): Promise<RedisClient> {
    const client = await this.#source.create();
    // Without a listener ioredis prints errors; they reach us as rejections.
    client.on('error', () => {});
    try {
      await withinMs(2 * PROOF_TIMEOUT_MS, 'redis', client.connect());
      // In a cluster one proof is enough: a frozen node must not affect projects on other nodes.
      const proof = Promise.any(
        dataServersOf(client).map(async ({ connection }) => prove(connection())),
      );
      this.#options.clock.observe(await withinMs(PROOF_TIMEOUT_MS, 'redis', proof));
      return client;
    } catch (error) {
      client.disconnect();
      // A cluster that names no server leaves no error of one.
      const reported = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
      throw connectionError(client, reported);
    }
  }

  #reportDown(error: unknown): void {
    if (this.#reportedDown) return;
    this.#reportedDown = true;
    this.#options.log.warn({ err: error }, 'Redis is unavailable');
  }
}

/**
 * A server proves itself by answering as a primary: a replica answers PING too.
 *
 * @returns its `TIME` in ms
 */
async function prove(server: Redis): Promise<number> {
  const [, replication, timeMs] = await Promise.all([
    server.ping(),
    server.info('replication'),
    timeMsOf(server),
  ]);
  if (/^role:slave/m.test(replication)) throw new Error('READONLY the server is a replica');
  return timeMs;
}

/** `TIME` in ms since 1970. */
async function timeMsOf(server: Redis): Promise<number> {
  const [seconds, micros] = await server.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
