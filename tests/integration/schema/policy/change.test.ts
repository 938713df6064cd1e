import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { mintProjectSecret, POLICIES_MAX } from '@ceiba/domain';
import {
  createPolicies,
  createPolicy,
  deletePolicy,
  getProject,
  listFurtherPolicies,
  listPolicies,
  listPoliciesWithRevision,
  lookupMany,
  replacePolicies,
  rotateProjectSecret,
  updatePolicy,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, expectKind, makeProject, useBench } from '../support.ts';

const bench = useBench();

async function revisionOf(projectId: string): Promise<string> {
  const [row] = await lookupMany(bench.db, [{ projectId, apiKeyDigest: null }]);
  return row!.project!.policyRevision;
}

const listOf = async (projectId: string) =>
  (await listPoliciesWithRevision(bench.db, [projectId])).get(projectId);

/** Two projects with two policies each; one project is changed. */
async function makeTwo() {
  const [changed, other] = [await makeProject(bench.ctx), await makeProject(bench.ctx)];
  for (const { projectId } of [changed, other]) {
    await bench.db.sql`
      insert into policies (project_id, method, path_pattern)
      values (${projectId}, 'GET', '/v1/a'), (${projectId}, 'GET', '/v1/b')`;
  }
  return { changed: changed.projectId, other: other.projectId };
}

type Write = (projects: { changed: string; other: string }) => Promise<unknown>;

/** Every way to write policies of one project in plain SQL (rule policy-revision). */
const WRITES: [string, Write][] = [
  [
    'INSERT',
    ({ changed }) =>
      bench.db
        .sql`insert into policies (project_id, method, path_pattern) values (${changed}, '*', '*')`,
  ],
  [
    'UPDATE',
    ({ changed }) => bench.db.sql`
      update policies set path_pattern = '/v1/c' where project_id = ${changed} and path_pattern = '/v1/a'`,
  ],
  ['DELETE', ({ changed }) => bench.db.sql`delete from policies where project_id = ${changed}`],
  [
    'COPY',
    async ({ changed }) => {
      const into = await bench.db.sql`
        copy policies (project_id, method, path_pattern) from stdin`.writable();
      await pipeline(Readable.from([`${changed}\tPUT\t/v1/copied\n`]), into);
    },
  ],
];

