import { randomUUID } from 'node:crypto';
import { OUTCOMES } from '@ceiba/contract/sets';
import { digestOf, mintApiKey, mintProjectSecret } from '@ceiba/domain';
import { judged } from '../support/caller.ts';
import { type Ask, type Change, type History, judge, openHistory } from '../support/history.ts';
import { createFastRandom, type Random } from '../support/random.ts';
import { hold } from '../support/violation.ts';
import type { Machine } from './machine.ts';
import { CALM, Endpoint, type Process } from './network.ts';
import { type ModelKey, type ModelProject, PostgresModel } from './postgres-model.ts';
import type { Program, SimulatedRuntime } from './program.ts';
import { RedisModel } from './redis-model.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Half past ten on a day in the middle of a month, so that no window ends meanwhile. */
const WALL_CLOCK_AT_START_MS = Date.parse('2026-11-18T10:30:15.000Z');

/** A Runtime that answers questions. */
interface Node {
  readonly process: Process;
  readonly runtime: SimulatedRuntime;
  /** Ends the questions that it will never answer. */
  readonly open: Set<() => void>;
  isStopping: boolean;
}

/** A project with its callers and its history. */
interface Tenant {
  readonly project: ModelProject;
  readonly secret: string;
  readonly keys: readonly { plaintext: string; row: ModelKey }[];
  readonly history: History;
}

/** The verdict after a change. */
type NewState = Omit<Change, 'sentAtMs' | 'answeredAtMs'>;

export interface ScheduleResult {
  readonly fault: FaultKind;
  readonly asked: number;
  readonly allowed: number;
  readonly unavailable: number;
}

/** There is only one Postgres, so no lease is needed. */
const SETTINGS = { DATABASE_LEASE_MS: '0' };
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Shared, because minting a secret and keys takes longer than a schedule. */
const SECRET = mintProjectSecret((bytes) => Buffer.alloc(bytes, 1));
const KEYS = [2, 3, 4, 5].map((fill) => mintApiKey((bytes) => Buffer.alloc(bytes, fill)));

/** Exactly the deadline of a decision, because a simulated machine is never late. */
const ANSWER_WITHIN_MS = 500 + 1;
/** A second to connect, half a second between two attempts, and a second for the first check. */
const RECOVER_WITHIN_MS = 3_000;
const STOP_WITHIN_MS = 10_000;
/** A Runtime is connected after this time; questions start then. */
const READY_WITHIN_MS = 50;

/**
 * Runs some Runtimes under a load, a fault and some changes, all determined by the seed.
 *
 * @throws Violation if a rule was broken
 */
export async function runSchedule(program: Program, seed: string): Promise<ScheduleResult> {
  const world = new World(program, createFastRandom(seed));
  return world.run();
}

/** A fault, from its begin to its end. */
type Fault = (world: World) => () => void;

const FAULTS = {
  'nothing goes wrong': () => () => {},
  'one project floods': (world) => {
    world.flood();
    return () => {};
  },
  'messages are slow': (world) => {
    const delays = {
      leastMs: 0.1,
      mostMs: 40,
      slowShare: world.random.pick([0.1, 0.5]),
      slowMs: world.random.int(50, 600),
    };
    world.postgres.endpoint.delays = delays;
    world.redis.endpoint.delays = delays;
    return () => {
      world.postgres.endpoint.delays = CALM;
      world.redis.endpoint.delays = CALM;
    };
  },
  'Redis is frozen': ({ redis }) => freeze(redis.endpoint),
  'Postgres is frozen': ({ postgres }) => freeze(postgres.endpoint),
  'the network to Redis goes dark': (world) => darken(world, world.redis.endpoint),
  'the network to Postgres goes dark': (world) => darken(world, world.postgres.endpoint),
  'connections to Redis break': ({ redis, random }) => breakOften(redis.endpoint, random),
  'connections to Postgres break': ({ postgres, random }) => breakOften(postgres.endpoint, random),
  'Redis restarts': (world) => {
    world.redis.restart({ isWiped: false });
    return takeDown(world.redis.endpoint);
  },
  'Redis restarts without data': ({ redis, postgres, tenants }) => {
    for (const { project, history } of tenants) {
      const { projectId } = project;
      // Unflushed calls may be allowed again by a Runtime that has not seen them.
      const flushed = postgres.usage.admissions(projectId, 'project');
      const repeats = Math.max(0, redis.allowedCalls(projectId) - flushed);
      history.losses.push({ words: 'Redis lost its data', forgets: 0, repeats });
    }
    redis.restart({ isWiped: true });
    return takeDown(redis.endpoint);
  },
  'Postgres restarts': ({ postgres }) => takeDown(postgres.endpoint),
  'a lock blocks every statement': ({ postgres }) => postgres.lock(),
  'a Runtime is killed': (world) => {
    world.kill();
    return () => {};
  },
  'a Runtime is stopped': (world) => {
    world.stopOne();
    return () => {};
  },
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof FAULTS;
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];

