import { Redis } from 'ioredis';
import { createRedisMock } from 'js-redis-server';
import { afterAll, beforeAll, describe } from 'vitest';
import { realRedis, startRedisServer } from '../../../support/redis.ts';

export interface SomeRedis {
  readonly url: string;
  /** Speaks to the server without the code under test in between. */
  readonly admin: Redis;
}

interface Started extends SomeRedis {
  dispose(): Promise<void>;
}

async function startJsRedis(): Promise<Started> {
  const server = await createRedisMock();
  const admin = new Redis(server.url);
  return {
    url: server.url,
    admin,
    async dispose() {
      admin.disconnect();
      await server.close();
    },
  };
}

/** Runs a suite on the Redis in JavaScript, and on the real one where there is one on PATH. */
export function describeOnEachRedis(name: string, suite: (redis: () => SomeRedis) => void): void {
  describe(`${name} (js-redis-server)`, () => suite(useRedis(startJsRedis)));
  describe.skipIf(realRedis === undefined)(`${name} (real Redis)`, () =>
    suite(useRedis(startRedisServer)),
  );
}

function useRedis(start: () => Promise<Started>): () => SomeRedis {
  let redis: Started | undefined;
  beforeAll(async () => {
    redis = await start();
  });
  afterAll(() => redis?.dispose());
  return () => {
    if (!redis) throw new Error('the server is not started yet');
    return redis;
  };
}
