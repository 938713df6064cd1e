import { PATIENT } from '../../integration/runtime/setup.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startRuntime } from '../../support/runtime.ts';
import { createWorld, type World } from '../../support/scenario.ts';

/** A Runtime on real Postgres and Redis, with its own database. */
export interface RealRuntime {
  readonly url: string;
  readonly world: World;
  close(): Promise<void>;
}

/**
 * @param program the built Runtime, or a copy that was broken on purpose.
 * @param settings additional environment variables of the Runtime.
 * @throws when `DATABASE_URL` or `REDIS_URL` is unset: run the tests through `npm test`.
 */
export async function startRealRuntime(
  program?: string,
  settings: Record<string, string> = {},
): Promise<RealRuntime> {
  const redisUrl = process.env.REDIS_URL;
  if (!redisUrl) throw new Error('REDIS_URL is unset: run the tests through `npm test`');
  const database = await createTestDatabase();
  const runtime = await startRuntime({
    databaseUrl: database.url,
    redisUrl,
    settings: { ...PATIENT, ...settings },
    ...(program && { program }),
  });
  const world = createWorld(database.url);
  return {
    url: runtime.url,
    world,
    async close() {
      await world.close();
      await runtime.stop();
      await database.drop();
    },
  };
}