/** Faults without an outage, during which each question is answered. */
const HARMLESS: ReadonlySet<FaultKind> = new Set(['nothing goes wrong', 'a Runtime is stopped']);

function freeze(endpoint: Endpoint): () => void {
  endpoint.freeze();
  return () => endpoint.thaw();
}

function darken({ random, nodes }: World, endpoint: Endpoint): () => void {
  const names = nodes.map(({ process }) => process.name).filter(() => random.chance(0.7));
  for (const name of names) endpoint.dark.add(name);
  return () => endpoint.dark.clear();
}

function breakOften(endpoint: Endpoint, random: Random): () => void {
  let isOver = false;
  const breakNext = () => {
    if (isOver) return;
    endpoint.breakAll();
    endpoint.clock.after(random.int(1, 60), breakNext);
  };
  breakNext();
  return () => {
    isOver = true;
  };
}

function takeDown(endpoint: Endpoint): () => void {
  endpoint.isDown = true;
  endpoint.breakAll();
  return () => {
    endpoint.isDown = false;
  };
}

class World implements Machine {
  readonly clock = new VirtualClock();
  readonly random: Random & (() => number);
  readonly postgres: PostgresModel;
  readonly redis: RedisModel;
  readonly nodes: Node[] = [];
  readonly tenants: readonly [Tenant, Tenant];
  readonly #program: Program;
  readonly #processes = new Map<string, Process>();
  readonly #stops: Promise<void>[] = [];
  #violation: unknown = null;
  #openAsks = 0;
  #wasKilled = false;

  constructor(program: Program, random: Random) {
    this.#program = program;
    this.random = Object.assign(() => random.int(0, 2 ** 30) / (2 ** 30 + 1), random);
    this.postgres = new PostgresModel(new Endpoint(this.clock, random));
    this.redis = new RedisModel(new Endpoint(this.clock, random), () => this.wallClockMs());
    this.tenants = [
      this.#openTenant(KEYS.slice(0, 3), random.pick([3, 8, 1_000])),
      this.#openTenant(KEYS.slice(3), 1_000),
    ];
  }

  wallClockMs = () => WALL_CLOCK_AT_START_MS + this.clock.nowMs;

  processNamed(name: string): Process {
    const process = this.#processes.get(name) ?? { name, isDead: false };
    this.#processes.set(name, process);
    return process;
  }

  async run(): Promise<ScheduleResult> {
    const { random, clock } = this;
    this.#program.enter(this);
    this.#start('a');
    this.#start('b');
    await clock.runUntil(READY_WITHIN_MS);

    const fault = random.chance(0.1) ? 'nothing goes wrong' : random.pick(FAULT_KINDS.slice(1));
    const loadMs = random.int(300, 2_500);
    const loadEndsAtMs = READY_WITHIN_MS + loadMs;
    this.#askOften(loadEndsAtMs, random.int(3, 14));
    this.#changeSometimes(loadEndsAtMs);
    await clock.runUntil(random.int(READY_WITHIN_MS, loadEndsAtMs));
    const beginsAtMs = clock.nowMs;
    const endFault = FAULTS[fault](this);
    await clock.runUntil(clock.nowMs + random.int(1, 1_500));
    endFault();
    const toMs = Math.max(clock.nowMs, loadEndsAtMs);
    this.#recordFault(fault, beginsAtMs, toMs);
    await clock.runUntil(toMs + RECOVER_WITHIN_MS);
    if (random.chance(0.5)) this.#askOften(clock.nowMs + 100, 3);
    await clock.runUntil(clock.nowMs + 100 + ANSWER_WITHIN_MS);
    await this.#stopAll();
    await this.#judge(fault);
    const asks = this.tenants.flatMap(({ history }) => history.asks);
    const countOf = (verdict: Ask['verdict']) =>
      asks.filter((ask) => ask.verdict === verdict).length;
    return {
      fault,
      asked: asks.length,
      allowed: countOf('allowed'),
      unavailable: countOf('unavailable'),
    };
  }

