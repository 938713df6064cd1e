/** Failed decisions in Postgres, from which alerts are made. */
import { describe, expect, it } from 'vitest';
import { startRuntime } from '../../support/runtime.ts';
import { runtimeClient } from '../../support/scenario.ts';
import { startTestRedis } from '../../support/services.ts';
import { until } from '../../support/until.ts';
import { startWorld } from './setup.ts';

const { world, databaseUrl } = await startWorld();

describe('an outage of Redis', () => {
  it('is counted for the projects whose decisions it fails, one by one and in batches', async () => {
    const redis = await startTestRedis();
    const runtime = await startRuntime({ databaseUrl, redisUrl: redis.url });
    try {
      const [project, other] = [await world.createProject(), await world.createProject()];
      const apiKey = (await project.createKey()).plaintext;
      const client = runtimeClient(runtime.url, project);
      const question = { apiKey, method: 'GET', path: '/v1/reports' };
      expect((await client.authorize(question)).status).toBe(200);
      await redis.kill();
      for (let n = 0; n < 3; n += 1) {
        expect((await client.authorize(question)).status).toBe(503);
      }
      await client.authorizeBatch([question, question]);
      await runtimeClient(runtime.url, other).authorize({ ...question, apiKey: null });
      await until('the failures are written', async () => {
        const rows = await world.db.sql`
          select project_id, cause, sum(failed)::int as failed from decision_failures
          group by 1, 2`;
        expect([...rows]).toEqual([{ project_id: project.projectId, cause: 'redis', failed: 5 }]);
        return true;
      });
    } finally {
      await runtime.stop();
      await redis.dispose();
    }
  });
});
