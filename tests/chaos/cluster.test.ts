import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { realRedis } from '../support/redis.ts';
import { type RedisCluster, startRedisCluster } from '../support/redis-cluster.ts';
import { FEW_TROUBLES, proveTrouble, TROUBLE_KINDS } from './proofs/cluster.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';
import { openStage, type Stage } from './support/stage.ts';

describe.skipIf(realRedis === undefined)(
  'with Redis Cluster, a Runtime hands the quota out once when',
  () => {
    let cluster: RedisCluster;
    let database: TestDatabase;
    let stage: Stage;
    beforeAll(async () => {
      cluster = await startRedisCluster();
      database = await createTestDatabase();
      stage = openStage({ databaseUrl: database.url, redisUrl: cluster.url });
    });
    afterAll(async () => {
      await stage?.close();
      await database?.drop();
      await cluster?.dispose();
    });

    for (const kind of size.isFull ? TROUBLE_KINDS : FEW_TROUBLES) {
      it(kind, async () => {
        const figures = await prove(`cluster: ${kind}`, (random) =>
          proveTrouble(stage, cluster, kind, size.failoversOfEachKind, random),
        );
        expect(figures.losses).toBe(size.failoversOfEachKind);
      });
    }
  },
);