  /** A flood of one project is a fault only for that project. */
  #recordFault(fault: FaultKind, beginsAtMs: number, toMs: number): void {
    if (HARMLESS.has(fault)) return;
    const affected = fault === 'one project floods' ? this.tenants.slice(0, 1) : this.tenants;
    for (const { history } of affected) {
      history.faults.push({
        words: fault,
        beginsAtMs,
        fromMs: beginsAtMs,
        toMs,
        isTotal: false,
        keepsCounts: true,
        answerWithinMs: ANSWER_WITHIN_MS,
        recoverWithinMs: RECOVER_WITHIN_MS,
        mostLateCharges: Number.POSITIVE_INFINITY,
      });
    }
  }

  /** Many questions of the first project at once, and a few of the other. */
  flood(): void {
    const [tenant, other] = this.tenants;
    for (let left = this.random.int(20, 60); left > 0; left -= 1) void this.#ask(tenant);
    for (let left = this.random.int(1, 3); left > 0; left -= 1) void this.#ask(other);
  }

  kill(): void {
    const node = this.random.pick(this.nodes);
    this.#wasKilled = true;
    node.process.isDead = true;
    node.isStopping = true;
    for (const end of node.open) end();
    this.#start('c');
  }

  stopOne(): void {
    this.#stop(this.random.pick(this.nodes));
    this.#start('c');
  }

  #openTenant(keys: typeof KEYS, monthlyQuota: number): Tenant {
    const projectId = randomUUID();
    const policyId = randomUUID();
    const customer = { customerId: randomUUID(), quota: Math.ceil(monthlyQuota / 2) };
    const owned = keys.map(({ plaintext, digest }, index) => {
      const row: ModelKey = {
        apiKeyId: randomUUID(),
        status: 'active',
        isUsed: false,
        customer: index === 0 ? null : customer,
      };
      return { plaintext, digest, row };
    });
    const project: ModelProject = {
      projectId,
      secretDigest: digestOf(SECRET.plaintext),
      monthlyQuota,
      keys: new Map(owned.map(({ digest, row }) => [digest.toString('hex'), row])),
      policies: [{ policyId, method: 'GET', pathPattern: '/v1/*', scopes: null, cost: 1 }],
      hasPolicies: true,
      revision: 1,
    };
    this.postgres.projects.set(projectId, project);
    const { customerId, quota } = customer;
    const limits = {
      project: { quota: monthlyQuota, ratePerMinute: null },
      customers: { [customerId]: { quota, ratePerMinute: null } },
      customerOf: Object.fromEntries(owned.slice(1).map(({ row }) => [row.apiKeyId, customerId])),
    };
    return { project, secret: SECRET.plaintext, keys: owned, history: openHistory(limits) };
  }

  #start(name: string): void {
    const settings = this.#program.readSettings({
      ...SETTINGS,
      DATABASE_URL: `postgres://${name}`,
      REDIS_URL: `redis://${name}`,
    });
    const runtime = this.#program.createRuntime(settings, SILENT);
    const process = this.processNamed(name);
    const node = { process, runtime, open: new Set<() => void>(), isStopping: false };
    this.clock.after(READY_WITHIN_MS, () => this.nodes.push(node));
  }

  #stop(node: Node): void {
    node.isStopping = true;
    const startedAtMs = this.clock.nowMs;
    const stopped = node.runtime.stop().then(() => {
      const stopMs = Math.round(this.clock.nowMs - startedAtMs);
      this.#keep(() =>
        hold('stops gracefully', stopMs <= STOP_WITHIN_MS, () => `after ${stopMs} ms`),
      );
    });
    this.#stops.push(stopped);
  }

  /** The replacement of a killed Runtime sweeps up its usage. */
  async #stopAll(): Promise<void> {
    if (this.#wasKilled) await this.clock.runUntil(this.clock.nowMs + 6_000);
    for (const node of this.nodes) if (!node.isStopping) this.#stop(node);
    let isOver = false;
    void Promise.all(this.#stops).then(() => {
      isOver = true;
    });
    await this.clock.runUntil(this.clock.nowMs + 2 * STOP_WITHIN_MS, () => isOver);
    hold('stops gracefully', isOver, () => 'a Runtime did not stop');
    hold('a fault is answered in time', this.#openAsks === 0, () => {
      return `${this.#openAsks} questions were never answered`;
    });
  }

  #askOften(untilMs: number, times: number): void {
    const { clock, random } = this;
    for (let left = times; left > 0; left -= 1) {
      const inMs = random.int(0, Math.floor(10 * (untilMs - clock.nowMs))) / 10;
      const atOnce = random.chance(0.3) ? random.int(2, 4) : 1;
      clock.after(inMs, () => {
        const tenant = random.pick(this.tenants);
        for (let more = atOnce; more > 0; more -= 1) void this.#ask(tenant);
      });
    }
  }

  async #ask(tenant: Tenant): Promise<void> {
    const { clock, random } = this;
    const node = random.pick(this.nodes.filter(({ isStopping }) => !isStopping));
    const { plaintext, row } = random.pick(tenant.keys);
    const { projectId } = tenant.project;
    const sentAtMs = clock.nowMs;
    const write = (answer: Pick<Ask, 'verdict' | 'status' | 'limits' | 'words'>) =>
      tenant.history.asks.push({
        ...answer,
        key: row.apiKeyId,
        window: 0,
        sentAtMs,
        answeredAtMs: clock.nowMs,
      });
    this.#openAsks += 1;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      this.#openAsks -= 1;
      node.open.delete(end);
      if (node.process.isDead) {
        write({ verdict: 'no_answer', status: null, limits: null, words: 'the Runtime is dead' });
      }
    };
    node.open.add(end);
    const headers = {
      'content-type': 'application/json',
      'x-service-project-secret': tenant.secret,
    };
    const body = JSON.stringify({ apiKey: plaintext, method: 'GET', path: '/v1/reports' });
    const response = await node.runtime.server.post(
      `/rt/projects/${projectId}/authorize`,
      headers,
      body,
    );
    const answer = judged(response.status, await response.text());
    if (isOver) return;
    end();
    write(answer);
    this.#keep(() => {
      hold('a fault is answered in time', clock.nowMs - sentAtMs <= ANSWER_WITHIN_MS, () => {
        return `a question was answered after ${Math.round(clock.nowMs - sentAtMs)} ms`;
      });
      hold('usage equals the allowed calls', answer.verdict !== 'allowed' || row.isUsed, () => {
        return 'a key was allowed before its first use was in Postgres';
      });
    });
  }

  /** Makes changes amid questions, each acknowledged a little later, as a commit is. */
  #changeSometimes(untilMs: number): void {
    const { clock, random } = this;
    for (const tenant of this.tenants) {
      const { project, keys } = tenant;
      for (const { row } of keys) {
        const key = row.apiKeyId;
        if (!random.chance(0.2)) continue;
        this.#changeAt(tenant, random.int(0, untilMs), () => {
          row.status = 'revoked';
          return { what: key, key, becomes: 'revoked_api_key' };
        });
      }
      if (!random.chance(0.3)) continue;
      const set = (hasPolicies: boolean) => (): NewState => {
        project.hasPolicies = hasPolicies;
        project.revision += 1;
        return {
          what: 'policies',
          key: null,
          becomes: hasPolicies ? 'allowed' : 'policy_no_match',
        };
      };
      const atMs = clock.nowMs + random.int(0, untilMs);
      this.#changeAt(tenant, atMs, set(false));
      this.#changeAt(tenant, atMs + random.int(20, 500), set(true));
    }
  }

  #changeAt(tenant: Tenant, atMs: number, make: () => NewState): void {
    const { clock, random } = this;
    clock.after(atMs - random.int(0, 30) / 10, () => void this.#ask(tenant));
    clock.after(atMs, () => {
      const sentAtMs = clock.nowMs;
      const change = make();
      clock.after(random.int(1, 40) / 10, () => {
        tenant.history.changes.push({ ...change, sentAtMs, answeredAtMs: clock.nowMs });
        clock.after(random.int(1, 10) / 10, () => void this.#ask(tenant));
      });
    });
  }

  async #judge(fault: FaultKind): Promise<void> {
    if (this.#violation) throw this.#violation;
    if (this.redis.violation) throw this.redis.violation;
    for (const { project, history } of this.tenants) {
      const { projectId } = project;
      const { usage } = this.postgres;
      // A Runtime that is killed loses its last second of denials.
      const judged = this.#wasKilled ? (['allowed'] as const) : OUTCOMES;
      history.usage.push({
        atMs: this.clock.nowMs,
        outcomes: Object.fromEntries(
          judged.map((outcome) => [outcome, usage.decisions(projectId, outcome)]),
        ),
        months: { 0: usage.admissions(projectId, 'project') },
      });
      judge(history, fault);
    }
  }

  /** Keeps the first violation, because a Runtime would catch a thrown error. */
  #keep(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#violation ??= error;
    }
  }
}
