import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@ceiba/process/log';
import { type DataServer, dataServersOf } from '@ceiba/process/redis';
import { BackgroundTask } from '@ceiba/process/tasks';
import type { RedisClock } from '../redis/clock.ts';
import { projectIdOfUsageKey, USAGE_KEY_PATTERN, usageKey } from '../redis/keys.ts';
import type { RedisLink } from '../redis/link.ts';
import { createScript, readScript, type Script } from '../redis/script.ts';
import { UnavailableError } from '../unavailable.ts';
import { type CountFact, factKey, fieldOf } from './facts.ts';
import { factOfField, isPast } from './hash.ts';
import { type CompareUsage, recordMissing } from './missing.ts';
import { REFUSED, type RecordUsage } from './record.ts';

export interface SweepOptions {
  link: RedisLink;
  clock: Pick<RedisClock, 'estimateMs'>;
  trimScript: Script;
  compareUsage: CompareUsage;
  recordUsage: RecordUsage;
  log: Pick<Logger, 'info' | 'warn'>;
  /** The pause between two sweeps, in ms. */
  intervalMs?: number;
  /** How long one statement of Postgres may take, in ms. */
  budgetMs?: number;
}

export const trimScriptText = () => readScript('./trim.lua', import.meta.url);

export const createTrimScript = () => createScript(trimScriptText());

/** How long one command to Redis may take, in ms. */
const REDIS_BUDGET_MS = 1000;
const ITEMS_PER_SCAN = 500;
/** A comparison takes at least so many; the last scan may add more. */
const FACTS_PER_COMPARISON = 1000;
/** After a failed sweep, as at start, when Redis is not connected yet. */
const INTERVAL_MS_MIN = 5_000;
/** The pause after a statement of Postgres, as a multiple of the time that it took. */
const PAUSE_FACTOR = { write: 4, read: 1 } as const;

/**
 * Adopts the usage that dead Runtimes left in Redis, at start and once per minute, and removes past
 * usage that Postgres has confirmed (rule adopted-usage). It writes only the numbers that Postgres
 * lacks (rule missing-usage). It removes only usage of projects of this installation, and all usage
 * of a project that was deleted here (rule deleted-usage). Where Postgres refuses rows, a sweep fails at
 * its end.
 */
export class UsageSweep {
  readonly #options: SweepOptions;
  /** Why Postgres refused rows of the last sweep; null if it refused none. */
  #refusal: unknown = null;
  readonly task: BackgroundTask;

