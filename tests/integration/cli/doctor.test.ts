import { createServer } from 'node:net';
import { freePort } from '@ceiba/devstack/ports';
import { createDatabase, type Database } from '@ceiba/schema';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type RedisServer, realRedis, startRedisServer } from '../../support/redis.ts';
import { startRedisProxy, withoutEpoch } from '../../support/redis-proxy.ts';
import {
  SENTINEL_PASSWORD,
  type SentinelGroup,
  startOutdatedSentinel,
  startSentinelGroup,
} from '../../support/sentinel.ts';
import { until } from '../../support/until.ts';
import { hurried, PATIENT, type Ran, runCeiba } from './support.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.url, PATIENT);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

interface Check {
  name: string;
  status: string;
  detail: string;
  remedy: string | null;
}
interface Report {
  ok: boolean;
  checks: Check[];
}

async function doctor(env: Record<string, string> = {}): Promise<Ran & { report: Report }> {
  const servers = { DATABASE_URL: database.url, REDIS_URL: process.env.REDIS_URL! };
  const ran = await runCeiba(['doctor', '--json'], { env: { ...servers, ...env } });
  return { ...ran, report: JSON.parse(ran.stdout) };
}

/** The check of that name, which must occur exactly once. */
function check({ report }: { report: Report }, name: string) {
  const [found, ...more] = report.checks.filter((one) => one.name === name);
  if (found === undefined || more.length > 0) throw new Error(`no single check named ${name}`);
  return found;
}

