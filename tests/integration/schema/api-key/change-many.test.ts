import { randomUUID } from 'node:crypto';
import {
  archiveApiKey,
  changeApiKeys,
  disableApiKey,
  exportApiKeys,
  getApiKey,
  revokeApiKey,
  searchApiKeys,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { makeDestination, queuedAlerts } from '../alert/support.ts';
import {
  countAuditRows,
  givePlan,
  holding,
  makeKey,
  makeProject,
  untilWaiting,
  useBench,
} from '../support.ts';

const bench = useBench();

async function makeKeys(count: number) {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap: 2_000 });
  const keys = [];
  for (let index = 0; index < count; index += 1) {
    keys.push(await makeKey(bench.ctx, projectId, { displayName: `Key ${index}` }));
  }
  return { projectId, keys, apiKeyIds: keys.map(({ apiKeyId }) => apiKeyId) };
}

describe('a change of several keys', () => {
  test('changes each key once, with one audit row per key', async () => {
    const { projectId, keys, apiKeyIds } = await makeKeys(3);
    const rows = await countAuditRows(bench.db);
    const expiresAt = new Date('2031-05-06T07:08:09.000Z');
    const change = { kind: 'set_expiry', expiresAt } as const;
    const asked = [...apiKeyIds, ...apiKeyIds].map((id) => id.toUpperCase());
    const { changed, ...result } = await changeApiKeys(bench.ctx, {
      projectId,
      apiKeyIds: asked,
      change,
    });
    expect(result).toEqual({ done: 3, refused: [] });
    expect(changed).toEqual([...apiKeyIds].sort());
    for (const key of keys) {
      expect((await getApiKey(bench.db, key))?.expiresAt).toBe(expiresAt.toISOString());
    }
    expect(await countAuditRows(bench.db)).toBe(rows + 3);
  });

  test('reports the keys whose status forbids it, and changes the others', async () => {
    const { projectId, keys, apiKeyIds } = await makeKeys(2);
    const { keys: foreign } = await makeKeys(1);
    await archiveApiKey(bench.ctx, keys[0]!);
    const [missing, strangers] = [randomUUID(), foreign[0]!.apiKeyId];
    const result = await changeApiKeys(bench.ctx, {
      projectId,
      apiKeyIds: [...apiKeyIds, missing, strangers],
      change: { kind: 'revoke' },
    });
    expect(result.done).toBe(1);
    expect(new Set(result.refused)).toEqual(
      new Set([
        { apiKeyId: apiKeyIds[0], displayName: 'Key 0', reason: 'archived' },
        { apiKeyId: missing, displayName: null, reason: 'not_found' },
        { apiKeyId: strangers, displayName: null, reason: 'not_found' },
      ]),
    );
    expect((await getApiKey(bench.db, keys[1]!))?.status).toBe('revoked');
    expect((await getApiKey(bench.db, foreign[0]!))?.status).toBe('active');
  });

  test('disables and enables, and names only the keys that it changed', async () => {
    const { projectId, keys, apiKeyIds } = await makeKeys(3);
    const [first, ...others] = [...apiKeyIds].sort();
    await disableApiKey(bench.ctx, { projectId, apiKeyId: first! });
    const run = (kind: 'disable' | 'enable', ids: readonly string[]) =>
      changeApiKeys(bench.ctx, { projectId, apiKeyIds: ids, change: { kind } });
    const isDisabled = async () => {
      const { items } = await searchApiKeys(bench.db, { projectId, hint: 'disabled', limit: 10 });
      return items.map(({ apiKeyId }) => apiKeyId).sort();
    };
    const before = await countAuditRows(bench.db);
    const disabled = await run('disable', apiKeyIds);
    expect(disabled).toEqual({ done: 3, changed: others, refused: [] });
    expect(await isDisabled()).toEqual([...apiKeyIds].sort());
    // What was disabled before stays so when the change is taken back.
    expect(await run('enable', disabled.changed)).toMatchObject({ done: 2, changed: others });
    expect(await isDisabled()).toEqual([first]);
    expect(await countAuditRows(bench.db)).toBe(before + 4);
    const latest = await bench.db.sql<{ action: string }[]>`
      select action from audit_log order by id desc limit 4`;
    expect(latest.map(({ action }) => action)).toEqual([
      'api_key.enable',
      'api_key.enable',
      'api_key.disable',
      'api_key.disable',
    ]);
    await archiveApiKey(bench.ctx, keys[1]!);
    expect((await run('disable', [keys[1]!.apiKeyId])).refused).toMatchObject([
      { reason: 'archived' },
    ]);
  });

  test('leaves the keys that no longer match the filter, and no key apart from those named', async () => {
    const { projectId, keys, apiKeyIds } = await makeKeys(4);
    const { sql } = bench.db;
    const [matching, renamed, used, revoked] = keys.map(({ apiKeyId }) => apiKeyId);
    await sql`update api_keys set created_at = now() - interval '1 year' where project_id = ${projectId}`;
    const filter = { hint: 'idle', text: 'key' } as const;
    // What happened between the list and the confirmation.
    await sql`update api_keys set display_name = 'Other', note = '' where id = ${renamed!}`;
    await sql`update api_keys set last_used_at = now() where id = ${used!}`;
    await revokeApiKey(bench.ctx, keys[3]!);
    const late = await makeKey(bench.ctx, projectId, { displayName: 'Key 9' });
    await sql`update api_keys set created_at = now() - interval '1 year' where id = ${late.apiKeyId}`;

    const rows = await countAuditRows(bench.db);
    const result = await changeApiKeys(bench.ctx, {
      projectId,
      apiKeyIds,
      filter,
      change: { kind: 'archive' },
    });
    expect(result).toMatchObject({ done: 1, changed: [matching] });
    expect(new Map(result.refused.map(({ apiKeyId, reason }) => [apiKeyId, reason]))).toEqual(
      new Map([
        [renamed, 'unmatched'],
        [used, 'unmatched'],
        [revoked, 'revoked'],
      ]),
    );
    expect(await countAuditRows(bench.db)).toBe(rows + 1);
    for (const key of [keys[1]!, keys[2]!, late]) {
      expect((await getApiKey(bench.db, key))?.status).toBe('active');
    }
  });

  test('judges the filter on what a concurrent change of the key has left', async () => {
    const { projectId, apiKeyIds } = await makeKeys(1);
    const [apiKeyId] = apiKeyIds;
    const release = await holding(
      bench.url,
      `update api_keys set display_name = 'Kept' where id = '${apiKeyId}'`,
    );
    const ended = changeApiKeys(bench.ctx, {
      projectId,
      apiKeyIds,
      filter: { text: 'Key 0' },
      change: { kind: 'revoke' },
    });
    await untilWaiting(bench.db);
    await release();
    expect(await ended).toMatchObject({ done: 0, refused: [{ apiKeyId, reason: 'unmatched' }] });
  });

  test('changes no key if one of them fails', async () => {
    const { projectId, keys, apiKeyIds } = await makeKeys(3);
    const last = [...apiKeyIds].sort().at(-1)!;
    await bench.db.sql.unsafe(`
      create function refuse_one() returns trigger language plpgsql as
        $$ begin if new.target_id = '${last}' then raise 'refused'; end if; return new; end $$;
      create trigger refuse_one before insert on audit_log for each row execute function refuse_one()`);
    const change = { kind: 'archive' } as const;
    const ended = changeApiKeys(bench.ctx, { projectId, apiKeyIds, change });
    await expect(ended).rejects.toThrow();
    await bench.db.sql`drop trigger refuse_one on audit_log`;
    for (const key of keys) expect((await getApiKey(bench.db, key))?.status).toBe('active');
  });

  test('takes one statement per table for 500 keys, with an audit row and an alert for each', async () => {
    const { projectId } = await makeKeys(0);
    const { sql } = bench.db;
    await makeDestination(bench.ctx, projectId, { eventTypes: ['api_key.revoked'] });
    const made = await sql<{ id: string }[]>`
      insert into api_keys (project_id, display_name, key_prefix, key_digest)
      select ${projectId}, 'Key ' || n, 'ceiba_ofmany00', sha256((${projectId} || n)::bytea)
      from generate_series(1, 501) n returning id`;
    const ids = made.map(({ id }) => id).sort();
    const [last, ...apiKeyIds] = ids.toReversed();
    const revoke = (named: readonly string[]) =>
      changeApiKeys(bench.ctx, { projectId, apiKeyIds: named, change: { kind: 'revoke' } });
    const tables = ['api_keys', 'audit_log', 'alert_events', 'alert_deliveries'];
    await sql.unsafe(`
      create table statements (place text);
      create function note_statement() returns trigger language plpgsql as
        $$ begin insert into statements values (tg_table_name); return null; end $$;
      ${tables
        .map(
          (table) => `create trigger note_statement after insert or update on ${table}
            for each statement execute function note_statement();`,
        )
        .join('\n')}`);
    await expect(revoke(ids)).rejects.toThrow(RangeError);
    expect(await revoke(apiKeyIds)).toMatchObject({ done: 500, refused: [] });
    const statements = await sql<{ place: string }[]>`select place from statements`;
    for (const table of tables) await sql`drop trigger note_statement on ${sql(table)}`;
    expect(statements.map(({ place }) => place).sort()).toEqual(tables.toSorted());
    const audited = await sql<{ id: string }[]>`select target_id as id from audit_log
      where project_id = ${projectId} and action = 'api_key.revoke' order by audit_log.id`;
    expect(audited.map(({ id }) => id)).toEqual(apiKeyIds.toSorted());
    expect(await queuedAlerts(bench.db, projectId)).toHaveLength(500);
    expect((await getApiKey(bench.db, { projectId, apiKeyId: last! }))?.status).toBe('active');
  });

  test('in two orders at once ends without a deadlock', async () => {
    const { projectId, apiKeyIds } = await makeKeys(8);
    const runs = Array.from({ length: 6 }, (_, index) =>
      changeApiKeys(bench.ctx, {
        projectId,
        apiKeyIds: index % 2 === 0 ? apiKeyIds : apiKeyIds.toReversed(),
        change: { kind: 'set_expiry', expiresAt: new Date(2031, index) },
      }),
    );
    expect((await Promise.all(runs)).map(({ done }) => done)).toEqual(runs.map(() => 8));
  });
});

test('an export of keys has each key once, in order, without its digest', async () => {
  const { projectId } = await makeKeys(0);
  await bench.db.sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest, created_at)
    select ${projectId}, 'Key ' || n, 'ceiba_exported', sha256(n::text::bytea), now() - n * interval '1 second'
    from generate_series(1, 2100) n`;
  const names: string[] = [];
  const fields = new Set<string>();
  const pages = exportApiKeys((work) => work(bench.db), { projectId, status: 'active' });
  for await (const rows of pages) {
    names.push(...rows.map(({ displayName }) => displayName));
    for (const row of rows) for (const field of Object.keys(row)) fields.add(field);
  }
  expect(names).toEqual(Array.from({ length: 2_100 }, (_, index) => `Key ${index + 1}`));
  expect([...fields].filter((field) => /digest/i.test(field))).toEqual([]);
});
