/** A Runtime takes no traffic on a database that lacks migrations of its build. */
import { runtimeReadinessSchema } from '@ceiba/contract';
import { createDatabase } from '@ceiba/devstack/databases';
import { createDatabase as connect, migrateDatabase } from '@ceiba/schema';
import { expect, it } from 'vitest';
import { migrationsFolder } from '../../support/database.ts';
import { startRuntime } from '../../support/runtime.ts';
import { until } from '../../support/until.ts';

it('is not ready without the migrations of its build, says which it lacks, and is ready with newer ones', async () => {
  const empty = await createDatabase(process.env.DATABASE_URL!, { prefix: 'ceiba_unmigrated' });
  const databaseUrl = empty.url;
  const redisUrl = process.env.REDIS_URL!;
  const runtime = await startRuntime({ databaseUrl, redisUrl, until: '/health' });
  const db = connect(databaseUrl, { maxConnections: 1 });
  const ready = async () => {
    const reply = await fetch(`${runtime.url}/ready`);
    return { status: reply.status, ...runtimeReadinessSchema.parse(await reply.json()) };
  };
  const healthy = { status: 200, ok: true, checks: { database: 'ok', redis: 'ok' } };
  const lacking = {
    status: 503,
    ok: false,
    checks: { database: 'ok', redis: 'ok', schema: 'unavailable' },
  };
  const becomes = (state: object) =>
    until(`/ready is ${JSON.stringify(state)}`, async () => {
      expect(await ready()).toEqual(state);
      return true;
    });
  try {
    await becomes(lacking);
    await expect.poll(runtime.stdout).toMatch(/lacks \d{14}_\w+: run ceiba migrate/);
    await migrateDatabase(databaseUrl, migrationsFolder);
    await becomes(healthy);
    const [newest] = await db.sql<{ created_at: string }[]>`
      delete from drizzle.__drizzle_migrations
      where created_at = (select max(created_at) from drizzle.__drizzle_migrations)
      returning created_at`;
    await becomes(lacking);
    await db.sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      values ('this', ${newest!.created_at}), ('newer', ${Number(newest!.created_at) + 1})`;
    await becomes(healthy);
  } finally {
    await runtime.stop();
    await db.close();
    await empty.drop();
  }
}, 60_000);