describe('ceiba doctor', () => {
  test('finds no error on the servers of the tests, and exits with 0', async () => {
    const ran = await doctor();
    expect(ran.report.checks.filter(({ status }) => status === 'error')).toEqual([]);
    expect(ran).toMatchObject({ code: 0, stderr: '', report: { ok: true } });
    expect(check(ran, 'migrations')).toMatchObject({ status: 'ok' });
    expect(check(ran, 'postgres role')).toMatchObject({ status: 'ok', detail: 'primary' });
    expect(check(ran, 'postgres pooler')).toMatchObject({ detail: 'none, connected directly' });
    expect(check(ran, 'postgres lease').detail).toMatch(/^off: without synchronous_standby_names/);
  });

  test('prints one line per check without --json', async () => {
    const env = { DATABASE_URL: database.url, REDIS_URL: process.env.REDIS_URL! };
    const { code, stdout } = await runCeiba(['doctor'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +postgres fsync +on$/m);
    expect(stdout).toMatch(/^ok +migrations +all applied, the newest is \d{14}_/m);
  });

  test('gives a remedy for every error and warning, and for no other check', async () => {
    const ran = await doctor({ DATABASE_URL: 'postgres://ceiba@127.0.0.1:1/x' });
    for (const { status, remedy } of ran.report.checks) {
      expect(remedy !== null).toBe(status !== 'ok');
    }
  });

  test('prints no password of an address', async () => {
    const ran = await doctor({
      DATABASE_URL: 'postgres://ceiba:s3cret@127.0.0.1:1/x',
      REDIS_URL: 'redis://default:s3cret@127.0.0.1:1',
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).not.toContain('s3cret');
    expect(check(ran, 'postgres').detail).toContain('127.0.0.1:1 cannot be reached');
    expect(check(ran, 'redis').detail).toContain('127.0.0.1:1 cannot be used');
  });
});

describe('settings', () => {
  test('that are missing are reported as errors', async () => {
    const ran = await runCeiba(['doctor', '--json'], { env: { CEIBA_DATA_DIR: '/nonexistent' } });
    expect(ran.code).toBe(1);
    const report: Report = JSON.parse(ran.stdout);
    expect(report.ok).toBe(false);
    expect(report.checks).toMatchObject([
      { name: 'DATABASE_URL', status: 'error', detail: 'is not set' },
      { name: 'REDIS_URL', status: 'error', detail: 'is not set' },
    ]);
  });

  test('that are invalid are all reported', async () => {
    const ran = await doctor({ DATABASE_URL: 'x', REDIS_URL: 'y', REDIS_CLUSTER: 'maybe' });
    expect(ran.code).toBe(1);
    expect(ran.report.checks.map(({ detail }) => detail.split(':')[0])).toEqual([
      'DATABASE_URL',
      'REDIS_URL',
      'REDIS_CLUSTER',
    ]);
  });
});

describe('Postgres', () => {
  afterEach(async () => {
    await db.sql`drop schema if exists pretended cascade`;
    await setForDatabase('search_path', null);
    await setForDatabase('synchronous_commit', null);
    await setForDatabase('default_transaction_read_only', null);
  });

  async function setForDatabase(setting: string, value: string | null) {
    const name = new URL(database.url).pathname.slice(1);
    const change = value === null ? `reset ${setting}` : `set ${setting} = ${value}`;
    await db.sql.unsafe(`alter database "${name}" ${change}`);
  }

  /** Simulates a server with other settings, by functions that shadow the real ones. */
  async function pretend(settings: Record<string, string>, inRecovery = false) {
    const cases = Object.entries(settings).map(([name, value]) => `when '${name}' then '${value}'`);
    await db.sql.unsafe(`
      create schema pretended;
      create function pretended.current_setting(name text) returns text language sql as $$
        select case name ${cases.join(' ')} else pg_catalog.current_setting(name) end $$;
      create function pretended.pg_is_in_recovery() returns boolean language sql as
        'select ${inRecovery}';`);
    await setForDatabase('search_path', 'pretended, pg_catalog, public');
  }

  const PG_14 = { server_version_num: '140023', server_version: '14.23' };
  const PG_15 = { server_version_num: '150000', server_version: '15.0' };
  const saying = (text: string) => expect.stringContaining(text);

  test.each<[string, () => Promise<void>, string, Partial<Check>]>([
    [
      'an error with synchronous_commit off, also as a setting of the database',
      () => setForDatabase('synchronous_commit', 'off'),
      'synchronous_commit',
      { status: 'error' },
    ],
    [
      'a warning, with exit code 0, with synchronous_commit local',
      () => setForDatabase('synchronous_commit', 'local'),
      'synchronous_commit',
      { status: 'warning' },
    ],
    [
      'an error where changes fail, because the database is read-only',
      () => setForDatabase('default_transaction_read_only', 'on'),
      'changes',
      { status: 'error', detail: saying('default_transaction_read_only = off') },
    ],
    [
      'an error where decisions fail, because the tables are not on the search path',
      () => setForDatabase('search_path', 'elsewhere'),
      'decisions',
      { status: 'error', detail: saying('set search_path') },
    ],
    [
      'an error with another encoding than UTF8',
      () => pretend({ server_encoding: 'LATIN1', other: '' }),
      'decisions',
      { status: 'error', detail: saying('LATIN1, and Ceiba needs UTF8') },
    ],
    [
      'an error with fsync off',
      () => pretend({ fsync: 'off', other: '' }),
      'fsync',
      { status: 'error', remedy: saying('fsync = on') },
    ],
    [
      'an error at version 14',
      () => pretend(PG_14),
      'version',
      { status: 'error', detail: '14.23' },
    ],
    ['fine at version 15', () => pretend(PG_15), 'version', { status: 'ok' }],
    [
      'an error as a standby',
      () => pretend({ other: '' }, true),
      'role',
      { status: 'error', remedy: saying('primary') },
    ],
  ])('is %s', async (_, arrange, name, found) => {
    await arrange();
    const ran = await doctor();
    expect(check(ran, `postgres ${name}`)).toMatchObject(found);
    expect(ran.code).toBe(found.status === 'error' ? 1 : 0);
  });

  test('is an error without migrations, or without one of them', async () => {
    await db.sql`create table kept as select * from drizzle.__drizzle_migrations`;
    try {
      await db.sql`
        delete from drizzle.__drizzle_migrations
        where created_at = (select max(created_at) from kept)`;
      const lacking = await doctor();
      expect(lacking.code).toBe(1);
      expect(check(lacking, 'migrations').detail).toMatch(/^missing \d{14}_\w+$/);
      await db.sql`delete from drizzle.__drizzle_migrations`;
      const none = await doctor();
      expect(check(none, 'migrations')).toMatchObject({
        status: 'error',
        remedy: 'Run: ceiba migrate',
      });
    } finally {
      await db.sql`delete from drizzle.__drizzle_migrations`;
      await db.sql`insert into drizzle.__drizzle_migrations select * from kept`;
      await db.sql`drop table kept`;
    }
  });

  test('is a warning if it is newer than this build', async () => {
    await db.sql`
      insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`;
    try {
      const ran = await doctor();
      expect(ran.code).toBe(0);
      expect(check(ran, 'migrations')).toMatchObject({ status: 'warning' });
    } finally {
      await db.sql`delete from drizzle.__drizzle_migrations where hash = 'later'`;
    }
  });
});

test('a Redis that accepts connections and never answers is reported after 15 s', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const ran = await hurried(() => doctor({ REDIS_URL: `redis://127.0.0.1:${port}` }));
    expect(ran.code).toBe(1);
    expect(check(ran, 'redis').detail).toContain('no answer within 15 s');
  } finally {
    server.close();
  }
});

