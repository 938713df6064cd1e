import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SEEDED_PLANS } from '@ceiba/domain';
import {
  appliedMigrationTimes,
  createDatabase,
  type Database,
  listPlans,
  MigrationError,
  migrateDatabase,
} from '@ceiba/schema';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestNetwork, type TestNetwork } from '../../chaos/support/proxy.ts';
import { migrationsFolder } from '../../support/database.ts';
import { until } from '../../support/until.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const journal: { entries: { tag: string; when: number }[] } = JSON.parse(
  readFileSync(join(migrationsFolder, 'meta/_journal.json'), 'utf8'),
);

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A database without tables; `createTestDatabase` returns a migrated one. */
async function createEmptyDatabase(): Promise<string> {
  const server = createDatabase(process.env.DATABASE_URL!, { maxConnections: 1 });
  const name = `ceiba_empty_${randomBytes(8).toString('hex')}`;
  await server.sql`create database ${server.sql(name)}`;
  cleanUps.push(async () => {
    await server.sql`drop database if exists ${server.sql(name)} with (force)`;
    await server.close();
  });
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = `/${name}`;
  return url.toString();
}

async function appliedTo(url: string): Promise<number[]> {
  const db = createDatabase(url, { maxConnections: 1 });
  try {
    return await appliedMigrationTimes(db);
  } finally {
    await db.close();
  }
}

const replaced: { times: number[] } = JSON.parse(
  readFileSync(join(migrationsFolder, 'replaced.json'), 'utf8'),
);

/** Of the journal, and of what its first migration replaces. */
const allTimes = () => [...replaced.times, ...journalTimes()];
const journalTimes = () => journal.entries.map(({ when }) => when);

