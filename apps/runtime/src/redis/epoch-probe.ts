import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@ceiba/process/log';
import {
  createServerClient,
  EPOCH_PROBLEMS,
  EPOCH_SAMPLES,
  EPOCH_SCRIPT,
  type EpochVerdict,
  judgeEpochs,
  parseRedisUrl,
  type RedisSettings,
  sampleEpochs,
} from '@ceiba/process/redis';
import type { Redis } from 'ioredis';
import { withinMs } from '../deadline.ts';

export interface EpochProbeOptions extends RedisSettings {
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** The pause before the next attempt on a server that is unreachable or unsuitable, in ms. */
  retryMs?: number;
}

const PROBE_TIMEOUT_MS = 5_000;

/**
 * Checks at start, over several connections, whether a single server answers, and whether it reports
 * the lifetime of its data (rule steady-epoch). With several servers behind one address, each
 * charge would reset its counters, so decisions are answered 503 with this cause until the address
 * leads to one server. The nodes of a cluster, and the primary that sentinels name, have addresses of
 * their own and are not probed.
 */
export class EpochProbe {
  readonly #options: EpochProbeOptions;
  readonly #closed = new AbortController();
  #problem: string | null = null;

  constructor(options: EpochProbeOptions) {
    this.#options = options;
    const { kind } = parseRedisUrl(options.url, options.cluster);
    if (kind === 'server') void this.#untilSteady();
  }

  /** Why the server may not charge; null where it may. */
  get problem(): string | null {
    return this.#problem;
  }

  close(): void {
    this.#closed.abort();
  }

  async #untilSteady(): Promise<void> {
    const { log, retryMs = 5_000 } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      // The link reports a server that cannot be reached.
      const finding = await this.#probe().catch(() => null);
      if (finding === 'steady' || finding === 'unreported') {
        if (finding === 'unreported') log.warn(`Redis ${EPOCH_PROBLEMS.unreported}`);
        if (this.#problem !== null) log.info('Redis is one server now');
        this.#problem = null;
        return;
      }
      if (finding === 'changing' && this.#problem === null) {
        this.#problem = `the server ${EPOCH_PROBLEMS.changing}`;
        log.error(`Redis ${EPOCH_PROBLEMS.changing}; every decision is answered 503`);
      }
      await pause(retryMs, undefined, { signal }).catch(() => {}); // ends early on close()
    }
  }

  async #probe(): Promise<EpochVerdict> {
    const clients = Array.from({ length: EPOCH_SAMPLES.connections }, () =>
      createServerClient(this.#options.url),
    );
    try {
      return await withinMs(PROBE_TIMEOUT_MS, 'redis', verdictOf(clients));
    } finally {
      for (const client of clients) client.disconnect();
    }
  }
}

async function verdictOf(clients: readonly Redis[]): Promise<EpochVerdict> {
  for (const client of clients) client.on('error', () => {}); // they reach us as rejections
  await Promise.all(clients.map((client) => client.connect()));
  return judgeEpochs(
    await sampleEpochs(clients.map((client) => () => client.eval(EPOCH_SCRIPT, 0))),
  );
}
