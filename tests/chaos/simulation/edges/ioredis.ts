import type { Wire } from '../network.ts';
import type { RedisModel } from '../redis-model.ts';
import { machine, processOf } from './machine.ts';

/** The part of ioredis's `Redis` that the Runtime uses: one connection that is opened once. */
export class Redis {
  readonly #wire: Wire;
  status = 'wait';
  readonly options = { host: 'redis', port: 6379 };

  constructor(url: string) {
    this.#wire = machine().redis.endpoint.wire(processOf(url));
    this.#wire.onClose(() => {
      this.status = 'end';
    });
  }

  async connect(): Promise<void> {
    await this.#wire.connect();
    this.status = 'ready';
  }

  disconnect(): void {
    this.status = 'end';
    this.#wire.close();
  }

  once(event: string, listener: () => void): this {
    return this.on(event, listener);
  }

  on(event: string, listener: () => void): this {
    if (event === 'close') this.#wire.onClose(listener);
    return this;
  }

  ping = () => this.#wire.request(() => 'PONG');
  info = (...sections: string[]) => this.#wire.request(() => machine().redis.info(sections));
  time = () => this.#wire.request(() => machine().redis.time());
  evalsha = (digest: string, keyCount: number, ...rest: (string | number)[]) =>
    this.#script((redis, args, sentAtMs) => redis.evalsha(digest, keyCount, args, sentAtMs), rest);
  eval = (text: string, keyCount: number, ...rest: (string | number)[]) =>
    this.#script((redis, args, sentAtMs) => redis.eval(text, keyCount, args, sentAtMs), rest);
  scan = () => this.#wire.request(() => machine().redis.scan());
  hscan = (key: string) => this.#wire.request(() => machine().redis.hscan(key));

  #script<T>(
    run: (redis: RedisModel, args: readonly string[], sentAtMs: number) => T,
    rest: readonly (string | number)[],
  ): Promise<T> {
    const { redis, clock } = machine();
    const sentAtMs = clock.nowMs;
    const args = rest.map(String);
    return this.#wire.request(() => run(redis, args, sentAtMs));
  }
}

/** Neither sockets nor a cluster are simulated. */
export class AbstractConnector {}
export class Cluster {}
export class Command {}
