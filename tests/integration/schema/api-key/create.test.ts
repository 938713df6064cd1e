import { randomBytes } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import { archiveApiKey, createApiKey, type Database, revokeApiKey } from '@ceiba/schema';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { contextOf, expectKind, givePlan, makeKey, makeProject, useBench } from '../support.ts';

/** The default isolation of a session, which a verb must not inherit (rule cap-under-lock). */
const SESSION_DEFAULTS = ['read committed', 'repeatable read', 'serializable'] as const;

describe.each(SESSION_DEFAULTS)('with sessions that start at %s', (level) => {
  const bench = useBench();

  /** Sessions as behind a pooler, which does not pass on the default that Ceiba asks for. */
  async function withPool<T>(run: (db: Database) => Promise<T>): Promise<T> {
    const sql = postgres(bench.url, {
      max: 25,
      connection: { default_transaction_isolation: level },
    });
    const db = { sql, orm: drizzle(sql), close: () => sql.end() };
    try {
      const [row] = await db.sql`show default_transaction_isolation`;
      expect(row).toEqual({ default_transaction_isolation: level });
      return await run(db);
    } finally {
      await db.close();
    }
  }

  test('50 concurrent creates at a cap of 7 create exactly 7 keys, in each of 5 rounds', async () => {
    await withPool(async (db) => {
      for (let round = 0; round < 5; round += 1) {
        const { projectId } = await makeProject(bench.ctx);
        await givePlan(bench.ctx, projectId, { activeKeyCap: 7 });
        const results = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            createApiKey(contextOf(db), {
              projectId,
              displayName: `Job ${index}`,
              mint: () => mintApiKey(randomBytes),
            }),
          ),
        );
        expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(7);
        expect(results.filter(({ kind }) => kind === 'plan_limit_reached')).toHaveLength(43);
        const [row] = await db.sql`
          select count(*)::int as count from api_keys where project_id = ${projectId}`;
        expect(row).toEqual({ count: 7 });
      }
    });
  });
});

describe('the cap of active keys', () => {
  const bench = useBench();

  async function fullProject(activeKeyCap: number) {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, { activeKeyCap });
    const keys = [];
    for (let index = 0; index < activeKeyCap; index += 1) {
      keys.push(await makeKey(bench.ctx, projectId));
    }
    return { projectId, keys };
  }

  const tryCreate = (projectId: string) =>
    createApiKey(bench.ctx, {
      projectId,
      displayName: 'One more',
      mint: () => mintApiKey(randomBytes),
    });

  test('is returned instead of a key once it is reached', async () => {
    const { projectId } = await fullProject(2);
    expect(await tryCreate(projectId)).toEqual({
      kind: 'plan_limit_reached',
      activeKeyCap: 2,
      of: 'plan',
    });
  });

  test('does not count revoked and archived keys', async () => {
    const { projectId, keys } = await fullProject(2);
    await revokeApiKey(bench.ctx, keys[0]!);
    expectKind(await tryCreate(projectId), 'created');
    expectKind(await tryCreate(projectId), 'plan_limit_reached');
    await archiveApiKey(bench.ctx, keys[1]!);
    expectKind(await tryCreate(projectId), 'created');
  });

  test('counts expired keys, whose status is active', async () => {
    const { projectId, keys } = await fullProject(1);
    await bench.db
      .sql`update api_keys set expires_at = '2001-01-01' where id = ${keys[0]!.apiKeyId}`;
    expectKind(await tryCreate(projectId), 'plan_limit_reached');
  });

  test('refuses new keys and keeps existing ones after it is lowered', async () => {
    const { projectId } = await fullProject(3);
    await givePlan(bench.ctx, projectId, { activeKeyCap: 1 });
    expectKind(await tryCreate(projectId), 'plan_limit_reached');
    const [row] = await bench.db.sql`
      select count(*)::int as count from api_keys where project_id = ${projectId} and status = 'active'`;
    expect(row).toEqual({ count: 3 });
  });

  test('is 0 without a subscription, and permits no key at 0', async () => {
    const { projectId } = await fullProject(0);
    expectKind(await tryCreate(projectId), 'plan_limit_reached');
    await bench.db.sql`delete from subscriptions where project_id = ${projectId}`;
    expect(await tryCreate(projectId)).toEqual({
      kind: 'plan_limit_reached',
      activeKeyCap: 0,
      of: 'plan',
    });
  });

  test('is counted per project', async () => {
    await fullProject(1);
    const { projectId } = await makeProject(bench.ctx);
    expectKind(await tryCreate(projectId), 'created');
  });
});