describe('the policy revision', () => {
  test.each(WRITES)('changes with %s, only for the changed project', async (_, write) => {
    const projects = await makeTwo();
    const [before, otherBefore] = [
      await revisionOf(projects.changed),
      await revisionOf(projects.other),
    ];
    await write(projects);
    expect(await revisionOf(projects.changed)).not.toBe(before);
    expect(await revisionOf(projects.other)).toBe(otherBefore);
  });

  test('changes for both projects when a policy moves from one to the other', async () => {
    const { changed: from, other: to } = await makeTwo();
    await bench.db.sql`delete from policies where project_id = ${to}`;
    const [fromBefore, toBefore] = [await revisionOf(from), await revisionOf(to)];
    await bench.db.sql`
      update policies set project_id = ${to} where project_id = ${from} and path_pattern = '/v1/a'`;
    expect(await revisionOf(from)).not.toBe(fromBefore);
    expect(await revisionOf(to)).not.toBe(toBefore);
  });

  test('changes for every project with TRUNCATE', async () => {
    const { changed, other } = await makeTwo();
    const before = [await revisionOf(changed), await revisionOf(other)];
    await bench.db.sql`truncate policies`;
    expect(await revisionOf(changed)).not.toBe(before[0]);
    expect(await revisionOf(other)).not.toBe(before[1]);
  });

  test('never repeats, even in a restored database, because it is random', async () => {
    const { changed } = await makeTwo();
    const seen = new Set([await revisionOf(changed)]);
    for (let round = 0; round < 10; round += 1) {
      await bench.db
        .sql`update policies set path_pattern = path_pattern where project_id = ${changed}`;
      seen.add(await revisionOf(changed));
    }
    expect(seen.size).toBe(11);
  });

  test('does not change when the write is rolled back', async () => {
    const { changed } = await makeTwo();
    const before = await revisionOf(changed);
    const undone = bench.db.sql.begin(async (sql) => {
      await sql`delete from policies where project_id = ${changed}`;
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await revisionOf(changed)).toBe(before);
  });

  test('is read in one statement with its list', async () => {
    const { changed } = await makeTwo();
    const list = await listOf(changed);
    expect(list?.revision).toBe(await revisionOf(changed));
    expect(list?.policies.map(({ pathPattern }) => pathPattern).sort()).toEqual(['/v1/a', '/v1/b']);
  });

  test('is read for several projects at once, each with its own list', async () => {
    const { changed, other } = await makeTwo();
    const { projectId: empty } = await makeProject(bench.ctx);
    const lists = await listPoliciesWithRevision(bench.db, [randomUUID(), changed, empty, other]);
    expect([...lists.keys()].sort()).toEqual([changed, empty, other].sort());
    for (const projectId of lists.keys()) {
      expect(lists.get(projectId)).toEqual(await listOf(projectId));
    }
    expect([changed, empty, other].map((id) => lists.get(id)?.policies.length)).toEqual([2, 0, 2]);
  });

  test('exists for a project without policies, and not without a project', async () => {
    const { projectId } = await makeProject(bench.ctx);
    expect(await listOf(projectId)).toEqual({
      revision: await revisionOf(projectId),
      policies: [],
      next: null,
    });
    expect(await listOf(randomUUID())).toBeUndefined();
  });

  test.each([
    ['in one transaction', true],
    ['in two', false],
  ])('is another one for a project that is deleted and created again, %s', async (_, inOne) => {
    const { changed } = await makeTwo();
    await bench.db.sql`delete from policies where project_id = ${changed}`;
    const seen = new Set([await revisionOf(changed)]);
    for (let round = 0; round < 3; round += 1) {
      const [row] = await bench.db
        .sql`select owner_id, name, secret_digest from projects where id = ${changed}`;
      const remove = (sql: typeof bench.db.sql) => sql`delete from projects where id = ${changed}`;
      const create = (sql: typeof bench.db.sql) => sql`
        insert into projects (id, owner_id, name, secret_digest)
        values (${changed}, ${row?.owner_id}, ${row?.name}, ${row?.secret_digest})`;
      if (inOne) {
        await bench.db.sql.begin(async (tx) => {
          const sql = tx as unknown as typeof bench.db.sql;
          await remove(sql);
          await create(sql);
        });
      } else {
        await remove(bench.db.sql);
        await create(bench.db.sql);
      }
      seen.add(await revisionOf(changed));
    }
    expect(seen.size).toBe(4);
  });

  test('does not prevent deleting a project with its policies', async () => {
    const { changed } = await makeTwo();
    await bench.db.sql`delete from projects where id = ${changed}`;
    expect(await listOf(changed)).toBeUndefined();
  });
});

const insertMany = (sql: typeof bench.db.sql, projectId: string, from: number, to: number) => sql`
  insert into policies (project_id, method, path_pattern)
  select ${projectId}, 'GET', '/v1/' || n from generate_series(${from}::int, ${to}::int) n`;

const rowsOf = async (projectId: string) => {
  const rows = await bench.db.sql`select from decision_revisions where project_id = ${projectId}`;
  return rows.length;
};

describe('the rows of a revision', () => {
  test('are one, however many policies a transaction changes and however many changes there were', async () => {
    const { changed, other } = await makeTwo();
    await bench.db.sql.begin(async (sql) => {
      for (let round = 0; round < 5; round += 1) {
        // Rows of two projects by turns, so that each trigger follows one of the other project.
        await sql`
          insert into policies (project_id, method, path_pattern)
          select case n % 2 when 0 then ${changed}::uuid else ${other}::uuid end, 'GET',
            ${`/v${round}/`} || n
          from generate_series(1, 500) n`;
      }
    });
    await insertMany(bench.db.sql, changed, 1_001, 1_002);
    expect([await rowsOf(changed), await rowsOf(other)]).toEqual([1, 1]);
  });

  test('do not make a transaction wait for one that forgot to end, and neither is lost', async () => {
    const { changed } = await makeTwo();
    const before = await revisionOf(changed);
    const middle = await bench.db.sql.begin(async (forgotten) => {
      await forgotten`delete from policies where project_id = ${changed} and path_pattern = '/v1/a'`;
      const [b] = await listPolicies(bench.db, changed).then((list) =>
        list.filter(({ pathPattern }) => pathPattern === '/v1/b'),
      );
      // A verb, and then plain SQL, while the first transaction is open.
      const ref = { projectId: changed, policyId: b!.policyId };
      expect(await deletePolicy(bench.ctx, ref)).toEqual({ kind: 'deleted' });
      const afterVerb = await revisionOf(changed);
      expect(afterVerb).not.toBe(before);
      await insertMany(bench.db.sql, changed, 1, 1);
      const afterInsert = await revisionOf(changed);
      expect(afterInsert).not.toBe(afterVerb);
      expectKind(await rotate(changed), 'rotated');
      return afterInsert;
    });
    expect(await revisionOf(changed)).not.toBe(middle);
  });

  test('change again after a savepoint that was rolled back, and in any isolation level', async () => {
    const { changed } = await makeTwo();
    for (const level of ['read committed', 'repeatable read', 'serializable']) {
      const before = await revisionOf(changed);
      await bench.db.sql.begin(`isolation level ${level}`, async (sql) => {
        await sql`select from decision_revisions`;
        await sql
          .savepoint(async (inner) => {
            await inner`update policies set method = 'PUT' where project_id = ${changed}`;
            throw new Error('undone');
          })
          .catch(() => {});
        // Folds what the transaction has seen.
        await insertMany(bench.db.sql, changed, level.length * 100, level.length * 100);
        await sql`update policies set method = 'POST' where project_id = ${changed}
          and path_pattern = '/v1/a'`;
      });
      expect(await revisionOf(changed)).not.toBe(before);
    }
  });

  test('lose no change of many concurrent transactions', async () => {
    const { changed } = await makeTwo();
    const seen = new Map<string, string>();
    const contentOf = async () => {
      const list = await listOf(changed);
      return [list!.revision, list!.policies.map(({ pathPattern }) => pathPattern).join()] as const;
    };
    let isOver = false;
    const reader = (async () => {
      while (!isOver) {
        const [revision, content] = await contentOf();
        expect(seen.get(revision) ?? content).toBe(content);
        seen.set(revision, content);
      }
    })();
    await Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let round = 1; round <= 25; round += 1) {
          await insertMany(bench.db.sql, changed, writer * 100 + round, writer * 100 + round);
        }
      }),
    );
    isOver = true;
    await reader;
    expect(seen.size).toBeGreaterThan(1);
    expect(await rowsOf(changed)).toBeLessThan(10);
  });

  test('also change what the previous release reads', async () => {
    const { changed } = await makeTwo();
    const read = async () =>
      (await bench.db.sql`select policy_revision from projects where id = ${changed}`)[0]!
        .policy_revision;
    const before = await read();
    await bench.db.sql`delete from policies where project_id = ${changed}`;
    expect(await read()).not.toBe(before);
  });

  test('go with their project', async () => {
    const { changed } = await makeTwo();
    await bench.db.sql`delete from projects where id = ${changed}`;
    expect(await rowsOf(changed)).toBe(0);
  });
});

