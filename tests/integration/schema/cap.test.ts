import { randomBytes } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import {
  archiveApiKey,
  createApiKey,
  createDatabase,
  type Database,
  revokeApiKey,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { contextOf, expectKind, givePlan, makeKey, makeProject, useBench } from './support.ts';

/** The isolation that a session starts with; a verb must not inherit it (consistency rule 7). */
const SESSION_DEFAULTS = ['read committed', 'repeatable read', 'serializable'];

describe.each(SESSION_DEFAULTS)('with sessions that start at %s', (level) => {
  const bench = useBench();

  /** A pool whose sessions begin after the database's default was changed. */
  async function withPool<T>(run: (db: Database) => Promise<T>): Promise<T> {
    const name = new URL(bench.url).pathname.slice(1);
    await bench.db.sql.unsafe(
      `alter database "${name}" set default_transaction_isolation = '${level}'`,
    );
    const db = createDatabase(bench.url, { maxConnections: 25 });
    try {
      const [row] = await db.sql`show default_transaction_isolation`;
      expect(row).toEqual({ default_transaction_isolation: level });
      return await run(db);
    } finally {
      await db.close();
    }
  }

  test('50 parallel creates at a cap of 7 create exactly 7 keys, in each of 5 rounds', async () => {
    await withPool(async (db) => {
      for (let round = 0; round < 5; round += 1) {
        const { projectId } = await makeProject(bench.ctx);
        await givePlan(bench.ctx, projectId, { activeKeyCap: 7 });
        const results = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            createApiKey(contextOf(db), {
              projectId,
              displayName: `Job ${index}`,
              minted: mintApiKey(randomBytes),
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

describe('what counts against the cap', () => {
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
      minted: mintApiKey(randomBytes),
    });

  test('a project at its cap is told the cap and gets no key', async () => {
    const { projectId } = await fullProject(2);
    expect(await tryCreate(projectId)).toEqual({ kind: 'plan_limit_reached', activeKeyCap: 2 });
  });

  test('a revoked key and an archived key each free a slot', async () => {
    const { projectId, keys } = await fullProject(2);
    await revokeApiKey(bench.ctx, keys[0]!);
    expectKind(await tryCreate(projectId), 'created');
    expectKind(await tryCreate(projectId), 'plan_limit_reached');
    await archiveApiKey(bench.ctx, keys[1]!);
    expectKind(await tryCreate(projectId), 'created');
  });

  test('an expired key keeps its slot, because its status is active', async () => {
    const { projectId, keys } = await fullProject(1);
    await bench.db
      .sql`update api_keys set expires_at = '2001-01-01' where id = ${keys[0]!.apiKeyId}`;
    expectKind(await tryCreate(projectId), 'plan_limit_reached');
  });

  test('a smaller cap leaves the keys there are and refuses new ones', async () => {
    const { projectId } = await fullProject(3);
    await givePlan(bench.ctx, projectId, { activeKeyCap: 1 });
    expectKind(await tryCreate(projectId), 'plan_limit_reached');
    const [row] = await bench.db.sql`
      select count(*)::int as count from api_keys where project_id = ${projectId} and status = 'active'`;
    expect(row).toEqual({ count: 3 });
  });

  test('a cap of 0 and a project without subscription admit no key', async () => {
    const { projectId } = await fullProject(0);
    expectKind(await tryCreate(projectId), 'plan_limit_reached');
    await bench.db.sql`delete from subscriptions where project_id = ${projectId}`;
    expect(await tryCreate(projectId)).toEqual({ kind: 'plan_limit_reached', activeKeyCap: 0 });
  });

  test('a full project leaves room in another one', async () => {
    await fullProject(1);
    const { projectId } = await makeProject(bench.ctx);
    expectKind(await tryCreate(projectId), 'created');
  });
});
