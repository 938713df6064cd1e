import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import {
  createProject,
  deleteUser,
  endSessionOf,
  findSession,
  findUserByEmail,
  listAudit,
  listMembers,
  listSessions,
  setEmail,
  setTimeZone,
  signOutEverywhere,
  startSession,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { addMember } from '../member/support.ts';
import { makeOwner, makeProject, useBench } from '../support.ts';

const bench = useBench();

// The first user is an administrator, who cannot be deleted.
beforeAll(() => makeOwner(bench.ctx));

async function start(userId: string, userAgent: string | null = 'Browser/1'): Promise<string> {
  const proof = { method: 'password' } as const;
  const input = { userId, sessionVersion: 0, lifetimeSeconds: 60, userAgent, proof };
  const session = await startSession(bench.ctx, input);
  if (session === null) throw new Error('no session');
  return session.sessionId;
}

describe('the sessions of a user', () => {
  test('show the browser, the network address and when each was last seen', async () => {
    const userId = await makeOwner(bench.ctx);
    const sessionId = await start(userId, `Browser/1 ${'x'.repeat(1_000)}`);
    expect(await listSessions(bench.db, userId)).toEqual([
      {
        sessionId,
        createdAt: expect.any(Date),
        lastSeenAt: expect.any(Date),
        clientAddress: '192.0.2.7',
        userAgent: `Browser/1 ${'x'.repeat(290)}`,
      },
    ]);
  });

  test('note a request at most every five minutes', async () => {
    const userId = await makeOwner(bench.ctx);
    const sessionId = await start(userId);
    const seenAgo = async (minutes: number | null) => {
      await bench.db.sql`update sessions
        set last_seen_at = now() - make_interval(mins => ${minutes}::int) where id = ${sessionId}`;
      expect(await findSession(bench.db, sessionId)).toMatchObject({ userId, sessionId });
      const [row] = await bench.db.sql`
        select last_seen_at > now() - interval '1 minute' as "isNoted" from sessions
        where id = ${sessionId}`;
      return row?.isNoted;
    };
    expect(await seenAgo(4)).toBe(false);
    expect(await seenAgo(6)).toBe(true);
    // A session that an older release started.
    expect(await seenAgo(null)).toBe(true);
  });

  test('end one by one, each from the next request on, and only the user’s own', async () => {
    const userId = await makeOwner(bench.ctx);
    const [kept, ended] = [await start(userId), await start(userId)];
    const stranger = await makeOwner(bench.ctx);
    expect(await endSessionOf(bench.ctx, { userId: stranger, sessionId: ended })).toEqual({
      kind: 'not_found',
    });
    expect(await endSessionOf(bench.ctx, { userId, sessionId: ended })).toEqual({ kind: 'ended' });
    expect(await findSession(bench.db, ended)).toBeNull();
    expect(await findSession(bench.db, kept)).not.toBeNull();
    expect((await listSessions(bench.db, userId)).map(({ sessionId }) => sessionId)).toEqual([
      kept,
    ]);
  });

  test('are not listed once they expired or the user signed out everywhere', async () => {
    const userId = await makeOwner(bench.ctx);
    const expired = await start(userId);
    await bench.db.sql`update sessions set expires_at = now() where id = ${expired}`;
    expect(await listSessions(bench.db, userId)).toEqual([]);
    await start(userId);
    await signOutEverywhere(bench.ctx, userId);
    expect(await listSessions(bench.db, userId)).toEqual([]);
  });
});

describe('the address of an account', () => {
  const address = () => `new-${randomUUID()}@example.com`;

  test('changes if the password was not changed since it was checked, with an audit row', async () => {
    const userId = await makeOwner(bench.ctx);
    const sessionId = await start(userId);
    const email = address();
    const change = { userId, email, sessionVersion: 0 };
    expect(await setEmail(bench.ctx, change)).toEqual({ kind: 'updated' });
    expect(await setEmail(bench.ctx, change)).toEqual({ kind: 'unchanged' });
    expect(await findUserByEmail(bench.db, email.toUpperCase())).toMatchObject({ userId });
    expect(await findSession(bench.db, sessionId)).toMatchObject({ email });
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 1 });
    expect(items).toMatchObject([{ action: 'user.update', after: { email } }]);
    await signOutEverywhere(bench.ctx, userId);
    expect(await setEmail(bench.ctx, { ...change, email: address() })).toEqual({
      kind: 'outdated',
    });
  });

  test('is never that of another account, in any letter case', async () => {
    const [userId, other] = [await makeOwner(bench.ctx), await makeOwner(bench.ctx)];
    const email = address();
    await setEmail(bench.ctx, { userId: other, email, sessionVersion: 0 });
    const taken = { userId, email: email.toUpperCase(), sessionVersion: 0 };
    expect(await setEmail(bench.ctx, taken)).toEqual({ kind: 'email_taken' });
  });
});