describe('a long list', () => {
  test('is read in pages that have every policy once, and one revision', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await insertMany(bench.db.sql, projectId, 1, 2_345);
    const first = await listOf(projectId);
    const pages = [first!];
    for (let next = first!.next; next !== null; ) {
      const page = await listFurtherPolicies(bench.db, { projectId, after: next });
      pages.push(page!);
      next = page!.next;
    }
    expect(pages.map(({ policies }) => policies.length)).toEqual([100, 1_000, 1_000, 245]);
    expect(new Set(pages.map(({ revision }) => revision)).size).toBe(1);
    const ids = pages.flatMap(({ policies }) => policies.map(({ policyId }) => policyId));
    expect(new Set(ids).size).toBe(2_345);
  });

  test('ends at 10,000 policies, by each verb, also with concurrent creates', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await insertMany(bench.db.sql, projectId, 1, POLICIES_MAX - 1);
    const create = (pathPattern: string) =>
      createPolicy(bench.ctx, { projectId, method: 'PUT', pathPattern });
    const results = await Promise.all(['/a', '/b', '/c'].map(create));
    expect(results.map(({ kind }) => kind).sort()).toEqual(['created', 'too_many', 'too_many']);
    const [known] = await listPolicies(bench.db, projectId);
    expect(await createPolicy(bench.ctx, { projectId, ...known! })).toEqual({ kind: 'conflict' });
    expect(await createPolicies(bench.ctx, { projectId, rules: [known!, known!] })).toEqual({
      kind: 'created',
      policies: [],
    });
    const other = { method: 'PUT', pathPattern: '/d' };
    expect(await createPolicies(bench.ctx, { projectId, rules: [known!, other] })).toEqual({
      kind: 'too_many',
    });
    const rules = Array.from({ length: POLICIES_MAX + 1 }, (_, n) => ({
      method: 'GET',
      pathPattern: `/v2/${n}`,
    }));
    expect(await replacePolicies(bench.ctx, { projectId, rules })).toEqual({ kind: 'too_many' });
    expect(await listPolicies(bench.db, projectId)).toHaveLength(POLICIES_MAX);
  });
});

