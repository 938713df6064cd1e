import { afterAll, beforeAll, describe, it } from 'vitest';
import { type RedisServer, realRedis, startRedisServer } from '../support/redis.ts';
import { proveNaiveModel } from './proofs/naive-model.ts';
import { proveMutantsOfScripts, proveScripts } from './proofs/scripts.ts';
import { prove } from './support/prove.ts';
import { createScriptJudge, type ScriptJudge } from './support/script-judge.ts';
import { size } from './support/size.ts';

describe('the reference of the scripts', () => {
  it('comes to what a naive model adds up, whatever periods, costs, limits and losses mix', () =>
    prove('scripts: naive model', (random) => proveNaiveModel(size.scriptHistories, random)));
});

describe.skipIf(realRedis === undefined)('the scripts on a real Redis', () => {
  let redis: RedisServer;
  let judge: ScriptJudge;
  beforeAll(async () => {
    redis = await startRedisServer();
    judge = createScriptJudge(redis.admin);
  });
  afterAll(() => redis.dispose());

  it('match the reference in every step of many histories', () =>
    prove('scripts: reference', (random) => proveScripts(judge, size.scriptHistories, random)));

  it('have no unexplained mutant that matches the reference', () =>
    prove('scripts: mutants', () => proveMutantsOfScripts(judge, size.isFull)));
});
