import { withConnection } from '@ceiba/devstack/databases';
import { DatabaseClient, DatabaseUnavailableError, setSubscription } from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCeiba } from '../../integration/cli/support.ts';
import { createTestDatabase } from '../../support/database.ts';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { createWorld } from '../../support/scenario.ts';
import { until } from '../../support/until.ts';

const WAITS = "application_name like 'ceiba-%' and wait_event = 'SyncRep'";

let pair: PostgresPair;
let url: string;
let projectId: string;
beforeAll(async () => {
  pair = await startPostgresPair({ isSynchronous: true });
  ({ url } = await createTestDatabase(pair.primary.url));
  const world = createWorld(url);
  ({ projectId } = await world.createProject());
  await world.close();
});
afterAll(() => pair?.dispose());

/** Cancels the wait of a commit for the standby, as a statement timeout does. */
async function cancelWait(): Promise<void> {
  await withConnection(pair.primary.url, async (sql) => {
    await until('a commit waits for the standby', async () => {
      return (await sql.unsafe(`select 1 from pg_stat_activity where ${WAITS}`)).length === 1;
    });
    await sql.unsafe(`select pg_cancel_backend(pid) from pg_stat_activity where ${WAITS}`);
  });
}

describe('a change that the synchronous standby does not confirm', () => {
  test('is reported as an outage by the client, which confirms it when the standby is back', async () => {
    const client = new DatabaseClient(url, { applicationName: 'ceiba-client' });
    const set = (status: 'past_due' | 'active') =>
      client.run(30_000, (db) =>
        setSubscription(
          { db, actor: { kind: 'system' }, clientAddress: null, requestId: null },
          { projectId, status },
        ),
      );
    pair.replication.refuse();
    const failed = set('past_due').catch((error: unknown) => error);
    await cancelWait();
    const error = await failed;
    expect(error).toBeInstanceOf(DatabaseUnavailableError);
    expect(String(error)).toContain('UnconfirmedCommitError');
    pair.replication.heal();
    expect(await set('active')).toEqual({ kind: 'updated' });
    await client.close();
  });

  test('is reported as a failure by the CLI', async () => {
    pair.replication.refuse();
    const cancelled = runCeiba(
      ['project', 'set-subscription', '--project', projectId, '--status', 'canceled'],
      { env: { DATABASE_URL: url, REDIS_URL: 'redis://127.0.0.1:1' } },
    );
    await cancelWait();
    expect(await cancelled).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('its standby did not confirm it'),
    });
  });
});
