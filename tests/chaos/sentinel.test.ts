import { freePort } from '@ceiba/devstack/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { realRedis } from '../support/redis.ts';
import { type SentinelGroup, startSentinelGroup } from '../support/sentinel.ts';
import { FAILOVER_KINDS, IN_ORDER, proveFailover } from './proofs/sentinel.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';
import { openStage, type Stage } from './support/stage.ts';

describe.skipIf(realRedis === undefined)(
  'with Sentinel, a Runtime hands the quota out once when',
  () => {
    let group: SentinelGroup;
    let database: TestDatabase;
    let stage: Stage;
    beforeAll(async () => {
      group = await startSentinelGroup();
      database = await createTestDatabase();
      const gone = `127.0.0.1:${await freePort()}`;
      const redisUrl = group.url.replace('//', `//${gone},`);
      stage = openStage({ databaseUrl: database.url, redisUrl });
    });
    afterAll(async () => {
      await stage?.close();
      await database?.drop();
      await group?.dispose();
    });

    // The small size omits the orderly failover.
    const kinds = FAILOVER_KINDS.filter((kind) => size.isFull || kind !== IN_ORDER);

    for (const kind of kinds) {
      it(kind, async () => {
        const figures = await prove(`sentinel: ${kind}`, (random) =>
          proveFailover(stage, group, kind, size.failoversOfEachKind, random),
        );
        expect(figures.losses).toBe(size.failoversOfEachKind);
      });
    }
  },
);
