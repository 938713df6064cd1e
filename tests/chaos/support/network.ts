import postgres from 'postgres';
import type { PrivateStage } from './private-stage.ts';
import { startTestNetwork, type TestNetwork } from './proxy.ts';
import type { NodeOptions } from './stage.ts';

/** A private stage whose Runtimes reach their servers over a network that can fail. */
export interface Network {
  readonly stage: PrivateStage;
  readonly toRedis: TestNetwork;
  readonly toPostgres: TestNetwork;
  /** Options for `startNode`. */
  readonly options: NodeOptions;
  close(): Promise<void>;
}

export async function openNetwork(stage: PrivateStage): Promise<Network> {
  const toRedis = await startTestNetwork(stage.redisUrl);
  const toPostgres = await startTestNetwork(stage.databaseUrl);
  return {
    stage,
    toRedis,
    toPostgres,
    options: { redisUrl: toRedis.url, databaseUrl: toPostgres.url },
    close: async () => void (await Promise.all([toRedis.close(), toPostgres.close()])),
  };
}

/** More than `max_connections` of the embedded server. */
const CONNECTIONS = 210;
/** SQLSTATE too_many_connections. */
const TOO_MANY = '53300';

/**
 * Opens every free connection of the server.
 *
 * @returns a function that closes them
 */
export async function takeEveryConnection(databaseUrl: string): Promise<() => Promise<void>> {
  const taken = Array.from({ length: CONNECTIONS }, () =>
    postgres(databaseUrl, { max: 1, idle_timeout: 0, connect_timeout: 30, onnotice: () => {} }),
  );
  const outcomes = await Promise.allSettled(taken.map((sql) => sql`select 1`.simple()));
  const isFull = outcomes.some(
    (outcome) => outcome.status === 'rejected' && outcome.reason?.code === TOO_MANY,
  );
  const giveBack = async () => {
    await Promise.all(taken.map((sql) => sql.end({ timeout: 0 })));
  };
  if (isFull) return giveBack;
  await giveBack();
  throw new Error(`the server still has free connections after ${CONNECTIONS}`);
}
