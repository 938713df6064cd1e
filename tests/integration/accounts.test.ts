import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import { hashPassword } from '@ceiba/domain/password';
import {
  chargeAttempt,
  chargePasswordChange,
  createDatabase,
  createProject,
  type Database,
  endSession,
  findSession,
  findUserByEmail,
  findUserByIdentity,
  forgiveAttempt,
  forgivePasswordChange,
  listProjectsAtAGlance,
  setPassword,
  signOutEverywhere,
  signUp,
  startSession,
  type VerbContext,
} from '@ceiba/schema';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let test: TestDatabase;
let db: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  db = createDatabase(test.url);
});
afterAll(async () => {
  await db.close();
  await test.drop();
});
beforeEach(async () => {
  await db.sql`truncate users, sign_in_attempts, audit_log cascade`;
});

const contextFrom = (clientAddress: string | null): VerbContext => ({
  db,
  actor: { kind: 'system' },
  clientAddress,
  requestId: null,
});
const person = (name: string) => ({ email: `${name}@example.com`, passwordHash: null });

async function createPerson(name: string): Promise<string> {
  const created = await signUp(contextFrom(null), { ...person(name), policy: 'open' });
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.userId;
}

describe('sign-up', () => {
  it('makes exactly one of many who race on an empty installation the administrator', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `racer${index}`);
    const results = await Promise.all(
      names.map((name) => signUp(contextFrom(null), { ...person(name), policy: 'open' })),
    );
    const administrators = results.filter(
      (result) => result.kind === 'created' && result.isAdministrator,
    );
    expect(administrators).toHaveLength(1);
    expect(results.every((result) => result.kind === 'created')).toBe(true);
  });

  it('lets in only the first of many under first-user, and leaves no trace of the others', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `racer${index}`);
    const results = await Promise.all(
      names.map((name) => signUp(contextFrom(null), { ...person(name), policy: 'first-user' })),
    );
    expect(results.filter((result) => result.kind === 'created')).toHaveLength(1);
    expect(results.filter((result) => result.kind === 'closed')).toHaveLength(7);
    expect(await db.sql`select 1 from users`).toHaveLength(1);
    expect(await db.sql`select 1 from audit_log`).toHaveLength(1);
  });

  it('lets nobody in when it is closed', async () => {
    const result = await signUp(contextFrom(null), { ...person('any'), policy: 'closed' });
    expect(result.kind).toBe('closed');
    expect(await db.sql`select 1 from users`).toHaveLength(0);
  });

  it('refuses an address that is taken, letter case aside', async () => {
    await createPerson('taken');
    const result = await signUp(contextFrom(null), {
      email: 'TAKEN@example.com',
      passwordHash: null,
      policy: 'open',
    });
    expect(result.kind).toBe('email_taken');
  });

  it('does not join an identity to an account that has the same address', async () => {
    const userId = await createPerson('owner');
    const identity = { provider: 'https://issuer.example', subject: '1' };
    const result = await signUp(contextFrom(null), {
      ...person('owner'),
      identity,
      policy: 'open',
    });
    expect(result.kind).toBe('email_taken');
    expect(await findUserByIdentity(db, identity)).toBeNull();
    expect(userId).toMatch(UUID);
  });

  it('tells the subjects of two issuers apart', async () => {
    const first = { provider: 'https://one.example', subject: '1' };
    const result = await signUp(contextFrom(null), {
      ...person('one'),
      identity: first,
      policy: 'open',
    });
    if (result.kind !== 'created') throw new Error(result.kind);
    expect(await findUserByIdentity(db, first)).toEqual({
      userId: result.userId,
      sessionVersion: 0,
    });
    expect(await findUserByIdentity(db, { ...first, provider: 'https://two.example' })).toBeNull();
  });
});

