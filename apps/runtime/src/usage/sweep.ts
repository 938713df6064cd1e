import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { primariesOf } from '../redis/client.ts';
import type { RedisClock } from '../redis/clock.ts';
import { projectIdOfUsageKey, USAGE_KEY_PATTERN, usageKey } from '../redis/keys.ts';
import type { RedisLink } from '../redis/link.ts';
import { createScript, readScript, type Script } from '../redis/script.ts';
import { UnavailableError } from '../unavailable.ts';
import { type CountFact, factKey } from './facts.ts';
import { factOfField, fieldOf, isPast } from './hash.ts';
import { TaskHealth } from './health.ts';
import { type CompareUsage, recordMissing } from './missing.ts';
import type { RecordUsage } from './record.ts';
import { type RepeatedTask, repeat } from './repeat.ts';

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

/** `trim.lua` as the sweep runs it. */
export const createTrimScript = () => createScript(trimScriptText());

/** How long one command to Redis may take, in ms. */
const REDIS_BUDGET_MS = 1000;
const ITEMS_A_SCAN = 500;
/** A comparison has as many, and what the last scan brought beyond them. */
const FACTS_A_COMPARISON = 1000;
/** At start Redis is not connected yet; what a dead Runtime left is not to wait a minute for that. */
const SHORTEST_INTERVAL_MS = 5_000;
/** A write to Postgres is followed by a pause of four times its length, a read by one as long. */
const PAUSE_FACTOR = { write: 4, read: 1 } as const;

/**
 * Adopts what Runtimes that died have left in Redis, once a minute and at start, and removes from
 * Redis what is past and confirmed (consistency rule 18). Postgres is asked which numbers it lacks,
 * and those alone are written (rule 36). Only what belongs to a project of this installation is
 * removed; of a project that was deleted here, all of it is (rule 35).
 */
export class UsageSweep {
  readonly #options: SweepOptions;
  readonly #health: TaskHealth;
  readonly #repeated: RepeatedTask;
  readonly #stopped = new AbortController();
  #sweeping: Promise<void> = Promise.resolve();
  /** Whether the last sweep came to its end. */
  #isComplete = false;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#health = new TaskHealth('the sweep of usage left in Redis', options.log);
    this.#repeated = repeat(async () => {
      await this.sweepNow();
      return this.#isComplete ? (options.intervalMs ?? 60_000) : SHORTEST_INTERVAL_MS;
    });
  }

  /** Sweeps when its turn comes. Never rejects. */
  sweepNow(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweep());
    return this.#sweeping;
  }

  /** The next sweep starts within seconds: what it removes is memory that charges wait for. */
  sweepSoon(): void {
    this.#repeated.hurry(SHORTEST_INTERVAL_MS);
  }

  /** Ends the repetition; a sweep under way ends at its next step. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#repeated.stop();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    this.#isComplete = false;
    try {
      let found = new Map<string, CountFact>();
      for await (const key of this.#usageKeys()) {
        for await (const facts of this.#factsOf(key)) {
          // A scan may show a field twice; the later number is not the smaller one.
          for (const fact of facts) found.set(factKey(fact), fact);
          if (found.size < FACTS_A_COMPARISON) continue;
          await this.#adopt([...found.values()]);
          found = new Map();
        }
      }
      await this.#adopt([...found.values()]);
      this.#isComplete = true;
      this.#health.worked();
    } catch (fault) {
      if (!this.#stopped.signal.aborted && !isRedisFault(fault)) this.#health.failed(fault);
    }
  }

  async *#usageKeys(): AsyncGenerator<string> {
    const primaries = await this.#options.link.send(REDIS_BUDGET_MS, async (client) =>
      primariesOf(client),
    );
    for (const primary of primaries) {
      let cursor = '0';
      do {
        const scan = () => primary.scan(cursor, 'MATCH', USAGE_KEY_PATTERN, 'COUNT', ITEMS_A_SCAN);
        const [next, keys] = await this.#options.link.send(REDIS_BUDGET_MS, scan);
        yield* keys;
        cursor = next;
      } while (cursor !== '0');
    }
  }

  async *#factsOf(key: string): AsyncGenerator<CountFact[]> {
    const projectId = projectIdOfUsageKey(key);
    if (projectId === null) return;
    let cursor = '0';
    do {
      const [next, entries] = await this.#options.link.send(REDIS_BUDGET_MS, (client) =>
        client.hscan(key, cursor, 'COUNT', ITEMS_A_SCAN),
      );
      yield factsOfEntries(projectId, entries);
      cursor = next;
    } while (cursor !== '0');
  }

  async #adopt(facts: readonly CountFact[]): Promise<void> {
    if (facts.length === 0) return;
    this.#stopped.signal.throwIfAborted();
    const { clock, budgetMs = 2000 } = this.#options;
    const startedAt = performance.now();
    const { confirmed, hasWritten, knownProjectIds, deletedProjectIds } = await recordMissing(
      facts,
      this.#options,
      budgetMs,
    );
    const tookMs = performance.now() - startedAt;

    const minute = Math.floor(clock.estimateMs() / 60_000);
    const past = confirmed.filter((fact) => isPast(fact, minute));
    for (const projectId of knownProjectIds) {
      const ofProject = past.filter((fact) => fact.projectId === projectId);
      if (ofProject.length > 0) await this.#trim(projectId, minute, ofProject);
    }
    for (const projectId of deletedProjectIds) await this.#remove(projectId);
    const pauseMs = tookMs * PAUSE_FACTOR[hasWritten ? 'write' : 'read'];
    await pause(pauseMs, undefined, { signal: this.#stopped.signal });
  }

  /** A call that began before the deletion may count once more; the next sweep removes that. */
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

/** The link to Redis has told the log of it. */
const isRedisFault = (fault: unknown) =>
  fault instanceof UnavailableError && fault.dependency === 'redis';

/** HSCAN answers fields and values in turn. */
function factsOfEntries(projectId: string, entries: readonly string[]): CountFact[] {
  const facts: CountFact[] = [];
  for (let i = 0; i + 1 < entries.length; i += 2) {
    const fact = factOfField(projectId, entries[i] ?? '', entries[i + 1] ?? '');
    if (fact) facts.push(fact);
  }
  return facts;
}
