import { urlOfDatabase, withConnection } from '@ceiba/devstack/databases';
import { createDatabase, type Database, lookupMany, migrateDatabase } from '@ceiba/schema';
import type postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, migrationsFolder } from '../../support/database.ts';
import { startTestPostgres, type TestService } from '../../support/services.ts';
import { until } from '../../support/until.ts';
import { makeKey, makeProject, useBench } from './support.ts';

const bench = useBench();

async function revisionOf(db: Database, projectId: string): Promise<string> {
  const [row] = await lookupMany(db, [{ projectId, apiKeyDigest: null }]);
  return row!.project!.policyRevision;
}

async function makeProjectWithPolicy(): Promise<string> {
  const { projectId } = await makeProject(bench.ctx);
  await bench.db.sql`
    insert into policies (project_id, method, path_pattern) values (${projectId}, 'GET', '/v1/a')`;
  return projectId;
}

/** Removes the project's policies in a transaction of a session that `prepare` arranges. */
async function removePolicies(
  projectId: string,
  prepare: (sql: postgres.TransactionSql) => Promise<unknown>,
): Promise<void> {
  await bench.db.sql.begin(async (sql) => {
    await prepare(sql);
    const { count } = await sql`delete from public.policies where project_id = ${projectId}`;
    expect(count).toBe(1);
  });
}

/** Tables of the names that the triggers write to, where the session looks first. */
const DECOYS = ['projects', 'decision_revisions'];

/** Sessions whose names mean something else, or that may less than the owner of the tables. */
const SESSIONS: Record<string, (sql: postgres.TransactionSql) => Promise<unknown>> = {
  'has temporary tables of the same names': async (sql) => {
    for (const name of DECOYS) {
      await sql.unsafe(`create temp table ${name} (like public.policies) on commit drop`);
      await sql.unsafe(`alter table ${name} add policy_revision uuid, add r bigint`);
    }
  },
  'finds another schema first': async (sql) => {
    await sql`create schema elsewhere`;
    for (const name of DECOYS) {
      await sql.unsafe(`create table elsewhere.${name} (like public.policies)`);
      await sql.unsafe(`alter table elsewhere.${name} add policy_revision uuid, add r bigint`);
    }
    await sql`set local search_path = elsewhere, public`;
  },
  'has an empty search path, as pg_restore does': (sql) => sql`set local search_path = ''`,
  'is in the role replica, as logical replication is': (sql) =>
    sql`set local session_replication_role = replica`,
  'may do nothing but delete policies': async (sql) => {
    const role = 'ceiba_test_remover';
    await sql.unsafe(`create role ${role}`);
    await sql.unsafe(`grant delete, select on public.policies to ${role}`);
    await sql.unsafe(`set local role ${role}`);
  },
};

describe('a change of policies gives the project another revision when its session', () => {
  test.each(Object.entries(SESSIONS))('%s', async (_, prepare) => {
    const projectId = await makeProjectWithPolicy();
    const before = await revisionOf(bench.db, projectId);
    await removePolicies(projectId, prepare);
    expect(await revisionOf(bench.db, projectId)).not.toBe(before);
    await bench.db.sql`drop schema if exists elsewhere cascade`;
    await bench.db.sql`do $$ begin
      if to_regrole('ceiba_test_remover') is not null then
        drop owned by ceiba_test_remover; drop role ceiba_test_remover;
      end if;
    end $$`;
  });
});

test('a key that the role replica revokes has the time of its revocation', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const { apiKeyId } = await makeKey(bench.ctx, projectId);
  await bench.db.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`update api_keys set status = 'revoked' where id = ${apiKeyId}`;
  });
  const [key] = await bench.db.sql`select revoked_at from api_keys where id = ${apiKeyId}`;
  expect(key?.revoked_at).not.toBeNull();
});

describe('every trigger of the schema', () => {
  test('fires in every session', async () => {
    const others = await bench.db.sql`
      select tgname from pg_trigger where not tgisinternal and tgenabled <> 'A'`;
    expect(others).toEqual([]);
  });

  test('runs a function with the rights of its owner and a fixed search path, which no other role can attach', async () => {
    const functions = await bench.db.sql`
      select distinct proname, prosecdef, proconfig::text,
        has_function_privilege('pg_monitor', p.oid, 'execute') as "isPublic"
      from pg_trigger join pg_proc p on p.oid = tgfoid where not tgisinternal`;
    expect(functions.length).toBeGreaterThan(0);
    for (const { proname, ...rest } of functions) {
      const proconfig = '{"search_path=pg_catalog, pg_temp"}';
      expect({ proname, ...rest }).toEqual({
        proname,
        prosecdef: true,
        proconfig,
        isPublic: false,
      });
    }
  });

  test('names the schema of every table that its function uses', async () => {
    const bodies = await bench.db.sql<{ proname: string; prosrc: string }[]>`
      select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
        and prorettype = 'trigger'::regtype`;
    const [{ names } = { names: '' }] = await bench.db.sql<{ names: string }[]>`
      select string_agg(tablename, '|') as names from pg_tables where schemaname = 'public'`;
    const unqualified = new RegExp(`(?<!public\\.)(?<!\\w)(?:${names})\\b`);
    for (const { proname, prosrc } of bodies) {
      expect({ proname, found: unqualified.exec(prosrc)?.[0] }).toEqual({ proname });
    }
  });
});