const rotate = async (projectId: string) => {
  const project = await getProject(bench.db, projectId);
  return rotateProjectSecret(bench.ctx, {
    projectId,
    secret: mintProjectSecret(randomBytes),
    replaces: project!.secretCreatedAt,
    dropsPrevious: true,
  });
};

describe('a change of policies', () => {
  const RULE = { method: 'GET', pathPattern: '/v1/reports*' };
  const PLAIN = { scopes: null, cost: 1 };

  test('is a conflict for the same method and pattern twice in a project', async () => {
    const { projectId } = await makeProject(bench.ctx);
    expectKind(await createPolicy(bench.ctx, { projectId, ...RULE }), 'created');
    expectKind(await createPolicy(bench.ctx, { projectId, ...RULE }), 'conflict');
    expect(await listPolicies(bench.db, projectId)).toHaveLength(1);
  });

  test('of several at once leaves those that exist as they are, and creates all of the others or none', async () => {
    const { projectId } = await makeProject(bench.ctx);
    expectKind(await createPolicy(bench.ctx, { projectId, ...RULE }), 'created');
    const other = { method: 'POST', pathPattern: '/v1/orders*' };
    const rowsBefore = await countAuditRows(bench.db);
    expect(await createPolicies(bench.ctx, { projectId, rules: [RULE, other] })).toEqual({
      kind: 'created',
      policies: [expect.objectContaining(other)],
    });
    expect(await countAuditRows(bench.db)).toBe(rowsBefore + 1);
    const tooMany = Array.from({ length: POLICIES_MAX - 1 }, (_, n) => ({
      method: 'GET',
      pathPattern: `/v2/${n}`,
    }));
    expect(await createPolicies(bench.ctx, { projectId, rules: tooMany })).toEqual({
      kind: 'too_many',
    });
    const broken = createPolicies(bench.ctx, {
      projectId,
      rules: [
        { method: 'GET', pathPattern: '/v3' },
        { method: 'GET', pathPattern: 'v3' },
      ],
    });
    await expect(broken).rejects.toThrow('pathPattern');
    expect(await listPolicies(bench.db, projectId)).toHaveLength(2);
  });

  test('of twenty concurrent creates makes one policy and nineteen conflicts', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const results = await Promise.all(
      Array.from({ length: 20 }, () => createPolicy(bench.ctx, { projectId, ...RULE })),
    );
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'conflict')).toHaveLength(19);
  });

  test('is a conflict for the method and pattern of another policy', async () => {
    const { projectId } = await makeProject(bench.ctx);
    expectKind(await createPolicy(bench.ctx, { projectId, ...RULE }), 'created');
    const other = expectKind(
      await createPolicy(bench.ctx, { projectId, method: '*', pathPattern: '*' }),
      'created',
    );
    const ref = { projectId, policyId: other.policyId };
    const seen = { method: '*', pathPattern: '*' };
    expect(await updatePolicy(bench.ctx, { ...ref, ...RULE, seen })).toEqual({ kind: 'conflict' });
    expect(await listPolicies(bench.db, projectId)).toHaveLength(2);
  });

  test('keeps the id; without a difference it changes neither revision nor audit log', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { policyId } = expectKind(
      await createPolicy(bench.ctx, { projectId, ...RULE }),
      'created',
    );
    const to = { projectId, policyId, seen: RULE, method: 'POST', pathPattern: '/v1/reports' };
    expect(await updatePolicy(bench.ctx, to)).toMatchObject({ kind: 'updated' });
    const [before, rowsBefore] = [await revisionOf(projectId), await countAuditRows(bench.db)];
    expect(await updatePolicy(bench.ctx, to)).toMatchObject({ kind: 'unchanged' });
    expect(await revisionOf(projectId)).toBe(before);
    expect(await countAuditRows(bench.db)).toBe(rowsBefore);
    expect(await listPolicies(bench.db, projectId)).toMatchObject([
      { policyId, method: 'POST', pathPattern: '/v1/reports' },
    ]);
  });

  test('overwrites no change that its user has not seen, however many are concurrent', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { policyId } = expectKind(
      await createPolicy(bench.ctx, { projectId, ...RULE }),
      'created',
    );
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, tab) =>
        updatePolicy(bench.ctx, {
          projectId,
          policyId,
          seen: RULE,
          method: 'GET',
          pathPattern: `/v${tab}/reports`,
        }),
      ),
    );
    expect(results.filter(({ kind }) => kind === 'updated')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'changed')).toHaveLength(7);
    const saved = results.findIndex(({ kind }) => kind === 'updated');
    expect(await listPolicies(bench.db, projectId)).toMatchObject([
      { policyId, method: 'GET', pathPattern: `/v${saved}/reports` },
    ]);
  });

  test('does not find another project’s policy', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { projectId: stranger } = await makeProject(bench.ctx);
    const { policyId } = expectKind(
      await createPolicy(bench.ctx, { projectId, ...RULE }),
      'created',
    );
    const ref = { projectId: stranger, policyId };
    expect(await deletePolicy(bench.ctx, ref)).toEqual({ kind: 'not_found' });
    const any = { method: '*', pathPattern: '*' };
    expect(await updatePolicy(bench.ctx, { ...ref, ...any, seen: RULE })).toEqual({
      kind: 'not_found',
    });
    expect(await listPolicies(bench.db, projectId)).toMatchObject([RULE]);
  });

  test('of all rules replaces the list, and keeps the ids of rules in both', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const stays = { method: 'GET', pathPattern: '/v1/stays' };
    const goes = { method: 'GET', pathPattern: '/v1/goes' };
    const comes = { method: 'GET', pathPattern: '/v1/comes' };
    await replacePolicies(bench.ctx, { projectId, rules: [stays, goes] });
    const before = await listPolicies(bench.db, projectId);
    expect(await replacePolicies(bench.ctx, { projectId, rules: [comes, stays] })).toEqual({
      created: [{ ...comes, ...PLAIN }],
      updated: [],
      deleted: [{ ...goes, ...PLAIN }],
      unchanged: 1,
    });
    const after = await listPolicies(bench.db, projectId);
    expect(after.map(({ pathPattern }) => pathPattern).sort()).toEqual(['/v1/comes', '/v1/stays']);
    const idOf = (list: typeof after) =>
      list.find(({ pathPattern }) => pathPattern === stays.pathPattern)?.policyId;
    expect(idOf(after)).toBe(idOf(before));
  });

  test('to the same list changes nothing', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await replacePolicies(bench.ctx, { projectId, rules: [RULE] });
    const [before, rowsBefore] = [await revisionOf(projectId), await countAuditRows(bench.db)];
    expect(await replacePolicies(bench.ctx, { projectId, rules: [RULE] })).toEqual({
      created: [],
      updated: [],
      deleted: [],
      unchanged: 1,
    });
    expect(await revisionOf(projectId)).toBe(before);
    expect(await countAuditRows(bench.db)).toBe(rowsBefore);
  });

  test('of all rules by concurrent calls leaves the whole list of one of them', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const lists = Array.from({ length: 8 }, (_, list) =>
      ['a', 'b', 'c'].map((name) => ({ method: 'GET', pathPattern: `/v${list}/${name}` })),
    );
    await Promise.all(lists.map((rules) => replacePolicies(bench.ctx, { projectId, rules })));
    const left = (await listPolicies(bench.db, projectId)).map(({ pathPattern }) => pathPattern);
    expect(lists.map((rules) => rules.map(({ pathPattern }) => pathPattern))).toContainEqual(
      left.sort(),
    );
  });

  test('stores labels in order and each once, none for an empty list, and a cost that is 1 unless given', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const given = { scopes: ['write', 'read', 'write'], cost: 0 };
    const stored = { scopes: ['read', 'write'], cost: 0 };
    const created = await createPolicy(bench.ctx, { projectId, ...RULE, ...given });
    expect(created).toMatchObject({ kind: 'created', ...RULE, ...stored });
    const other = { method: 'PUT', pathPattern: RULE.pathPattern };
    await createPolicy(bench.ctx, { projectId, ...other });
    const third = { method: 'POST', pathPattern: RULE.pathPattern };
    await createPolicy(bench.ctx, { projectId, ...third, scopes: [], cost: null });
    expect(await listPolicies(bench.db, projectId)).toMatchObject([
      { ...RULE, ...stored },
      { ...third, ...PLAIN },
      { ...other, ...PLAIN },
    ]);
  });

  test('keeps labels and cost that are left out, and removes them by null; the audit log has both states', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const terms = { scopes: ['read'], cost: 5 };
    const made = await createPolicy(bench.ctx, { projectId, ...RULE, ...terms });
    const { policyId } = expectKind(made, 'created');
    const update = (input: { method: string; scopes?: null; cost?: null }) =>
      updatePolicy(bench.ctx, {
        projectId,
        policyId,
        seen: { ...RULE, ...seen },
        ...RULE,
        ...input,
      });
    let seen: { method?: string } = {};
    const moved = { ...RULE, method: 'PUT' };
    expect(await update({ method: 'PUT' })).toEqual({ kind: 'updated', ...moved, ...terms });
    seen = { method: 'PUT' };
    const cleared = { kind: 'updated', ...moved, ...PLAIN };
    expect(await update({ method: 'PUT', scopes: null, cost: null })).toEqual(cleared);
    const [row] = await bench.db.sql`
      select before, after from audit_log where target_id = ${policyId} order by id desc limit 1`;
    expect(row).toEqual({ before: { ...moved, ...terms }, after: { ...moved, ...PLAIN } });
  });

  test('overwrites no labels or cost that its user has not seen', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const made = await createPolicy(bench.ctx, { projectId, ...RULE, scopes: ['read'] });
    const { policyId } = expectKind(made, 'created');
    const label = (scope: string) =>
      updatePolicy(bench.ctx, {
        ...{ projectId, policyId, seen: { ...RULE, scopes: ['read'], cost: 1 } },
        ...{ ...RULE, scopes: [scope] },
      });
    const results = await Promise.all(['a', 'b', 'c'].map(label));
    expect(results.map(({ kind }) => kind).sort()).toEqual(['changed', 'changed', 'updated']);
  });

  test('of labels or cost alone changes the revision, and the same labels in another order do not', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const replace = (given: { scopes?: string[] | null; cost?: number | null }) =>
      replacePolicies(bench.ctx, { projectId, rules: [{ ...RULE, ...given }] });
    const none = { created: [], updated: [], deleted: [], unchanged: 0 };
    await replace({ scopes: ['a', 'b'], cost: 7 });
    const before = await revisionOf(projectId);
    for (const same of [{}, { scopes: ['b', 'a', 'b'] }, { cost: 7 }]) {
      expect(await replace(same)).toEqual({ ...none, unchanged: 1 });
    }
    expect(await revisionOf(projectId)).toBe(before);
    const updated = [{ ...RULE, scopes: ['a', 'b'], cost: 1 }];
    expect(await replace({ cost: null })).toEqual({ ...none, updated });
    expect(await revisionOf(projectId)).not.toBe(before);
    expect(await replace({ scopes: null })).toEqual({ ...none, updated: [{ ...RULE, ...PLAIN }] });
  });

  test.each([
    [{ scopes: ['Read'] }, 'scopes must hold labels of 1 to 64 characters'],
    [{ scopes: [''] }, 'scopes must hold labels of 1 to 64 characters'],
    [{ scopes: Array.from({ length: 65 }, (_, n) => `l${n}`) }, 'scopes must be at most 64 labels'],
    [{ cost: 1_000_001 }, 'cost must be at most 1,000,000'],
    [{ cost: 0.5 }, 'cost must be a whole number, 0 or more'],
    [{ cost: -1 }, 'cost must be a whole number, 0 or more'],
  ])('is refused with the rule that it breaks: %j', async (given, rule) => {
    const { projectId } = await makeProject(bench.ctx);
    const input = { projectId, ...RULE, ...given };
    await expect(createPolicy(bench.ctx, input)).rejects.toThrow(rule);
    await expect(replacePolicies(bench.ctx, { projectId, rules: [input] })).rejects.toThrow(rule);
    expect(await listPolicies(bench.db, projectId)).toEqual([]);
  });
});
