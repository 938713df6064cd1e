import { randomUUID } from 'node:crypto';
import { archiveApiKey, changeApiKeys, exportApiKeys, getApiKey } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, givePlan, makeKey, makeProject, useBench } from '../support.ts';

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
    expect(await changeApiKeys(bench.ctx, { projectId, apiKeyIds: asked, change })).toEqual({
      done: 3,
      refused: [],
    });
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