describe('sessions', () => {
  const begin = async (userId: string, lifetimeSeconds = 60) => {
    const session = await startSession(contextFrom(null), {
      userId,
      sessionVersion: 0,
      lifetimeSeconds,
    });
    if (session === null) throw new Error('no session');
    return session.sessionId;
  };

  it('are worth nothing from the next request on once they are ended', async () => {
    const sessionId = await begin(await createPerson('owner'));
    expect(await findSession(db, sessionId)).toMatchObject({ email: 'owner@example.com' });
    await endSession(db, sessionId);
    expect(await findSession(db, sessionId)).toBeNull();
  });

  it('are worth nothing once they expire', async () => {
    const sessionId = await begin(await createPerson('owner'));
    await db.sql`update sessions set expires_at = now()`;
    expect(await findSession(db, sessionId)).toBeNull();
  });

  it('all end when a person signs out everywhere, and only that person’s', async () => {
    const owner = await createPerson('owner');
    const other = await createPerson('other');
    const sessionIds = [await begin(owner), await begin(owner)];
    const untouched = await begin(other);
    expect(await signOutEverywhere(contextFrom(null), owner)).toEqual({
      kind: 'signed_out',
      sessions: 2,
    });
    for (const sessionId of sessionIds) expect(await findSession(db, sessionId)).toBeNull();
    expect(await findSession(db, untouched)).not.toBeNull();
  });

  it('all end when the password is set', async () => {
    const userId = await createPerson('owner');
    const sessionId = await begin(userId);
    await setPassword(contextFrom(null), {
      userId,
      passwordHash: await hashPassword('a passphrase of some length'),
    });
    expect(await findSession(db, sessionId)).toBeNull();
  });

  it('do not begin with a password that was changed after it was checked', async () => {
    const userId = await createPerson('owner');
    const checked = await findUserByEmail(db, 'owner@example.com');
    const sessionVersion = checked!.sessionVersion;
    const passwordHash = await hashPassword('a passphrase of some length');
    await setPassword(contextFrom(null), { userId, passwordHash });
    const input = { userId, sessionVersion, lifetimeSeconds: 60 };
    expect(await startSession(contextFrom(null), input)).toBeNull();
    expect(await db.sql`select 1 from sessions`).toHaveLength(0);
  });

  it('that begin while their person signs out everywhere are worth nothing after that', async () => {
    const userId = await createPerson('owner');
    const input = { userId, sessionVersion: 0, lifetimeSeconds: 60 };
    const begun = await Promise.all([
      ...Array.from({ length: 8 }, () => startSession(contextFrom(null), input)),
      signOutEverywhere(contextFrom(null), userId).then(() => null),
      ...Array.from({ length: 8 }, () => startSession(contextFrom(null), input)),
    ]);
    for (const session of begun) {
      if (session !== null) expect(await findSession(db, session.sessionId)).toBeNull();
    }
    expect(await startSession(contextFrom(null), input)).toBeNull();
  });

  it('do not begin for a person who is gone', async () => {
    const input = { userId: randomUUID(), sessionVersion: 0, lifetimeSeconds: 60 };
    expect(await startSession(contextFrom(null), input)).toBeNull();
  });
});

describe('attempts', () => {
  const attempt = (email: string, address: string | null) =>
    chargeAttempt(contextFrom(address), email);

  it('admits ten for one account within a quarter of an hour, wherever they come from', async () => {
    const results = [];
    for (let count = 0; count < 11; count += 1) {
      results.push(await attempt('Owner@example.com ', `192.0.2.${count}`));
    }
    expect(results.slice(0, 10).every((result) => result.kind === 'admitted')).toBe(true);
    expect(results[10]).toMatchObject({ kind: 'limited' });
    expect(await attempt('owner@example.com', '198.51.100.1')).toMatchObject({ kind: 'limited' });
  });

  it('never admits more than ten, however many race', async () => {
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) => attempt('owner@example.com', `192.0.2.${index}`)),
    );
    expect(results.filter((result) => result.kind === 'admitted')).toHaveLength(10);
  });

  it('counts a whole IPv6 network as one address', async () => {
    const results = await Promise.all(
      Array.from({ length: 301 }, (_, index) =>
        attempt(`user${index}@example.com`, `2001:db8:0:7::${index.toString(16)}`),
      ),
    );
    expect(results.filter((result) => result.kind === 'limited')).toHaveLength(1);
    expect(await attempt('else@example.com', '2001:db8:0:8::1')).toEqual({ kind: 'admitted' });
  });

  it('tells when the window ends, and admits again after that', async () => {
    for (let count = 0; count < 10; count += 1) await attempt('owner@example.com', '192.0.2.1');
    const refused = await attempt('owner@example.com', '192.0.2.1');
    if (refused.kind !== 'limited') throw new Error('not limited');
    expect(refused.retryAfterSeconds).toBeGreaterThan(850);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(900);
    await db.sql`update sign_in_attempts set window_ends_at = now() - interval '1 second'`;
    expect(await attempt('owner@example.com', '192.0.2.1')).toEqual({ kind: 'admitted' });
  });

  it('forgets an account’s attempts after a success, and of the address’s that one alone', async () => {
    for (let count = 0; count < 10; count += 1) await attempt('owner@example.com', '192.0.2.1');
    await forgiveAttempt(contextFrom('192.0.2.1'), 'owner@example.com');
    expect(await attempt('owner@example.com', '192.0.2.1')).toEqual({ kind: 'admitted' });
    const [address] = await db.sql`select count from sign_in_attempts where scope = 'address'`;
    expect(address?.count).toBe(10);
  });

  it('of strangers never keep whoever is signed in from changing the password', async () => {
    const owner = { userId: await createPerson('owner'), email: 'owner@example.com' };
    const here = contextFrom('192.0.2.1');
    for (let count = 0; count < 11; count += 1) await attempt(owner.email, '192.0.2.1');
    await db.sql`update sign_in_attempts set count = 1000`;
    expect(await chargePasswordChange(here, owner.userId)).toEqual({ kind: 'admitted' });
    await forgivePasswordChange(here, owner);
    expect(await attempt(owner.email, '198.51.100.1')).toEqual({ kind: 'admitted' });
  });

  it('to change a password are ten, of one person, until one of them succeeds', async () => {
    const owner = { userId: await createPerson('owner'), email: 'owner@example.com' };
    const other = await createPerson('other');
    const change = (userId: string) => chargePasswordChange(contextFrom('192.0.2.1'), userId);
    const results = await Promise.all(Array.from({ length: 20 }, () => change(owner.userId)));
    expect(results.filter((result) => result.kind === 'admitted')).toHaveLength(10);
    expect(await change(owner.userId)).toMatchObject({ kind: 'limited' });
    expect(await change(other)).toEqual({ kind: 'admitted' });
    await forgivePasswordChange(contextFrom('192.0.2.1'), owner);
    expect(await change(owner.userId)).toEqual({ kind: 'admitted' });
  });

  it('keeps no address that was typed', async () => {
    await attempt('owner@example.com', '192.0.2.1');
    const rows = await db.sql`select * from sign_in_attempts`;
    expect(JSON.stringify(rows)).not.toContain('owner');
  });
});

