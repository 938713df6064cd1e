import { randomUUID } from 'node:crypto';
import { digestOf } from '@ceiba/domain';
import { type Database, findApiKeys, type LookupItem, lookupMany } from '@ceiba/schema';
import { drizzle } from 'drizzle-orm/postgres-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeProject, useBench } from '../support.ts';

/** Enough keys that a scan of the table slows every decision down. */
const KEYS = 100_000;

const bench = useBench({ maxConnections: 1 });
let projectId: string;
beforeAll(async () => {
  ({ projectId } = await makeProject(bench.ctx));
  // To fill the index of words takes longer than all else, and no decision searches words.
  await bench.db.sql`drop index if exists api_keys_words_idx`;
  await bench.db.sql`update projects set accepts_imported_keys = true where id = ${projectId}`;
  await bench.db.sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest)
    select ${projectId}, 'Key ' || number, 'ceiba_x', sha256(('key ' || number)::bytea)
    from generate_series(1, ${KEYS}) as number`;
  await bench.db.sql`analyze`;
}, 120_000);

interface Sent {
  text: string;
  parameters: (string | number)[];
}

/** The statement and parameters that a verb sends. */
async function statementOf(run: (db: Database) => Promise<unknown>): Promise<Sent> {
  const sent: Sent[] = [];
  const sql = new Proxy(bench.db.sql, {
    get: (target, name) =>
      name === 'unsafe'
        ? (text: string, parameters: string[]) => {
            sent.push({ text, parameters });
            return target.unsafe(text, parameters);
          }
        : Reflect.get(target, name),
  });
  await run({ ...bench.db, sql, orm: drizzle(sql) });
  expect(sent).toHaveLength(1);
  return sent[0]!;
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

/** How Postgres reads `api_keys` in a prepared statement. */
const accessToKeys = async (sent: Sent) =>
  (await nodesOfKeys(sent)).map((node) => node['Node Type']);

async function nodesOfKeys({ text, parameters }: Sent): Promise<PlanNode[]> {
  const { sql } = bench.db;
  const values = parameters.map((value) => `'${String(value).replaceAll("'", "''")}'`).join(', ');
  await sql.unsafe(`prepare explained as ${text}`);
  const rows = await sql.unsafe<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
    `explain (format json) execute explained (${values})`,
  );
  await sql.unsafe('deallocate explained');
  return flat(rows[0]!['QUERY PLAN'][0]!.Plan).filter(
    (node) => node['Relation Name'] === 'api_keys',
  );
}

const itemsOf = (count: number): LookupItem[] =>
  Array.from({ length: count }, (_, index) => ({
    projectId: index % 16 === 15 ? randomUUID() : projectId,
    apiKeyDigest: digestOf(`key ${index * 7 + 1}`),
    isForeign: index % 3 === 0,
  }));

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (mode) => {
  beforeAll(async () => {
    await bench.db.sql.unsafe(`set plan_cache_mode = ${mode}`);
  });

  test.each([1, 16, 256])(
    'a lookup of %i among 100,000 keys finds each digest, current or previous, in an index',
    async (count) => {
      const nodes = await nodesOfKeys(await statementOf((db) => lookupMany(db, itemsOf(count))));
      const conditions = nodes.map((node) => node['Index Cond']);
      expect(conditions).toEqual([
        expect.stringContaining('key_digest ='),
        expect.stringContaining('previous_digest ='),
      ]);
    },
  );

  test('the list of a small project does not scan the 100,000 keys of another', async () => {
    const { projectId: small } = await makeProject(bench.ctx);
    const access = await accessToKeys(
      await statementOf((db) => findApiKeys(db, { projectId: small, limit: 500 })),
    );
    expect(access).not.toEqual([]);
    expect(access).not.toContain('Seq Scan');
  });
});

test('a scan of the keys is detected', async () => {
  const text = 'select * from api_keys where display_name = $1';
  expect(await accessToKeys({ text, parameters: ['Key 7'] })).toContainEqual(
    expect.stringContaining('Seq Scan'),
  );
});

test('a lookup of 256 among 100,000 keys finds all of them', async () => {
  const rows = await lookupMany(bench.db, itemsOf(256));
  expect(rows.filter((row) => row?.apiKey != null)).toHaveLength(240);
});