describe('migrations', () => {
  test('are all applied to an empty database, in the order of the journal', async () => {
    const url = await createEmptyDatabase();
    expect(await appliedTo(url)).toEqual([]);
    expect(await migrateDatabase(url, migrationsFolder)).toEqual({
      applied: journal.entries.length,
    });
    expect(await appliedTo(url)).toEqual(allTimes());
  });

  test('are each applied once by four concurrent runs on an empty database', async () => {
    const url = await createEmptyDatabase();
    const results = await Promise.all(
      Array.from({ length: 4 }, () => migrateDatabase(url, migrationsFolder)),
    );
    expect(results.map(({ applied }) => applied).sort((a, b) => b - a)).toEqual([
      journal.entries.length,
      0,
      0,
      0,
    ]);
    expect(await appliedTo(url)).toEqual(allTimes());
  });

  test('change nothing in a second run, and keep the data', async () => {
    const url = await createEmptyDatabase();
    await migrateDatabase(url, migrationsFolder);
    const db = createDatabase(url);
    cleanUps.push(() => db.close());
    await db.sql`update plans set monthly_quota = 7 where name = 'Free'`;
    expect(await migrateDatabase(url, migrationsFolder)).toEqual({ applied: 0 });
    const [free] = await db.sql`select monthly_quota::int from plans where name = 'Free'`;
    expect(free).toEqual({ monthly_quota: 7 });
  });

  test('that fail leave the database unchanged', async () => {
    const url = await createEmptyDatabase();
    const folder = copyOfMigrations();
    const last = journal.entries.at(-1)!;
    const file = join(folder, `${last.tag}.sql`);
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n--> statement-breakpoint\nselect 1 / 0;`);
    await expect(migrateDatabase(url, folder)).rejects.toThrow();
    expect(await appliedTo(url)).toEqual([]);
    expect(await migrateDatabase(url, migrationsFolder)).toMatchObject({
      applied: journal.entries.length,
    });
  });

  test('create the plans that the domain seeds', async () => {
    const url = await createEmptyDatabase();
    await migrateDatabase(url, migrationsFolder);
    const db = createDatabase(url);
    cleanUps.push(() => db.close());
    const plans = (await listPlans(db)).map(({ planId: _, ...plan }) => plan);
    expect(plans).toEqual(SEEDED_PLANS.map((plan) => ({ ...plan, dailyQuota: null })));
  });
});

describe('beside the journal of another application', () => {
  async function withForeignRow(url: string, time: number) {
    const db = createDatabase(url, { maxConnections: 1 });
    cleanUps.push(() => db.close());
    await db.sql`create schema if not exists drizzle`;
    await db.sql`create table if not exists drizzle.__drizzle_migrations (
      id serial primary key, hash text not null, created_at bigint)`;
    await db.sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      values ('foreign', ${time})`;
    return db;
  }

  test.each([1, Date.parse('2100-01-01')])(
    'nothing is created, and the message says whose it is (a row of %d)',
    async (time) => {
      const url = await createEmptyDatabase();
      const db = await withForeignRow(url, time);
      await expect(migrateDatabase(url, migrationsFolder)).rejects.toThrow(
        'belongs to another application',
      );
      expect(await appliedTo(url)).toEqual([time]);
      expect(await db.sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0);
    },
  );

  test('the next migration is applied although a foreign row is newer', async () => {
    const url = await createEmptyDatabase();
    await migrateDatabase(url, migrationsFolder);
    await withForeignRow(url, Date.parse('2099-01-01'));
    const folder = withLastMigration('create table added (id int)', Date.parse('2098-01-01'));
    expect(await migrateDatabase(url, folder)).toEqual({ applied: 1 });
    expect(await migrateDatabase(url, folder)).toEqual({ applied: 0 });
  });
});

describe('a migration of a table that a backup reads', () => {
  /** Runs it while another transaction holds the table as pg_dump does, until `work` is done. */
  async function besideBackup(work: (outcome: Promise<unknown>, db: Database) => Promise<void>) {
    const url = await createEmptyDatabase();
    await migrateDatabase(url, migrationsFolder);
    const db = createDatabase(url);
    cleanUps.push(() => db.close());
    const folder = withLastMigration('alter table api_keys add column extra text');
    return db.sql.begin(async (backup) => {
      const [{ pid } = {}] = await backup`select pg_backend_pid() as pid`;
      await backup`set local idle_in_transaction_session_timeout = 0`;
      await backup`lock table api_keys in access share mode`;
      const outcome = migrateDatabase(url, folder).catch((error: unknown) => error);
      await until('the migration waits for the table', async () => {
        const locks = await db.sql`select from pg_locks where not granted
          and ${pid} = any(pg_blocking_pids(pid))`;
        return locks.length > 0;
      });
      await work(outcome, db);
      return { outcome, pid };
    });
  }

  test('lets lookups pass meanwhile, and succeeds once the backup is done', async () => {
    const { outcome } = await besideBackup(async (_, db) => {
      const lookup = db.sql`select from api_keys`;
      let isAnswered = false;
      lookup.then(() => {
        isAnswered = true;
      });
      await until('a lookup is answered', () => isAnswered);
    });
    expect(await outcome).toEqual({ applied: 1 });
  }, 60_000);

  test('ends with the process that has the table, when the backup goes on', async () => {
    const { outcome, pid } = await besideBackup(async (ended) => {
      await ended;
    });
    const error = await outcome;
    expect(error).toBeInstanceOf(MigrationError);
    expect(error).toMatchObject({ message: expect.stringContaining(`process ${pid} of Postgres`) });
  }, 60_000);
});

describe('a migration whose connection is lost', () => {
  /** Runs a migration through a network until it waits for a table that is locked. */
  async function blockedMigration(lose: (network: TestNetwork) => void) {
    const url = await createEmptyDatabase();
    await migrateDatabase(url, migrationsFolder);
    const folder = withLastMigration('alter table plans add column extra text');
    const db = createDatabase(url);
    const network = await startTestNetwork(url);
    cleanUps.push(async () => {
      await db.close();
      await network.close();
    });
    const holds = async (isGranted: boolean) => {
      const locks = await db.sql`
        select from pg_locks l join pg_stat_activity a using (pid)
        where a.application_name = 'ceiba-migrate' and a.datname = current_database()
          and (l.locktype = 'advisory' or not l.granted) and l.granted = ${isGranted}`;
      return locks.length > 0;
    };
    const { outcome } = await db.sql.begin(async (sql) => {
      await sql`lock table plans in access exclusive mode`;
      const migration = migrateDatabase(network.url, folder);
      const outcome = migration.catch((error: unknown) => error);
      await until('the migration waits for the table', () => holds(false));
      lose(network);
      return { outcome };
    });
    return { outcome, url, folder, isLocked: () => holds(true) };
  }

  test.each<[string, (network: TestNetwork) => void]>([
    ['is cut', (network) => network.refuse()],
    ['falls silent, and every new one too', (network) => network.darken()],
    ['falls silent alone', (network) => network.darkenOpen()],
  ])(
    'because it %s, ends with an error that names the cause, and gives up its lock',
    async (_, lose) => {
      const { outcome, url, folder, isLocked } = await blockedMigration(lose);
      expect(await outcome).toBeInstanceOf(MigrationError);
      await until('the lock is free', async () => !(await isLocked()), 20_000);
      expect(await migrateDatabase(url, folder)).toEqual({ applied: 1 });
    },
    60_000,
  );
});

describe('the journal', () => {
  test('has strictly increasing times, because each names a migration and the last is the newest', () => {
    const times = allTimes();
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  });

  test('has one entry per file, named <timestamp>_<snake_case>', () => {
    const files = readdirSync(migrationsFolder).filter((name) => name.endsWith('.sql'));
    expect(journal.entries.map(({ tag }) => `${tag}.sql`).sort()).toEqual(files.sort());
    for (const { tag } of journal.entries) expect(tag).toMatch(/^\d{14}_[a-z0-9]+(_[a-z0-9]+)*$/);
  });
});

describe('drizzle-kit generate', () => {
  test('has nothing to add, so tables and migrations agree', () => {
    expect(newFilesAfterGenerate('packages/schema/src/tables.ts')).toEqual([]);
  }, 60_000);

  test('detects a table that no migration creates', () => {
    const folder = mkdtempSync(join(root, 'node_modules/.ceiba-tables-'));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(join(root, 'packages/schema/src'), folder, { recursive: true });
    const changed = join(folder, 'plan/tables.ts');
    const tables = readFileSync(changed, 'utf8');
    writeFileSync(changed, `${tables}\nexport const extra = pgTable('extra', { id: id() });\n`);
    expect(newFilesAfterGenerate(join(folder, 'tables.ts'))).toEqual([
      expect.stringMatching(/_check\.sql$/),
    ]);
  }, 60_000);
});

function copyOfMigrations(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-drizzle-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(migrationsFolder, folder, { recursive: true });
  return folder;
}

/** A copy of the migrations with one more. */
function withLastMigration(sql: string, when = Date.parse('2100-01-01')): string {
  const folder = copyOfMigrations();
  const entries = [...journal.entries, { ...journal.entries.at(-1)!, tag: 'last', when }];
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }));
  writeFileSync(join(folder, 'last.sql'), sql);
  return folder;
}

/** The SQL files that `drizzle-kit generate` adds to a copy of the migrations. */
function newFilesAfterGenerate(schema: string): string[] {
  const out = copyOfMigrations();
  const before = new Set(readdirSync(out));
  const program = join(root, 'node_modules/drizzle-kit/bin.cjs');
  // drizzle-kit prefixes the folder with ./ and always exits with 0.
  const options = ['--dialect', 'postgresql', '--schema', schema, '--out', relative(root, out)];
  const printed = execFileSync(
    process.execPath,
    [program, 'generate', ...options, '--name', 'check'],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: 50_000,
    },
  );
  expect(printed).toMatch(/No schema changes|Your SQL migration/);
  return readdirSync(out).filter((name) => name.endsWith('.sql') && !before.has(name));
}
