import { randomBytes, randomUUID } from 'node:crypto';
import { mintPasswordReset } from '@ceiba/domain';
import {
  AdministratorRefusedError,
  createDatabase,
  createPasswordReset,
  createPlan,
  deletePlan,
  deleteUser,
  findUserById,
  putPlan,
  removeSecondFactors,
  setAdministrator,
  setRetention,
  signOutEverywhere,
  updatePlan,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, holding, LIMITS, makeOwner, untilWaiting, useBench } from '../support.ts';
import { type Administrator, makeAdministrator } from './support.ts';

const bench = useBench();

const isAdministrator = async (userId: string) =>
  (await findUserById(bench.db, userId))?.isAdministrator;

const demote = (userId: string, ctx = bench.ctx) =>
  setAdministrator(ctx, { userId, isAdministrator: false });

/** What an administrator who is being demoted does: their role is read, then the change is asked for. */
async function makeOneselfAdministrator({ userId, ctx }: Administrator): Promise<void> {
  if (await isAdministrator(userId)) {
    await setAdministrator(ctx, { userId, isAdministrator: true });
  }
}

/** The advisory lock of all changes by administrators and of their role. */
const LOCK = `select pg_advisory_xact_lock(${0x0ce1bf})`;

describe('the right of an administrator', () => {
  test('is checked by every change of an administrator, which then changes nothing', async () => {
    await makeAdministrator(bench);
    const { userId, ctx } = await makeAdministrator(bench);
    await demote(userId);
    const other = await makeOwner(bench.ctx);
    const { planId } = await putPlan(bench.ctx, { name: randomUUID(), ...LIMITS });
    const { email } = (await findUserById(bench.db, other))!;
    const token = mintPasswordReset(randomBytes);
    const changes: (() => Promise<unknown>)[] = [
      () => createPlan(ctx, { name: randomUUID(), ...LIMITS }),
      () => putPlan(ctx, { name: randomUUID(), ...LIMITS }),
      () => updatePlan(ctx, { planId, name: randomUUID() }),
      () => deletePlan(ctx, { planId }),
      () => setAdministrator(ctx, { userId, isAdministrator: true }),
      () => deleteUser(ctx, { userId: other }),
      () => createPasswordReset(ctx, { userId: other, email, to: 'administrator', token }),
      () => removeSecondFactors(ctx, { userId: other }),
      () => setRetention(ctx, { usageDays: 100 }),
    ];
    const before = await countAuditRows(bench.db);
    for (const change of changes) {
      await expect(change()).rejects.toMatchObject({
        name: 'AdministratorRefusedError',
        reason: 'not_administrator',
      });
    }
    expect(await countAuditRows(bench.db)).toBe(before);
  });

  test('that is taken away while changes wait refuses them all', async () => {
    await makeAdministrator(bench);
    const administrator = await makeAdministrator(bench);
    const { userId, ctx } = administrator;
    const commit = await holding(
      bench.url,
      `${LOCK}; update users set is_administrator = false where id = '${userId}'`,
    );
    const changes = Array.from({ length: 4 }, () =>
      setAdministrator(ctx, { userId, isAdministrator: true }),
    );
    const outcomes = Promise.allSettled(changes);
    await untilWaiting(bench.db, 4);
    await commit();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ reason: expect.any(AdministratorRefusedError) });
    }
    expect(await isAdministrator(userId)).toBe(false);
  });

  test('does not come back after an acknowledged demotion, with four requests for it, in 10 rounds', async () => {
    const root = await makeAdministrator(bench);
    const elsewhere = createDatabase(bench.url, { maxConnections: 4 });
    try {
      for (let round = 0; round < 10; round += 1) {
        const { userId, ctx } = await makeAdministrator(bench);
        const demoted = { userId, ctx: { ...ctx, db: elsewhere } };
        let isOver = false;
        const attempts = Array.from({ length: 4 }, async () => {
          while (!isOver) await makeOneselfAdministrator(demoted).catch(onlyRefused);
        });
        expect(await demote(userId, root.ctx)).toEqual({ kind: 'updated' });
        isOver = true;
        await Promise.all(attempts);
        expect(await isAdministrator(userId)).toBe(false);
      }
    } finally {
      await elsewhere.close();
    }
  });

  test('is kept until a change that was permitted is made: a demotion waits', async () => {
    await makeAdministrator(bench);
    const { userId, ctx } = await makeAdministrator(bench);
    // The last statement of the change waits, after the right was checked.
    const release = await holding(bench.url, 'lock table audit_log in exclusive mode');
    const created = createPlan(ctx, { name: randomUUID(), ...LIMITS });
    await untilWaiting(bench.db);
    const demoted = demote(userId);
    await untilWaiting(bench.db, 2);
    expect(await isAdministrator(userId)).toBe(true);
    await release();
    expect(await created).toMatchObject({ kind: 'created' });
    expect(await demoted).toEqual({ kind: 'updated' });
  });

  test('ends with the sessions: a change that was asked for before they ended is refused', async () => {
    const { userId, ctx } = await makeAdministrator(bench);
    await signOutEverywhere(bench.ctx, userId);
    await expect(createPlan(ctx, { name: randomUUID(), ...LIMITS })).rejects.toMatchObject({
      reason: 'outdated',
    });
  });

  test('of two who demote or delete each other concurrently stays with one, without a deadlock, in 20 rounds', async () => {
    await bench.db.sql`update users set is_administrator = false`;
    const elsewhere = createDatabase(bench.url, { maxConnections: 2 });
    try {
      for (let round = 0; round < 20; round += 1) {
        const [first, second] = [await makeAdministrator(bench), await makeAdministrator(bench)];
        const results = await Promise.allSettled([
          demote(second.userId, first.ctx),
          round % 2 === 0
            ? demote(first.userId, { ...second.ctx, db: elsewhere })
            : deleteUser({ ...second.ctx, db: elsewhere }, { userId: first.userId }),
        ]);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
          reason: expect.any(AdministratorRefusedError),
        });
        const left = await bench.db.sql`
          update users set is_administrator = false where is_administrator returning id`;
        expect(left).toHaveLength(1);
      }
    } finally {
      await elsewhere.close();
    }
  });
});

function onlyRefused(error: unknown): void {
  if (!(error instanceof AdministratorRefusedError)) throw error;
}
