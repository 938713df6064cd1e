import { randomUUID } from 'node:crypto';
import {
  type AuditRow,
  chargeAttempt,
  endSession,
  listAudit,
  recordRefusedSignIn,
  type SignInProof,
  startSession,
  type VerbContext,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { makeOwner, useBench } from '../support.ts';

const bench = useBench();

const atTheConsole = (clientAddress: string | null = '192.0.2.1'): VerbContext => ({
  ...bench.ctx,
  actor: { kind: 'system' },
  clientAddress,
});
const rowsOf = async (ownerId: string | null): Promise<AuditRow[]> =>
  (await listAudit(bench.db, { ownerId, projectId: null, limit: 500 })).items;
const refusalsOf = async (userId: string) =>
  (await rowsOf(userId)).filter(({ action }) => action.startsWith('sign_in.refuse'));
const refuse = (
  userId: string,
  address?: string | null,
  action: 'sign_in.refuse' | 'sign_in.refuse_second_factor' = 'sign_in.refuse',
) => recordRefusedSignIn(atTheConsole(address), { action, userId });

describe('a sign-in', () => {
  const session = { sessionVersion: 0, lifetimeSeconds: 60, userAgent: null };

  test.each<SignInProof>([
    { method: 'password' },
    { method: 'password_and_code' },
    { method: 'password_and_recovery_code' },
    { method: 'passkey' },
    { method: 'provider', provider: 'https://issuer.example' },
  ])('is in the log of its user and of the installation with its proof: %o', async (proof) => {
    const userId = await makeOwner(bench.ctx);
    const begun = await startSession(atTheConsole(), { ...session, userId, proof });
    await endSession(atTheConsole('192.0.2.2'), begun!.sessionId);
    for (const ownerId of [userId, null]) {
      const rows = (await rowsOf(ownerId)).filter(({ target }) => target.id === userId);
      expect(rows.slice(0, 2)).toMatchObject([
        { action: 'sign_in.end', actor: { kind: 'user', userId }, clientAddress: '192.0.2.2' },
        {
          action: 'sign_in.succeed',
          actor: { kind: 'user', userId },
          clientAddress: '192.0.2.1',
          after: proof,
        },
      ]);
    }
  });

  test('that starts no session, and a session that has ended already, write nothing', async () => {
    const userId = await makeOwner(bench.ctx);
    const outdated = {
      ...session,
      userId,
      sessionVersion: 7,
      proof: { method: 'passkey' },
    } as const;
    expect(await startSession(atTheConsole(), outdated)).toBeNull();
    await endSession(atTheConsole(), randomUUID());
    expect((await rowsOf(userId)).map(({ action }) => action)).toEqual(['user.create']);
  });
});

describe('refused sign-ins to an account', () => {
  test('are one row an hour, also at the same moment, which counts them and lists their addresses', async () => {
    const userId = await makeOwner(bench.ctx);
    await Promise.all([refuse(userId, '192.0.2.1'), refuse(userId, '192.0.2.2')]);
    expect(await refusalsOf(userId)).toMatchObject([{ after: { attempts: 2 } }]);
    await Promise.all(Array.from({ length: 30 }, (_, n) => refuse(userId, `192.0.2.${n % 3}`)));
    await refuse(userId, '192.0.2.9');
    const [row, ...others] = await refusalsOf(userId);
    expect(others).toEqual([]);
    const { addresses, ...after } = row!.after as { attempts: number; addresses: string[] };
    expect(after).toEqual({ attempts: 33 });
    expect(addresses.toSorted()).toEqual(['192.0.2.0', '192.0.2.1', '192.0.2.2', '192.0.2.9']);
    expect(row).toMatchObject({ actor: { kind: 'system' }, clientAddress: '192.0.2.9' });
  });

  test('begin a row in the next hour, and codes have a row of their own', async () => {
    const userId = await makeOwner(bench.ctx);
    await refuse(userId);
    await bench.db.sql`update audit_log set hour = hour - interval '1 hour'
      where target_id = ${userId} and hour is not null`;
    await refuse(userId);
    await refuse(userId, null, 'sign_in.refuse_second_factor');
    expect((await refusalsOf(userId)).map(({ action, after }) => [action, after])).toEqual([
      ['sign_in.refuse_second_factor', { attempts: 1, addresses: [] }],
      ['sign_in.refuse', { attempts: 1, addresses: ['192.0.2.1'] }],
      ['sign_in.refuse', { attempts: 1, addresses: ['192.0.2.1'] }],
    ]);
  });

  test('list at most twenty addresses, and count on', async () => {
    const userId = await makeOwner(bench.ctx);
    for (let n = 0; n < 25; n += 1) await refuse(userId, `198.51.100.${n}`);
    const [row] = await refusalsOf(userId);
    expect(row).toMatchObject({ after: { attempts: 25 }, clientAddress: '198.51.100.24' });
    expect((row!.after as { addresses: string[] }).addresses).toHaveLength(20);
  });

  test('write nothing for an account that was deleted, and an attempt over the limit writes nothing', async () => {
    await refuse(randomUUID());
    const count = async () => (await bench.db.sql`select 1 from audit_log`).length;
    const before = await count();
    await refuse(randomUUID());
    const email = `${randomUUID()}@example.com`;
    for (let n = 0; n < 12; n += 1) await chargeAttempt(atTheConsole(), email);
    expect(await count()).toBe(before);
  });
});
