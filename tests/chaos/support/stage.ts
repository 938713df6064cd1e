import { createTestDatabase } from '../../support/database.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import { createWorld, type World } from '../../support/scenario.ts';
import { type Caller, createCaller } from './caller.ts';
import { copyProgram, type Edit } from './programs.ts';

/** The environment of a proof: a migrated database, a Redis and a built Runtime. */
export interface Stage {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly program: string;
  readonly world: World;
  close(): Promise<void>;
}

/** @param original the built Runtime to copy; this workspace's by default */
export function openStage(
  { databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string },
  edits: readonly Edit[] = [],
  original?: string,
): Stage {
  const { program, remove } = copyProgram(edits, original);
  const world = createWorld(databaseUrl);
  return {
    databaseUrl,
    redisUrl,
    program,
    world,
    async close() {
      remove();
      await world.close();
    },
  };
}

/** A stage on the shared test servers, with its own database. */
export async function openSharedStage(): Promise<Stage> {
  const redisUrl = process.env.REDIS_URL;
  if (!redisUrl) throw new Error('REDIS_URL is unset. Run the tests through `npm test`.');
  const database = await createTestDatabase();
  const stage = openStage({ databaseUrl: database.url, redisUrl });
  return {
    ...stage,
    async close() {
      await stage.close();
      await database.drop();
    },
  };
}

/** A Runtime and a client for it. */
export interface Node extends Caller {
  readonly runtime: RunningRuntime;
  /** Stops it gracefully, once; all its usage is then in Postgres. */
  stop(): Promise<string>;
}

export interface NodeOptions {
  databaseUrl?: string;
  redisUrl?: string;
  settings?: Record<string, string>;
}

export async function startNode(stage: Stage, options: NodeOptions = {}): Promise<Node> {
  const { databaseUrl, redisUrl, program } = stage;
  const runtime = await startRuntime({ databaseUrl, redisUrl, program, ...options });
  const caller = createCaller(runtime.url);
  let stopped: Promise<string> | undefined;
  const stop = () => {
    caller.close();
    stopped ??= runtime.stop();
    return stopped;
  };
  return { ...caller, runtime, stop };
}

/** Two Runtimes over the same data. */
export async function startTwoNodes(stage: Stage, options: NodeOptions): Promise<[Node, Node]> {
  const a = await startNode(stage, options);
  try {
    return [a, await startNode(stage, options)];
  } catch (error) {
    await a.stop();
    throw error;
  }
}

/**
 * Deadlines that a busy machine keeps too, for proofs that judge verdicts and not times.
 */
export const PATIENT = {
  DECISION_DEADLINE_MS: '20000',
  DECISION_DATABASE_BUDGET_MS: '10000',
  DECISION_REDIS_BUDGET_MS: '10000',
};

/** Longer deadlines than the defaults for a busy machine, but short enough to notice a failover. */
export const FAILOVER_DEADLINES = {
  DECISION_DEADLINE_MS: '3000',
  DECISION_DATABASE_BUDGET_MS: '2000',
  DECISION_REDIS_BUDGET_MS: '500',
};