  constructor(options: SweepOptions) {
    this.#options = options;
    const { intervalMs = 60_000, log } = options;
    this.task = new BackgroundTask({
      name: 'the sweep of usage left in Redis',
      run: (signal) => this.#sweep(signal),
      // A row that is refused is likely to be refused again: no reason to sweep more often.
      pauseMs: ({ isDone }) => (isDone || this.#refusal !== null ? intervalMs : INTERVAL_MS_MIN),
      // The link has logged an outage of the whole connection.
      isReported: isRedisOutage,
      log,
    });
  }

  /** Starts the next sweep within seconds: it frees memory that charges wait for. */
  sweepSoon(): void {
    this.task.hurry(INTERVAL_MS_MIN);
  }

  /** Skips a server that fails, so that one node of a cluster does not stop the sweep of the others. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const { link } = this.#options;
    this.#refusal = null;
    const servers = await link.send(REDIS_BUDGET_MS, async (client) => dataServersOf(client));
    const failures: Error[] = [];
    for (const server of servers) {
      try {
        await this.#sweepServer(server, signal);
      } catch (error) {
        if (!isRedisOutage(error) || !link.isUp) throw error;
        failures.push(new Error(`${server.address}: ${withRemedy(error.message)}`));
      }
    }
    if (failures[0]) throw failures[0];
    if (this.#refusal !== null) throw new Error(REFUSED, { cause: this.#refusal });
  }

  async #sweepServer(server: DataServer, signal: AbortSignal): Promise<void> {
    let found = new Map<string, CountFact>();
    for await (const key of this.#usageKeys(server, signal)) {
      for await (const facts of this.#factsOf(key, signal)) {
        // A scan may return a field twice; the later number is never smaller.
        for (const fact of facts) found.set(factKey(fact), fact);
        if (found.size < FACTS_PER_COMPARISON) continue;
        await this.#adopt([...found.values()], signal);
        found = new Map();
      }
    }
    await this.#adopt([...found.values()], signal);
  }

  async *#usageKeys({ connection }: DataServer, signal: AbortSignal): AsyncGenerator<string> {
    let cursor = '0';
    do {
      signal.throwIfAborted();
      const [next, keys] = await this.#options.link.send(REDIS_BUDGET_MS, async () =>
        connection().scan(cursor, 'MATCH', USAGE_KEY_PATTERN, 'COUNT', ITEMS_PER_SCAN),
      );
      yield* keys;
      cursor = next;
    } while (cursor !== '0');
  }

  async *#factsOf(key: string, signal: AbortSignal): AsyncGenerator<CountFact[]> {
    const projectId = projectIdOfUsageKey(key);
    if (projectId === null) return;
    let cursor = '0';
    do {
      signal.throwIfAborted();
      const [next, entries] = await this.#options.link.send(REDIS_BUDGET_MS, (client) =>
        client.hscan(key, cursor, 'COUNT', ITEMS_PER_SCAN),
      );
      yield factsOfEntries(projectId, entries);
      cursor = next;
    } while (cursor !== '0');
  }

  async #adopt(facts: readonly CountFact[], signal: AbortSignal): Promise<void> {
    if (facts.length === 0) return;
    signal.throwIfAborted();
    const { clock, budgetMs = 2000 } = this.#options;
    const startedAt = performance.now();
    const { confirmed, refusal, hasWritten, knownProjectIds, deletedProjectIds } =
      await recordMissing(facts, this.#options, budgetMs);
    this.#refusal ??= refusal;
    const tookMs = performance.now() - startedAt;

    const minute = Math.floor(clock.estimateMs() / 60_000);
    const past = confirmed.filter((fact) => isPast(fact, minute));
    for (const projectId of knownProjectIds) {
      const ofProject = past.filter((fact) => fact.projectId === projectId);
      if (ofProject.length > 0) await this.#trim(projectId, minute, ofProject);
    }
    for (const projectId of deletedProjectIds) await this.#remove(projectId);
    const pauseMs = tookMs * PAUSE_FACTOR[hasWritten ? 'write' : 'read'];
    await pause(pauseMs, undefined, { signal });
  }

  /** A call that began before the deletion may count again; the next sweep removes that. */
  async #remove(projectId: string): Promise<void> {
    await this.#options.link.send(REDIS_BUDGET_MS, (client) => client.unlink(usageKey(projectId)));
  }

  async #trim(projectId: string, minute: number, facts: readonly CountFact[]): Promise<void> {
    const pairs = facts.flatMap((fact) => [fieldOf(fact), fact.count]);
    await this.#options.link.send(REDIS_BUDGET_MS, (client) =>
      this.#options.trimScript.run(client, [usageKey(projectId)], [minute, ...pairs]),
    );
  }
}

const isRedisOutage = (error: unknown): error is UnavailableError =>
  error instanceof UnavailableError && error.dependency === 'redis';

const withRemedy = (message: string) =>
  message.startsWith('NOPERM')
    ? `${message}; allow the Redis user SCAN, HSCAN, UNLINK, EVAL and EVALSHA on the keys ceiba:*`
    : message;

/** HSCAN returns fields and values alternately. */
function factsOfEntries(projectId: string, entries: readonly string[]): CountFact[] {
  const facts: CountFact[] = [];
  for (let i = 0; i + 1 < entries.length; i += 2) {
    const fact = factOfField(projectId, entries[i] ?? '', entries[i + 1] ?? '');
    if (fact) facts.push(fact);
  }
  return facts;
}