describe.skipIf(realRedis === undefined)('Redis with Sentinel', () => {
  let group: SentinelGroup;
  beforeAll(async () => {
    group = await startSentinelGroup();
  });
  afterAll(() => group?.dispose());
  const look = (url: string) =>
    doctor({ REDIS_URL: url, REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD });

  test('is checked at the primary that its sentinels name', async () => {
    const ran = await look(group.url);
    expect(check(ran, 'redis sentinels')).toMatchObject({ status: 'ok' });
    expect(check(ran, 'redis role')).toMatchObject({ status: 'ok' });
    expect(check(ran, 'redis min-replicas-to-write')).toMatchObject({ status: 'warning' });
    const [primary] = group.servers;
    await primary.admin.config('SET', 'min-replicas-to-write', '1');
    const safer = await look(group.url);
    await primary.admin.config('SET', 'min-replicas-to-write', '0');
    expect(check(safer, 'redis min-replicas-to-write')).toMatchObject({ status: 'ok' });
    expect(safer.code).toBe(0);
  });

  test('is reported if a sentinel is down or no sentinel knows the primary', async () => {
    const gone = `127.0.0.1:${await freePort()}`;
    const ran = await look(group.url.replace('//', `//${gone},`));
    expect(check(ran, 'redis sentinels')).toMatchObject({ status: 'warning' });
    const other = await look(group.url.replace(/\/[^/]*$/, '/other'));
    expect(other.code).toBe(1);
    expect(check(other, 'redis').detail).toContain('no sentinel knows other');
  });

  test('is checked at the newest primary, even if the first sentinel missed the failover', async () => {
    const [old] = group.servers;
    await group.failOver();
    await group.isWhole();
    const outdated = await startOutdatedSentinel(old.port);
    try {
      const ran = await look(group.url.replace('//', `//${outdated.place},`));
      expect(check(ran, 'redis role')).toMatchObject({ status: 'ok' });
      expect(check(ran, 'redis sentinels').detail).toMatch(/^3 of 4 name/);
    } finally {
      outdated.close();
    }
  });
});

