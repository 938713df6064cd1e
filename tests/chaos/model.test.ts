import { afterAll, beforeAll, describe, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type RedisServer, realRedis, startRedisServer } from '../support/redis.ts';
import { createWorld, type World } from '../support/scenario.ts';
import { MODEL_MUTANTS, proveModel, proveModelMutant, proveReplay } from './proofs/model.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';

describe('the specification', () => {
  it('keeps the promises in random runs', () =>
    prove('model: simulation', (random) => proveModel(size.modelRuns, random)));

  for (const [name, mutant] of Object.entries(MODEL_MUTANTS)) {
    it(`breaks a promise with ${name}`, () =>
      prove(`model: ${name}`, () => proveModelMutant(mutant)));
  }
});

describe.skipIf(realRedis === undefined)('the scripts on a real Redis, and Postgres', () => {
  let redis: RedisServer;
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    [redis, database] = await Promise.all([startRedisServer(), createTestDatabase()]);
    world = createWorld(database.url);
  });
  afterAll(async () => {
    await world?.close();
    await Promise.all([redis?.dispose(), database?.drop()]);
  });

  it('match the specification in every step', () =>
    prove('model: replay', (random) => proveReplay(redis.admin, world, size.modelReplays, random)));
});
