/** Changes that wait for a lock of their project, beside the changes of another project. */
import { expect, it } from 'vitest';
import { startRuntime } from '../../support/runtime.ts';
import { runtimeClient } from '../../support/scenario.ts';
import { until } from '../../support/until.ts';
import { PATIENT, startWorld } from './setup.ts';

const { world, databaseUrl, redisUrl } = await startWorld();

/** Waiting calls of the key routes, those in Postgres for so long at least, in ms. */
const waiting = async (forMs = 0) => {
  const [row] = await world.db.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'ceiba-keyRoutes'
      and wait_event_type = 'Lock' and query_start < clock_timestamp() - ${forMs} * interval '1 ms'`;
  return row?.count ?? 0;
};
const connections = async () => {
  const rows = await world.db.sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'ceiba-keyRoutes'`;
  return rows.map(({ pid }) => pid);
};

it('a project whose changes are late keeps no other from its connections', async () => {
  const settings = { ...PATIENT, KEY_ROUTE_DEADLINE_MS: '3000' };
  const runtime = await startRuntime({ databaseUrl, redisUrl, settings });
  try {
    const [busy, other] = [await world.createProject(), await world.createProject()];
    const [busyKey, otherKey] = [await busy.createKey(), await other.createKey()];
    const busyClient = runtimeClient(runtime.url, busy);
    const otherClient = runtimeClient(runtime.url, other);
    expect((await otherClient.setExpiry(otherKey.apiKeyId, null)).status).toBe(200);

    await world.db.sql.begin(async (sql) => {
      await sql`set local idle_in_transaction_session_timeout = 0`;
      await sql`select from api_keys where id = ${busyKey.apiKeyId} for update`;
      const late = Array.from({ length: 20 }, () =>
        busyClient.setExpiry(busyKey.apiKeyId, null).then(({ status }) => status),
      );
      await until('a share of the connections waits', async () => (await waiting(1_500)) === 4);
      const before = await connections();
      expect((await otherClient.setExpiry(otherKey.apiKeyId, null)).status).toBe(200);
      const outlives = await world.db.sql.begin(async (sqlOfOther) => {
        await sqlOfOther`select from api_keys where id = ${otherKey.apiKeyId} for update`;
        const change = otherClient.setExpiry(otherKey.apiKeyId, null);
        await until('it waits too', async () => (await waiting()) === 5);
        expect(await Promise.all(late)).toEqual(late.map(() => 503));
        return [change];
      });
      expect((await outlives[0])?.status).toBe(200);
      expect(await connections()).toEqual(expect.arrayContaining(before));
    });
  } finally {
    await runtime.stop();
  }
});
