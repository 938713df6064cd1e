import { withConnection } from '@ceiba/devstack/databases';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { until } from '../../support/redis.ts';
import { createWorld } from '../../support/scenario.ts';
import { runCeiba } from './support.ts';

const WAITS = "application_name = 'ceiba-cli' and wait_event = 'SyncRep'";

let pair: PostgresPair;
beforeAll(async () => {
  pair = await startPostgresPair({ isSynchronous: true });
});
afterAll(() => pair.dispose());

test('a change that the synchronous standby did not confirm is reported as a failure', async () => {
  const { url } = await createTestDatabase(pair.primary.url);
  const world = createWorld(url);
  const project = await world.createProject();
  await world.close();
  pair.replication.refuse();

  const { projectId } = project;
  const cancelling = runCeiba(
    ['project', 'set-subscription', '--project', projectId, '--status', 'canceled'],
    { env: { DATABASE_URL: url, REDIS_URL: 'redis://127.0.0.1:1' } },
  );
  // Its own timeout would cancel it after half a minute.
  await withConnection(pair.primary.url, async (sql) => {
    await until('the commit waits for the standby', async () => {
      return (await sql.unsafe(`select 1 from pg_stat_activity where ${WAITS}`)).length === 1;
    });
    await sql.unsafe(`select pg_cancel_backend(pid) from pg_stat_activity where ${WAITS}`);
  });
  expect(await cancelling).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('its standby did not confirm it'),
  });
});
