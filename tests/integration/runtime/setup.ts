import { afterAll } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import { createWorld, type World } from '../../support/scenario.ts';

export interface Running {
  readonly world: World;
  readonly runtime: RunningRuntime;
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/**
 * A Runtime over a database of its own and the Redis of `REDIS_URL`, for one test file. Projects
 * are told apart by their random ids, so that test files can share that Redis.
 */
export async function startWorld(settings: Record<string, string> = {}): Promise<Running> {
  const redisUrl = process.env.REDIS_URL;
  if (!redisUrl) throw new Error('REDIS_URL is unset. Run the tests through `npm test`.');
  const database = await createTestDatabase();
  const world = createWorld(database.url);
  const runtime = await startRuntime({ databaseUrl: database.url, redisUrl, settings });
  afterAll(async () => {
    await runtime.stop();
    await world.close();
    await database.drop();
  });
  return { world, runtime, databaseUrl: database.url, redisUrl };
}