describe('the time zone of an account', () => {
  test('is that of the browser until one is chosen, with an audit row', async () => {
    const userId = await makeOwner(bench.ctx);
    const sessionId = await start(userId);
    const ofOther = await start(await makeOwner(bench.ctx));
    expect(await findSession(bench.db, sessionId)).toMatchObject({ timeZone: null });
    const change = { userId, sessionVersion: 0, timeZone: 'Europe/Berlin' };
    expect(await setTimeZone(bench.ctx, change)).toEqual({ kind: 'updated' });
    expect(await setTimeZone(bench.ctx, change)).toEqual({ kind: 'unchanged' });
    expect(await findSession(bench.db, sessionId)).toMatchObject({ timeZone: 'Europe/Berlin' });
    expect(await findSession(bench.db, ofOther)).toMatchObject({ timeZone: null });
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 1 });
    expect(items).toMatchObject([
      {
        action: 'user.update',
        before: { timeZone: null },
        after: { timeZone: 'Europe/Berlin' },
      },
    ]);
    expect(await setTimeZone(bench.ctx, { ...change, timeZone: null })).toEqual({
      kind: 'updated',
    });
    expect(await findSession(bench.db, sessionId)).toMatchObject({ timeZone: null });
  });

  test('is one that exists, and of a user who has not signed out since', async () => {
    const userId = await makeOwner(bench.ctx);
    const change = { userId, sessionVersion: 0, timeZone: 'Europe/Atlantis' };
    await expect(setTimeZone(bench.ctx, change)).rejects.toThrow('timeZone must be a time zone');
    await signOutEverywhere(bench.ctx, userId);
    expect(await setTimeZone(bench.ctx, { ...change, timeZone: 'UTC' })).toEqual({
      kind: 'outdated',
    });
  });
});

describe('the deletion of an account', () => {
  test('names the projects that are in the way', async () => {
    const userId = await makeOwner(bench.ctx);
    for (const name of ['beta', 'Alpha']) {
      const secret = mintProjectSecret(randomBytes);
      await createProject(bench.ctx, { ownerId: userId, name, secret });
    }
    expect(await deleteUser(bench.ctx, { userId })).toEqual({
      kind: 'owns_projects',
      projects: 2,
      names: ['Alpha', 'beta'],
    });
  });

  test('ends its memberships, with a row in the log of each project', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const userId = await addMember(bench, projectId, 'developer');
    expect(await deleteUser(bench.ctx, { userId })).toEqual({ kind: 'deleted' });
    expect(await listMembers(bench.db, projectId)).toMatchObject([{ userId: ownerId }]);
    const { items } = await listAudit(bench.db, { ownerId, projectId, limit: 1 });
    expect(items).toMatchObject([
      { action: 'member.leave', target: { id: userId }, before: { role: 'developer' } },
    ]);
  });

  test('is refused if the password was changed since it was checked', async () => {
    const userId = await makeOwner(bench.ctx);
    await signOutEverywhere(bench.ctx, userId);
    expect(await deleteUser(bench.ctx, { userId, sessionVersion: 0 })).toEqual({
      kind: 'outdated',
    });
    expect(await deleteUser(bench.ctx, { userId, sessionVersion: 1 })).toEqual({ kind: 'deleted' });
  });
});
