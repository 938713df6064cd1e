import { Redis } from 'ioredis';
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

/** What the Runtime answers is judged here, not how fast: a busy machine must not make it a 503. */
export const PATIENT = {
  DECISION_DEADLINE_MS: '8000',
  DECISION_DATABASE_BUDGET_MS: '5000',
  DECISION_REDIS_BUDGET_MS: '5000',
  KEY_ROUTE_DEADLINE_MS: '8000',
};

/**
 * A Runtime over a database of its own and the Redis of `REDIS_URL`, for one test file. Projects
 * are distinguished by their random ids, so that test files can share that Redis.
 */
export async function startWorld(settings: Record<string, string> = PATIENT): Promise<Running> {
  const redisUrl = process.env.REDIS_URL;
  if (!redisUrl) throw new Error('REDIS_URL is unset. Run the tests through `npm test`.');
  const database = await createTestDatabase();
  const world = createWorld(database.url);
  const runtime = await startRuntime({ databaseUrl: database.url, redisUrl, settings });
  afterAll(async () => {
    await runtime.stop();
    await forgetProjects(world, redisUrl);
    await world.close();
    await database.drop();
  });
  return { world, runtime, databaseUrl: database.url, redisUrl };
}

/** Usage never expires in Redis: what a test left there, in a Redis that is not its own, is removed. */
async function forgetProjects({ db }: World, redisUrl: string): Promise<void> {
  const rows = await db.sql<{ id: string }[]>`select id from projects`;
  const tags = new Set(rows.map(({ id }) => `ceiba:{${id}}`));
  const redis = new Redis(redisUrl);
  try {
    for await (const found of redis.scanStream({ match: 'ceiba:{*', count: 1_000 })) {
      const mine = (found as string[]).filter((name) =>
        tags.has(name.slice(0, name.indexOf('}') + 1)),
      );
      if (mine.length > 0) await redis.unlink(mine);
    }
  } finally {
    redis.disconnect();
  }
}
