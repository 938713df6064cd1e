/**
 * What `ceiba migrate` makes of a database of the previous release, whose migrations come from git:
 * .ci/run fails where this is skipped.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createDatabase } from '@ceiba/devstack/databases';
import { appliedMigrationTimes, createDatabase as connect, migrateDatabase } from '@ceiba/schema';
import { afterAll, describe, expect, it } from 'vitest';
import { migrationsFolder } from '../../support/database.ts';
import { hasPreviousRelease, previousMigrations } from '../../support/previous-release.ts';

/** All that a schema consists of, as Postgres writes it, one line each. */
const SCHEMA = `
  select 'table ' || c.relname || ' ' || coalesce(pg_get_partkeydef(c.oid), '')
      || coalesce(array_to_string(c.reloptions, ' '), '') as line
    from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
  union all
  select format('column %s.%s %s %s %s %s %s %s', a.attrelid::regclass, a.attnum, a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attcollation,
      pg_get_expr(d.adbin, d.adrelid))
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.attnum > 0
  union all
  select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace
  union all
  select indexdef from pg_indexes where schemaname = 'public'
  union all
  select 'trigger ' || tgenabled::text || ' ' || pg_get_triggerdef(oid) from pg_trigger
    where not tgisinternal
  union all
  select pg_get_functiondef(p.oid) || coalesce(p.proacl::text, '') from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
  union all
  select 'extension ' || extname from pg_extension
  union all
  select 'plan ' || name || ' ' || monthly_quota from plans
  order by 1`;

const cleanUps: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

async function emptyDatabase() {
  const { url, drop } = await createDatabase(process.env.DATABASE_URL!, { prefix: 'ceiba_schema' });
  const db = connect(url, { maxConnections: 1 });
  cleanUps.push(drop, () => db.close());
  const schema = async () => (await db.sql.unsafe(SCHEMA)).map(({ line }) => line as string);
  return { url, db, schema, applied: () => appliedMigrationTimes(db) };
}

describe.skipIf(!hasPreviousRelease)('a database of the previous release', () => {
  const previous = previousMigrations();
  cleanUps.push(() => rmSync(dirname(previous), { recursive: true }));
  const ofPrevious = join(previous, 'replaced.json');
  if (!existsSync(ofPrevious)) writeFileSync(ofPrevious, '{ "times": [] }');

  it('has, once migrated, the schema and the migrations of a new one', async () => {
    const [old, fresh] = [await emptyDatabase(), await emptyDatabase()];
    await migrateDatabase(old.url, previous);
    await migrateDatabase(old.url, migrationsFolder);
    await migrateDatabase(fresh.url, migrationsFolder);
    const schema = await fresh.schema();
    expect(schema.length).toBeGreaterThan(300);
    expect(await old.schema()).toEqual(schema);
    expect(await old.applied()).toEqual(await fresh.applied());
  }, 60_000);

  it('that lacks one of the migrations that were replaced is refused, with the commit that has it', async () => {
    const { commit, times } = JSON.parse(
      readFileSync(join(migrationsFolder, 'replaced.json'), 'utf8'),
    );
    const old = await emptyDatabase();
    await migrateDatabase(old.url, migrationsFolder);
    await old.db.sql`delete from drizzle.__drizzle_migrations where created_at = ${times.at(-2)}`;
    const schema = await old.schema();
    await expect(migrateDatabase(old.url, migrationsFolder)).rejects.toThrow(
      `The database is older than the migrations of this build. Run ceiba migrate of commit ${commit} first, then this one again.`,
    );
    expect(await old.schema()).toEqual(schema);
  }, 60_000);
});