describe.skipIf(realRedis === undefined)('Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedisServer(['--appendonly', 'yes']);
  });
  afterAll(() => redis?.dispose());
  afterEach(async () => {
    await redis.admin.config('SET', 'appendonly', 'yes');
    await redis.admin.config('SET', 'maxmemory-policy', 'noeviction');
    await redis.admin.config('SET', 'requirepass', '');
    await redis.admin.replicaof('NO', 'ONE');
  });
  const look = (env: Record<string, string> = {}) => doctor({ REDIS_URL: redis.url, ...env });

  test('has no error when it is configured for production', async () => {
    const ran = await look();
    expect(ran.code).toBe(0);
    for (const name of ['version', 'role', 'mode', 'persistence', 'maxmemory-policy', 'charge']) {
      expect(check(ran, `redis ${name}`)).toMatchObject({ status: 'ok' });
    }
  });

  test('is an error where it answers and refuses what a charge writes', async () => {
    const rules = ['on', '>pass', '~*', '+@all', '-set'];
    await redis.admin.call('ACL', 'SETUSER', 'reader', ...rules);
    const ran = await look({ REDIS_URL: redis.url.replace('//', '//reader:pass@') });
    expect(ran.code).toBe(1);
    expect(check(ran, 'redis charge').detail).toContain('lacks a permission');
  });

  test('is a warning if its provider refuses CONFIG and sections of INFO', async () => {
    const sections = ['server', 'replication'].map((section) => `+info|${section}`);
    const rules = ['on', '>pass', '~*', '+@all', '-config', '-info', ...sections];
    await redis.admin.call('ACL', 'SETUSER', 'app', ...rules);
    const ran = await look({ REDIS_URL: redis.url.replace('//', '//app:pass@') });
    expect(ran.code).toBe(0);
    expect(check(ran, 'redis epoch')).toMatchObject({ status: 'ok' });
    for (const name of ['redis persistence', 'redis maxmemory-policy']) {
      expect(check(ran, name)).toMatchObject({ status: 'warning' });
      expect(check(ran, name).detail).toContain('does not report');
    }
  });

  test('is an error if two servers are behind one address', async () => {
    const other = await startRedisServer(['--appendonly', 'yes']);
    const proxy = await startRedisProxy([redis.port, other.port]);
    try {
      const ran = await look({ REDIS_URL: proxy.url });
      expect(ran.code).toBe(1);
      expect(check(ran, 'redis epoch').detail).toContain('several servers');
    } finally {
      await proxy.close();
      await other.dispose();
    }
  });

  test('is an error if it reports no epoch, and is not taken for the JavaScript server', async () => {
    const proxy = await startRedisProxy([redis.port], withoutEpoch);
    try {
      const ran = await look({ REDIS_URL: proxy.url });
      expect(ran.code).toBe(1);
      expect(check(ran, 'redis epoch').detail).toContain('neither run_id nor master_replid');
    } finally {
      await proxy.close();
    }
  });

  const set = (name: string, value: string) => redis.admin.config('SET', name, value);
  const saying = (text: string) => expect.stringContaining(text);

  test.each<[string, () => unknown, Record<string, string>, string, Partial<Check>]>([
    [
      'without an append-only file',
      () => set('appendonly', 'no'),
      {},
      'redis persistence',
      { remedy: saying('CONFIG SET appendonly yes') },
    ],
    [
      'if it evicts keys',
      () => set('maxmemory-policy', 'allkeys-lru'),
      {},
      'redis maxmemory-policy',
      { detail: saying('allkeys-lru') },
    ],
    ['as a replica', () => redis.admin.replicaof('127.0.0.1', 1), {}, 'redis role', {}],
    [
      'if REDIS_CLUSTER is set for a single server',
      () => {},
      { REDIS_CLUSTER: 'true' },
      'redis mode',
      { remedy: saying('REDIS_CLUSTER=false') },
    ],
    [
      'as a list of servers without REDIS_CLUSTER',
      () => {},
      { REDIS_URL: 'redis://:s3cret@127.0.0.1:1,127.0.0.1:2' },
      'redis',
      { detail: saying('REDIS_CLUSTER') },
    ],
    [
      'if it requires a password that is not set',
      async () => {
        await set('requirepass', 'pass');
        await redis.admin.auth('pass');
      },
      {},
      'redis',
      { detail: saying('NOAUTH') },
    ],
  ])('is an error %s', async (_, arrange, env, name, found) => {
    await arrange();
    const ran = await look(env);
    expect(check(ran, name)).toMatchObject({ status: 'error', ...found });
    expect(ran.code).toBe(1);
    expect(ran.stdout).not.toContain('s3cret');
  });

  test('is a warning as a cluster with one listed node down, and an error with all of them down', async () => {
    const settings = ['--appendonly', 'yes', '--cluster-enabled', 'yes'];
    settings.push('--cluster-announce-ip', '127.0.0.1', '--cluster-port', `${await freePort()}`);
    const node = await startRedisServer(settings);
    const gone = `127.0.0.1:${await freePort()}`;
    try {
      const list = `redis://:s3cret@${gone},127.0.0.1:${node.port}`;
      const unformed = await look({ REDIS_URL: list, REDIS_CLUSTER: 'true' });
      expect(check(unformed, 'redis primaries').detail).toContain('announces none');
      expect(check(unformed, 'redis charge')).toMatchObject({ status: 'error' });
      await node.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await until('every slot is served', async () =>
        `${await node.admin.cluster('INFO')}`.includes('cluster_state:ok'),
      );
      const asked = await look({ REDIS_URL: list, REDIS_CLUSTER: 'true' });
      expect(asked.code).toBe(0);
      expect(check(asked, 'redis nodes').detail).toContain(gone);
      expect(check(asked, 'redis mode')).toMatchObject({ status: 'ok' });
      expect(asked.stdout).not.toContain('s3cret');
      const none = await look({ REDIS_URL: `redis://${gone}`, REDIS_CLUSTER: 'true' });
      expect(none.code).toBe(1);
    } finally {
      await node.dispose();
    }
  });
});
