import { NO_LIMITS } from '@ceiba/domain';
import type { LookupItem, LookupRow, PolicyPage } from '@ceiba/schema';
import postgres from 'postgres';
import { createMemoryStore, type MemoryStore } from '../../integration/limiter/support/store.ts';
import type { Endpoint, Process, Wire } from './network.ts';

export interface ModelKey {
  readonly apiKeyId: string;
  status: 'active' | 'revoked';
  isUsed: boolean;
  readonly customer: ModelCustomer | null;
}

/** Limited alike by day and by month. */
export interface ModelCustomer {
  readonly customerId: string;
  readonly quota: number;
}

export interface ModelProject {
  readonly projectId: string;
  readonly secretDigest: Buffer;
  readonly monthlyQuota: number;
  /** By the digest of the key, in hexadecimal. */
  readonly keys: Map<string, ModelKey>;
  readonly policies: PolicyPage['policies'];
  /** Whether `policies` are stored at the moment; without them every call is denied. */
  hasPolicies: boolean;
  revision: number;
}

/** A connection pool of a simulated Runtime. */
export interface PooledDatabase {
  /** Sends a statement; it runs when it arrives at the server. */
  run<T>(statement: (model: PostgresModel) => T | Promise<T>): Promise<T>;
  close(graceMs?: number): Promise<void>;
}

/** SQLSTATE query_canceled. */
const CANCELED = { code: '57014', message: 'canceling statement due to statement timeout' };

/** A model of Postgres: the answers to the statements of a decision, and the stored usage. */
export class PostgresModel {
  readonly endpoint: Endpoint;
  readonly projects = new Map<string, ModelProject>();
  readonly usage: MemoryStore = createMemoryStore();
  #waitingForLock: (() => void)[] | null = null;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  open(process: Process, statementTimeoutMs?: number): PooledDatabase {
    const wires = new WirePool(this.endpoint, process);
    return {
      run: (statement) =>
        wires.with((wire) =>
          wire.request(async () => {
            await this.#untilUnlocked(statementTimeoutMs);
            return statement(this);
          }),
        ),
      close: async (graceMs = 0) => wires.end(graceMs),
    };
  }

  /** Blocks every statement, as a table lock would, until the returned function is called. */
  lock(): () => void {
    this.#waitingForLock = [];
    return () => {
      const waiting = this.#waitingForLock ?? [];
      this.#waitingForLock = null;
      for (const go of waiting) go();
    };
  }

  #untilUnlocked(timeoutMs: number | undefined): Promise<void> | undefined {
    const waiting = this.#waitingForLock;
    if (waiting === null) return undefined;
    return new Promise((resolve, reject) => {
      waiting.push(resolve);
      if (timeoutMs === undefined) return;
      const canceled = new postgres.PostgresError(CANCELED as never);
      this.endpoint.clock.after(timeoutMs, () => reject(canceled));
    });
  }

  lookup(items: readonly LookupItem[]): LookupRow[] {
    return items.map(({ projectId, apiKeyDigest }) => {
      const project = this.projects.get(projectId);
      if (project === undefined)
        return { project: null, subscription: null, apiKey: null, customer: null };
      const key = project.keys.get(apiKeyDigest?.toString('hex') ?? '');
      return {
        project: {
          secretDigest: project.secretDigest,
          previousSecretDigest: null,
          policyRevision: String(project.revision),
          defaultKeyRateLimitPerMinute: null,
          loggedAllowsPercent: 1,
          isUnsampled: false,
          logsPaths: true,
        },
        subscription: {
          admits: true,
          status: 'active',
          plan: {
            planId: projectId,
            name: 'plan',
            rateLimitPerMinute: 1_000_000,
            dailyQuota: null,
            monthlyQuota: project.monthlyQuota,
          },
        },
        apiKey: key === undefined ? null : rowOf(key),
        customer: key?.customer ? factsOf(key.customer) : null,
      };
    });
  }

  listPolicies(projectIds: readonly string[]): Map<string, PolicyPage> {
    const lists = new Map<string, PolicyPage>();
    for (const projectId of projectIds) {
      const project = this.projects.get(projectId);
      if (project === undefined) continue;
      const { revision, hasPolicies, policies } = project;
      lists.set(projectId, {
        revision: String(revision),
        policies: hasPolicies ? policies : [],
        next: null,
      });
    }
    return lists;
  }

  recordFirstUses(apiKeyIds: readonly string[]): string[] {
    for (const { keys } of this.projects.values()) {
      for (const key of keys.values()) key.isUsed ||= apiKeyIds.includes(key.apiKeyId);
    }
    return [];
  }
}

const factsOf = ({ customerId, quota }: ModelCustomer) => ({
  customerId,
  externalId: 'customer',
  suspended: false,
  billingDay: 1,
  rateLimitPerMinute: null,
  dailyQuota: quota,
  monthlyQuota: quota,
  plan: null,
});

const rowOf = ({ apiKeyId, status, isUsed }: ModelKey) => ({
  apiKeyId,
  displayName: 'key',
  keyPrefix: 'ceiba_AAAAAAAA',
  status,
  expired: false,
  disabled: false,
  byPreviousSecret: false,
  neverUsed: !isUsed,
  scopes: null,
  ...NO_LIMITS,
});

/** The connections of one pool; each carries one statement at a time. */
class WirePool {
  readonly #endpoint: Endpoint;
  readonly #process: Process;
  readonly #wires = new Set<Wire>();
  readonly #idle: Wire[] = [];
  #isEnded = false;

  constructor(endpoint: Endpoint, process: Process) {
    this.#endpoint = endpoint;
    this.#process = process;
  }

  async with<T>(use: (wire: Wire) => Promise<T>): Promise<T> {
    if (this.#isEnded) throw Object.assign(new Error('ended'), { code: 'CONNECTION_ENDED' });
    const wire = await this.#take();
    try {
      return await use(wire);
    } finally {
      this.#idle.push(wire);
    }
  }

  end(graceMs: number): void {
    this.#isEnded = true;
    this.#endpoint.clock.after(graceMs, () => {
      for (const wire of this.#wires) wire.close();
    });
  }

  async #take(): Promise<Wire> {
    for (let wire = this.#idle.pop(); wire !== undefined; wire = this.#idle.pop()) {
      if (wire.isOpen) return wire;
      this.#wires.delete(wire);
    }
    const wire = this.#endpoint.wire(this.#process);
    this.#wires.add(wire);
    await wire.connect();
    return wire;
  }
}