describe('logical replication', () => {
  let server: TestService;
  let publisher: Database;
  let subscriber: Database;

  beforeAll(async () => {
    server = await startTestPostgres();
    await withConnection(server.url, (sql) => sql`alter system set wal_level = logical`);
    await server.stop();
    await server.start();
    const open = async () => createDatabase((await createTestDatabase(server.url)).url);
    publisher = await open();
    subscriber = await open();
    const [{ name } = { name: '' }] = await publisher.sql<{ name: string }[]>`
      select current_database() as name`;
    const { sql } = subscriber;
    await publisher.sql`create publication changes for table policies`;
    await publisher.sql`select pg_create_logical_replication_slot('changes', 'pgoutput')`;
    await sql.unsafe(`create subscription changes connection '${urlOfDatabase(server.url, name)}'
      publication changes with (create_slot = false, slot_name = 'changes', copy_data = false)`);
  }, 60_000);
  afterAll(async () => {
    await publisher?.close();
    await subscriber?.close();
    await server?.dispose();
  });

  test('of a removed policy gives the project of the subscriber another revision', async () => {
    const { projectId } = await makeProject({ ...bench.ctx, db: publisher });
    // As on a subscriber to the policies alone, which no change of the project's row reaches.
    await subscriber.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`insert into projects (id, owner_id, name, secret_digest)
        values (${projectId}, ${projectId}, 'replicated', sha256('secret'))`;
    });
    await publisher.sql`insert into policies (project_id, method, path_pattern)
      values (${projectId}, 'GET', '/v1/a'), (${projectId}, 'GET', '/v1/b')`;
    const arrived = (count: number) =>
      until(`${count} policies have arrived`, async () => {
        const rows = await subscriber.sql`select from policies where project_id = ${projectId}`;
        return rows.length === count;
      });
    await arrived(2);
    const before = await revisionOf(subscriber, projectId);
    await publisher.sql`delete from policies where path_pattern = '/v1/b'`;
    await arrived(1);
    expect(await revisionOf(subscriber, projectId)).not.toBe(before);
  });
});

describe('an installation in another schema', () => {
  test('has every table, key and function there, and nothing in public', async () => {
    await bench.db.sql`create database ceiba_test_elsewhere`;
    const url = urlOfDatabase(bench.url, 'ceiba_test_elsewhere');
    const db = createDatabase(`${url}?options=-csearch_path%3Dapp`);
    try {
      await expect(
        migrateDatabase(`${url}?options=-csearch_path%3Dapp`, migrationsFolder),
      ).rejects.toThrow('names no schema that exists');
      await withConnection(url, (sql) => sql`create schema app`);
      await migrateDatabase(`${url}?options=-csearch_path%3Dapp`, migrationsFolder);
      const schemas = await db.sql`
        select relnamespace::regnamespace::text as name from pg_class
          where relkind in ('r', 'p', 'i', 'S') and relnamespace::regnamespace::text in ('app', 'public')
        union select pronamespace::regnamespace::text from pg_proc where proname ~ '_revision|_status$'
          and prorettype = 'trigger'::regtype
        union select split_part(confrelid::regclass::text, '.', 1) from pg_constraint
          where confrelid <> 0 and confrelid::regclass::text like '%.%'`;
      expect(schemas).toEqual([{ name: 'app' }]);
      const { projectId } = await makeProject({ ...bench.ctx, db });
      const before = await revisionOf(db, projectId);
      await db.sql`insert into policies (project_id, method, path_pattern)
        values (${projectId}, 'GET', '/v1/a')`;
      expect(await revisionOf(db, projectId)).not.toBe(before);
      await expect(migrateDatabase(url, migrationsFolder)).rejects.toThrow(
        'does not name the schema that holds the tables',
      );
    } finally {
      await db.close();
      await bench.db.sql`drop database ceiba_test_elsewhere with (force)`;
    }
  });
});
