/**
 * The commands of docs/run/backup.md, on Debian's PostgreSQL 15 and a Redis of their own. `.ci/run`
 * installs the first, and fails where this is skipped.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decisionSchema } from '@ceiba/contract';
import { urlOfDatabase, withConnection } from '@ceiba/devstack/databases';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENT } from '../../integration/runtime/setup.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import {
  type DebianPostgres,
  hasDebianPostgres,
  postgresPrograms,
  startDebianPostgres,
} from '../../support/debian-postgres.ts';
import { readGuide } from '../../support/guide.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import {
  createWorld,
  runtimeClient,
  type TestApiKey,
  type TestProject,
  type World,
} from '../../support/scenario.ts';
import { startTestPostgres, startTestRedis, type TestService } from '../../support/services.ts';
import { until } from '../../support/until.ts';

const guide = readGuide('run/backup.md');
const cli = fileURLToPath(new URL('../../../apps/cli/bin/ceiba.mjs', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ceiba-backup-'));

/** As `npx --no-install ceiba` of an installation. */
const NPX = `npx() { shift 2; (cd "${root}" && "${process.execPath}" "${cli}" "$@"); }\n`;

const QUOTA = 10;
const BEFORE = 3;
const AFTER = 4;

describe.skipIf(!hasDebianPostgres)('a restore', { timeout: 240_000 }, () => {
  let server: DebianPostgres;
  let redis: TestService;
  let redisAdmin: Redis;
  let database: TestDatabase;
  let world: World;
  let project: TestProject;
  let key: TestApiKey;
  let revoked: TestApiKey;
  let created: TestApiKey;
  let backedUpAt: string;
  const runtimes: RunningRuntime[] = [];

  /** Runs a block of the guide. */
  const run = (name: string, env: Record<string, string> = {}) =>
    execFileSync('sh', ['-euc', NPX + guide.block('sh', name)], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${postgresPrograms}:${process.env.PATH}`,
        DATABASE_URL: database.url,
        SERVER_URL: server.url,
        RESTORED_URL: urlOfDatabase(server.url, 'ceiba_restored'),
        ...env,
      },
    });

  const start = async (databaseUrl: string) => {
    const runtime = await startRuntime({ databaseUrl, redisUrl: redis.url, settings: PATIENT });
    runtimes.push(runtime);
    return runtime;
  };
  const ask = async ({ url }: RunningRuntime, { plaintext }: TestApiKey) => {
    const reply = await runtimeClient(url, project).authorize({ apiKey: plaintext });
    const decision = decisionSchema.parse(reply.json);
    return decision.allowed ? 'allowed' : decision.denialReason;
  };
  /** How many calls are allowed until the quota is used up. */
  const exhaust = async (runtime: RunningRuntime, apiKey: TestApiKey) => {
    let allowed = 0;
    while ((await ask(runtime, apiKey)) === 'allowed') allowed += 1;
    expect(await ask(runtime, apiKey)).toBe('quota_exceeded');
    return allowed;
  };
  const usageIs = (url: string, count: number) =>
    until(`usage is ${count}`, () =>
      withConnection(url, async (sql) => {
        const [row] = await sql`
          select (select sum(count) from usage_months
              where project_id = ${project.projectId} and scope = 'project')::int as month,
            (select sum(count) from usage_hours
              where project_id = ${project.projectId} and outcome = 'allowed')::int as hours`;
        expect(row).toEqual({ month: count, hours: count });
        return true;
      }),
    );
  const restore = async () => {
    const url = urlOfDatabase(server.url, 'ceiba_restored');
    await withConnection(server.url, (sql) =>
      sql`drop database if exists ceiba_restored with (force)`.execute(),
    );
    run('restore');
    return url;
  };

  beforeAll(async () => {
    [server, redis] = await Promise.all([startDebianPostgres(), startTestRedis()]);
    redisAdmin = new Redis(redis.url);
    database = await createTestDatabase(server.url);
    world = createWorld(database.url);
    project = await world.createProject({ plan: { monthlyQuota: QUOTA } });
    key = await project.createKey();
    revoked = await project.createKey();

    const runtime = await start(database.url);
    for (let call = 0; call < BEFORE; call += 1) expect(await ask(runtime, key)).toBe('allowed');
    await usageIs(database.url, BEFORE);
    await world.db.sql`
      insert into project_invitations (project_id, role, label, token_digest, invited_by, expires_at)
      select id, 'developer', 'withdrawn later', sha256('invitation'), owner_id, now() + interval '7 days'
      from projects where id = ${project.projectId}`;
    run('back up');
    await world.db.sql`delete from project_invitations`;
    backedUpAt = new Date().toISOString();
    for (let call = 0; call < AFTER; call += 1) expect(await ask(runtime, key)).toBe('allowed');
    await runtimeClient(runtime.url, project).revoke(revoked.apiKeyId);
    created = await project.createKey();
    // SIGTERM, so that what was not flushed is in Postgres.
    expect(await runtime.stop()).toBe('exited with code 0');
    await usageIs(database.url, BEFORE + AFTER);
  }, 240_000);
  afterAll(async () => {
    await Promise.all(runtimes.map((runtime) => runtime.stop()));
    redisAdmin?.disconnect();
    await world?.close();
    await Promise.all([server?.dispose(), redis?.dispose()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('with Redis as it was, hands out only what was left, and completes the usage', async () => {
    const url = await restore();
    await usageIs(url, BEFORE);
    expect(run('migrate')).toContain('Nothing to do');
    const runtime = await start(url);
    await usageIs(url, BEFORE + AFTER);
    expect(await exhaust(runtime, key)).toBe(QUOTA - BEFORE - AFTER);
    await usageIs(url, QUOTA);
    await runtime.stop();
  });

  it('undoes a revocation, which the audit log of the old database lists', async () => {
    const url = await restore();
    const runtime = await start(url);
    expect(await ask(runtime, revoked)).toBe('quota_exceeded');
    expect(await ask(runtime, created)).toBe('invalid_api_key');
    const list = guide.block('sql', 'audit_log').replace('2026-11-23 03:00:00+00', backedUpAt);
    const undone = await withConnection(database.url, (sql) => sql.unsafe(list));
    expect(undone.map(({ action, target_id }) => [action, target_id])).toEqual([
      ['api_key.revoke', revoked.apiKeyId],
      ['api_key.create', created.apiKeyId],
    ]);
    for (const statement of ['delete from sessions', 'insert into decision_revisions']) {
      await withConnection(url, (sql) => sql.unsafe(guide.block('sql', statement)));
    }
    const open = await withConnection(url, (sql) => sql`select label from project_invitations`);
    expect(open).toHaveLength(0);
    await runtime.stop();
  });

  it('with an empty Redis, hands out what the restored state allows, and no more', async () => {
    await redisAdmin.flushall();
    const url = await restore();
    const runtime = await start(url);
    expect(await exhaust(runtime, key)).toBe(QUOTA - BEFORE);
    await usageIs(url, QUOTA);
    await runtime.stop();
  });

  it('to a moment in time has what was written until then', async () => {
    const archive = join(folder, 'archive');
    const base = join(folder, 'base');
    mkdirSync(archive);
    // The server may run as another user.
    chmodSync(folder, 0o755);
    chmodSync(archive, 0o777);
    const [configure = '', copy = ''] = guide
      .block('sh', 'base backup')
      .split('# restart Postgres here\n');
    const env = {
      PATH: `${postgresPrograms}:${process.env.PATH}`,
      DATABASE_URL: database.url,
      ARCHIVE: archive,
      BASE: base,
    };
    execFileSync('sh', ['-euc', configure], { env });
    await server.restart();
    execFileSync('sh', ['-euc', copy], { env });

    const kept = await project.createKey({ displayName: 'kept' });
    const [row] = await world.db.sql`select clock_timestamp()::text as moment`;
    await project.createKey({ displayName: 'lost' });
    await world.db.sql`select pg_switch_wal()`;
    await until('the log is archived', async () => {
      const [archiver] = await world.db.sql`
        select archived_count > 0 and last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1)
          as done from pg_stat_archiver`;
      return archiver?.done === true;
    });

    run('restore to a moment', { ARCHIVE: archive, BASE: base, MOMENT: row?.moment });
    const restored = await startDebianPostgres((data) =>
      cpSync(base, data, { recursive: true, force: true }),
    );
    try {
      const url = urlOfDatabase(restored.url, new URL(database.url).pathname.slice(1));
      const keys = await withConnection(
        url,
        (sql) => sql`select display_name from api_keys where display_name in ('kept', 'lost')`,
      );
      expect(keys.map(({ display_name }) => display_name)).toEqual(['kept']);
      await redisAdmin.flushall();
      const runtime = await start(url);
      expect(await exhaust(runtime, kept)).toBe(QUOTA - BEFORE - AFTER);
      await runtime.stop();
    } finally {
      await restored.dispose();
    }
  });
});

it('a copy of the folder of npm start restores its database', { timeout: 240_000 }, async () => {
  const shell = (script: string, cwd: string) =>
    execFileSync('sh', ['-euc', script], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [here, there] = ['from', 'to'].map((name) => join(folder, name)) as [string, string];
  mkdirSync(here, { recursive: true });
  mkdirSync(there, { recursive: true });

  const server = await startTestPostgres();
  await withConnection(server.url, (sql) =>
    sql`create table kept as select 42 as answer`.execute(),
  );
  await server.stop();
  // Its launcher is this process, which goes on, so the lock stays behind.
  shell(`cp -a "${dirname(server.dataFolder)}" .ceiba && rm .ceiba/launcher.json`, here);
  shell(guide.block('sh', 'copy the folder'), here);
  await server.dispose();
  shell(`tar -xzf "${join(here, 'ceiba-backup.tar.gz')}"`, there);

  const restored = await startTestPostgres((dataDir) => {
    shell(`cp -a .ceiba/. "${dataDir}"`, there);
  });
  try {
    expect(await withConnection(restored.url, (sql) => sql`select answer from kept`)).toEqual([
      { answer: 42 },
    ]);
  } finally {
    await restored.dispose();
  }
});