describe('projects at a glance', () => {
  async function addProject(ownerId: string, name: string): Promise<string> {
    const secret = mintProjectSecret(randomBytes);
    const created = await createProject(contextFrom(null), { ownerId, name, secret });
    if (created.kind !== 'created') throw new Error(created.kind);
    return created.projectId;
  }

  it('shows an owner only their own, by name, page by page', async () => {
    const owner = await createPerson('owner');
    const other = await createPerson('other');
    for (const name of ['charlie', 'Alpha', 'bravo']) await addProject(owner, name);
    await addProject(other, 'hidden');
    const first = await listProjectsAtAGlance(db, { ownerId: owner, limit: 2, offset: 0 });
    expect(first.total).toBe(3);
    expect(first.projects.map(({ name }) => name)).toEqual(['Alpha', 'bravo']);
    const second = await listProjectsAtAGlance(db, { ownerId: owner, limit: 2, offset: 2 });
    expect(second.projects.map(({ name }) => name)).toEqual(['charlie']);
    const found = await listProjectsAtAGlance(db, {
      ownerId: owner,
      nameContains: ' A\0V',
      limit: 10,
      offset: 0,
    });
    expect(found.projects.map(({ name }) => name)).toEqual(['bravo']);
  });

  it('counts the last 24 hours by hour, and this month, over all incarnations', async () => {
    const projectId = await addProject(await createPerson('owner'), 'reports');
    const none = '00000000-0000-0000-0000-000000000000';
    for (const [hoursAgo, outcome, incarnation, count] of [
      [0, 'allowed', 'a', 5],
      [0, 'allowed', 'b', 2],
      [0, 'rate_limited', 'a', 3],
      [23, 'allowed', 'a', 1],
      [24, 'allowed', 'a', 100],
    ] as const) {
      await db.sql`insert into usage_hours values (${projectId},
        date_trunc('hour', now()) - make_interval(hours => ${hoursAgo}), ${none}, ${none},
        ${outcome}, ${incarnation}, ${count})`;
    }
    await db.sql`insert into usage_months select ${projectId}, extract(year from now() at time zone 'UTC') * 12
      + extract(month from now() at time zone 'UTC') - 1, 'project', incarnation, 40 from unnest(array['a', 'b']) incarnation`;
    const ownerId = (await db.sql`select owner_id from projects`)[0]?.owner_id;
    const [project] = (await listProjectsAtAGlance(db, { ownerId, limit: 1, offset: 0 })).projects;
    expect(project).toMatchObject({
      planName: 'Free',
      admits: true,
      activeKeys: 0,
      activeKeyCap: 3,
      monthlyQuota: 10_000,
      usedThisMonth: 80,
    });
    expect(project?.allowedByHour).toHaveLength(24);
    expect(project?.allowedByHour[23]).toBe(7);
    expect(project?.deniedByHour[23]).toBe(3);
    expect(project?.allowedByHour[0]).toBe(1);
    expect(project?.allowedByHour.reduce((sum, count) => sum + count, 0)).toBe(8);
  });

  it('finds nothing for somebody who owns nothing', async () => {
    expect(await listProjectsAtAGlance(db, { ownerId: randomUUID(), limit: 5, offset: 0 })).toEqual(
      { projects: [], total: 0 },
    );
  });
});
