import { apiKeyCreateResultSchema } from '@ceiba/contract';
import { createDatabase } from '@ceiba/devstack/databases';
import { migrateDatabase } from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller } from '../../chaos/support/caller.ts';
import { runCeiba } from '../../integration/cli/support.ts';
import { PATIENT } from '../../integration/runtime/setup.ts';
import { migrationsFolder } from '../../support/database.ts';
import { MISREADABLE, setDefaults } from '../../support/defaults.ts';
import { type PgBouncer, pgbouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import { createWorld, runtimeClient, type World } from '../../support/scenario.ts';
import { until } from '../../support/until.ts';

/** The setting of operators whose connections were refused. */
const IGNORES =
  'ignore_startup_parameters = jit, statement_timeout, idle_in_transaction_session_timeout, plan_cache_mode';

/** Consecutive transactions run on different server processes. */
const ROUND_ROBIN = 'server_round_robin = 1';

describe.skipIf(pgbouncer === undefined).each([
  { words: 'in session mode', mode: 'session', settings: [] },
  { words: 'in transaction mode', mode: 'transaction', settings: [ROUND_ROBIN] },
  {
    words: 'in transaction mode that ignores settings',
    mode: 'transaction',
    settings: [ROUND_ROBIN, IGNORES],
  },
] as const)('behind PgBouncer $words', ({ mode, settings }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let pooler: PgBouncer;
  let url: string;
  let world: World;
  let runtime: RunningRuntime;
  beforeAll(async () => {
    const serverUrl = process.env.DATABASE_URL ?? '';
    const redisUrl = process.env.REDIS_URL ?? '';
    database = await createDatabase(serverUrl, { prefix: 'ceiba_pgbouncer' });
    await setDefaults(database.url, MISREADABLE);
    pooler = await startPgBouncer(serverUrl, mode, settings);
    url = pooler.urlOf(database.url);
    const applied = await Promise.all([
      migrateDatabase(url, migrationsFolder),
      migrateDatabase(url, migrationsFolder),
    ]);
    // Concurrent runs are serialised: the second has nothing to do.
    expect(applied.map((result) => result.applied > 0).sort()).toEqual([false, true]);
    world = createWorld(url);
    runtime = await startRuntime({ databaseUrl: url, redisUrl, settings: PATIENT });
  });
  afterAll(async () => {
    await runtime?.stop();
    await world?.close();
    await pooler?.dispose();
    await database?.drop();
  });

  it('serves the key routes, and denies a key on the decision after its revocation, under load', async () => {
    const project = await world.createProject();
    const client = runtimeClient(runtime.url, project);
    const caller = createCaller(runtime.url);
    const { projectId, secret } = project;
    for (let round = 0; round < 5; round += 1) {
      const created = await client.createKey(`key ${round}`);
      const { apiKeyId, plaintextKey } = apiKeyCreateResultSchema.parse(created.json);
      const who = { projectId, secret, apiKey: plaintextKey };
      const ask = () => Promise.all(Array.from({ length: 20 }, () => caller.ask(who)));
      expect(new Set((await ask()).map(({ verdict }) => verdict))).toEqual(new Set(['allowed']));
      expect((await client.revoke(apiKeyId)).status).toBe(200);
      expect(new Set((await ask()).map(({ verdict }) => verdict))).toEqual(
        new Set(['revoked_api_key']),
      );
    }
    expect((await client.listKeys()).status).toBe(200);
    caller.close();
  });

  it('keeps every acknowledged change', async () => {
    const project = await world.createProject();
    const created = await Promise.all(Array.from({ length: 100 }, () => project.createKey()));
    const kept = await world.db.sql<{ id: string }[]>`
      select id from api_keys where project_id = ${project.projectId}`;
    const ids = (keys: readonly string[]) => [...keys].sort();
    expect(ids(kept.map(({ id }) => id))).toEqual(ids(created.map(({ apiKeyId }) => apiKeyId)));
  });

  it('applies a removed policy and a lowered limit to the next decision', async () => {
    const project = await world.createProject();
    const { plaintext } = await project.createKey();
    const caller = createCaller(runtime.url);
    const who = { projectId: project.projectId, secret: project.secret, apiKey: plaintext };
    expect((await caller.ask(who)).verdict).toBe('allowed');
    await project.setPolicies([]);
    expect((await caller.ask(who)).verdict).toBe('policy_no_match');
    await project.setPolicies([{ method: 'GET', pathPattern: '/v1/reports' }]);
    expect((await caller.ask(who)).verdict).toBe('allowed');
    await project.setPlanLimits({ monthlyQuota: 2 });
    expect((await caller.ask(who)).verdict).toBe('quota_exceeded');
    caller.close();
  });

  it('counts the allowed requests in Postgres', async () => {
    const project = await world.createProject();
    const { plaintext } = await project.createKey();
    const caller = createCaller(runtime.url);
    const who = { projectId: project.projectId, secret: project.secret, apiKey: plaintext };
    for (let calls = 0; calls < 30; calls += 1) {
      expect((await caller.ask(who)).verdict).toBe('allowed');
    }
    caller.close();
    await until('usage is flushed', async () => {
      const [row] = await world.db.sql`
        select sum(count)::int as count from usage_hours where project_id = ${project.projectId}`;
      return row?.count === 30;
    });
  });

  it('reads what the defaults of the database change, and hears of an unconfirmed commit', async () => {
    const [row] = await world.db.sql`
      select '\\x00ff5c41'::bytea as bytes, current_setting('bytea_output') as format,
        '2026-02-03T04:05:06Z'::timestamptz as at`;
    expect(row).toEqual({
      bytes: Buffer.from('00ff5c41', 'hex'),
      format: 'escape',
      at: '2026-02-03 04:05:06+00',
    });
    const heard = await world.db.sql.begin((tx) => tx`show client_min_messages`);
    expect([...heard]).toEqual([{ client_min_messages: 'warning' }]);
  });

  it('is recognised by the doctor, which says what settings are missing and how to set them', async () => {
    const env = { DATABASE_URL: url, REDIS_URL: process.env.REDIS_URL ?? '' };
    const pooled = async () => {
      const { checks } = JSON.parse((await runCeiba(['doctor', '--json'], { env })).stdout);
      return checks.find((check: { name: string }) => check.name === 'postgres pooler');
    };
    expect(await pooled()).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining(`in ${mode} mode`),
      remedy: expect.stringContaining("ALTER ROLE CURRENT_USER SET jit = 'off';"),
    });
  });
});
