import { afterAll, beforeAll, describe, it } from 'vitest';
import { type RedisServer, realRedis, startRedisServer } from '../support/redis.ts';
import { proveMutantsOfScripts, proveScripts } from './proofs/scripts.ts';
import { prove } from './support/prove.ts';
import { createScriptJudge, type ScriptJudge } from './support/script-judge.ts';
import { size } from './support/size.ts';

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
