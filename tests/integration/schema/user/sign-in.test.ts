import { randomUUID } from 'node:crypto';
import { SESSIONS_MAX } from '@ceiba/domain';
import { hashPassword } from '@ceiba/domain/password';
import {
  chargeAccountMail,
  chargeAttempt,
  chargePasskeySignIn,
  chargePasswordChange,
  chargeSecondFactor,
  createDatabase,
  createUser,
  type Database,
  endSession,
  findSession,
  findUserByEmail,
  findUserByIdentity,
  forgiveAttempt,
  forgivePasswordChange,
  setPassword,
  signOutEverywhere,
  signUp,
  startSession,
  type VerbContext,
} from '@ceiba/schema';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';

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
const account = (name: string) => ({
  email: `${name}@example.com`,
  passwordHash: null,
  setupTokenDigest: null,
});

async function createAccount(name: string): Promise<string> {
  const created = await createUser(contextFrom(null), account(name));
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.userId;
}

describe('sign-up', () => {
  beforeEach(async () => {
    await createUser(contextFrom(null), account('administrator'));
  });

  it('creates no administrator once there is one', async () => {
    const created = await signUp(contextFrom(null), { ...account('any'), policy: 'open' });
    expect(created).toMatchObject({ kind: 'created', isAdministrator: false });
  });

  it('is closed under first-user once there is an administrator', async () => {
    const result = await signUp(contextFrom(null), { ...account('any'), policy: 'first-user' });
    expect(result.kind).toBe('closed');
    expect(await db.sql`select 1 from users`).toHaveLength(1);
  });

  it('accepts no one when it is closed', async () => {
    const result = await signUp(contextFrom(null), { ...account('any'), policy: 'closed' });
    expect(result.kind).toBe('closed');
    expect(await db.sql`select 1 from users`).toHaveLength(1);
  });

  it('refuses an address that is taken, regardless of letter case', async () => {
    await createAccount('taken');
    const result = await signUp(contextFrom(null), {
      ...account('TAKEN'),
      policy: 'open',
    });
    expect(result.kind).toBe('email_taken');
  });

  it('does not link an identity to an account with the same address', async () => {
    const userId = await createAccount('owner');
    const identity = { provider: 'https://issuer.example', subject: '1' };
    const result = await signUp(contextFrom(null), {
      ...account('owner'),
      identity,
      policy: 'open',
    });
    expect(result.kind).toBe('email_taken');
    expect(await findUserByIdentity(db, identity)).toBeNull();
    expect(userId).toMatch(UUID);
  });

  it('finds an identity whether or not a slash ends its issuer, and the same spelling first', async () => {
    const [bare, slash] = ['https://issuer.example', 'https://issuer.example/'];
    const find = (provider: string) => findUserByIdentity(db, { provider, subject: '1' });
    const create = async (name: string, provider: string) => {
      const identity = { provider, subject: '1' };
      const policy = 'open' as const;
      const result = await signUp(contextFrom(null), { ...account(name), identity, policy });
      if (result.kind !== 'created') throw new Error(result.kind);
      return { userId: result.userId, sessionVersion: 0 };
    };
    const first = await create('first', slash);
    expect(await find(slash)).toEqual(first);
    expect(await find(bare)).toEqual(first);
    const second = await create('second', bare);
    expect(await find(slash)).toEqual(first);
    expect(await find(bare)).toEqual(second);
    await db.sql`delete from users where id = ${first.userId}`;
    expect(await find(slash)).toEqual(second);
    expect(await find('https://issuer.example/other')).toBeNull();
  });

  it('distinguishes the subjects of two issuers', async () => {
    const first = { provider: 'https://one.example', subject: '1' };
    const result = await signUp(contextFrom(null), {
      ...account('one'),
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

const BY_PASSWORD = { proof: { method: 'password' } } as const;

describe('sessions', () => {
  const begin = async (userId: string, lifetimeSeconds = 60) => {
    const session = await startSession(contextFrom(null), {
      userId,
      sessionVersion: 0,
      lifetimeSeconds,
      userAgent: null,
      ...BY_PASSWORD,
    });
    if (session === null) throw new Error('no session');
    return session.sessionId;
  };

  it('are invalid from the next request on after they end', async () => {
    const sessionId = await begin(await createAccount('owner'));
    expect(await findSession(db, sessionId)).toMatchObject({ email: 'owner@example.com' });
    await endSession(contextFrom(null), sessionId);
    expect(await findSession(db, sessionId)).toBeNull();
  });

  it('are invalid after they expire', async () => {
    const sessionId = await begin(await createAccount('owner'));
    await db.sql`update sessions set expires_at = now()`;
    expect(await findSession(db, sessionId)).toBeNull();
  });

  it('all end when their user signs out everywhere, and no one else’s', async () => {
    const owner = await createAccount('owner');
    const other = await createAccount('other');
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
    const userId = await createAccount('owner');
    const sessionId = await begin(userId);
    await setPassword(contextFrom(null), {
      userId,
      passwordHash: await hashPassword('a passphrase of some length'),
    });
    expect(await findSession(db, sessionId)).toBeNull();
  });

  it('do not start with a password that changed after the check', async () => {
    const userId = await createAccount('owner');
    const checked = await findUserByEmail(db, 'owner@example.com');
    const sessionVersion = checked!.sessionVersion;
    const passwordHash = await hashPassword('a passphrase of some length');
    await setPassword(contextFrom(null), { userId, passwordHash });
    const input = { userId, sessionVersion, lifetimeSeconds: 60, userAgent: null, ...BY_PASSWORD };
    expect(await startSession(contextFrom(null), input)).toBeNull();
    expect(await db.sql`select 1 from sessions`).toHaveLength(0);
  });

  it('that start while their user signs out everywhere are invalid afterwards', async () => {
    const userId = await createAccount('owner');
    const input = {
      userId,
      sessionVersion: 0,
      lifetimeSeconds: 60,
      userAgent: null,
      ...BY_PASSWORD,
    };
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

  it('are at most fifty per user, also of concurrent sign-ins: those used longest ago end', async () => {
    const userId = await createAccount('owner');
    const untouched = await begin(await createAccount('other'));
    const first = await begin(userId);
    const used = await begin(userId);
    await db.sql`update sessions set created_at = now() - interval '1 day',
      last_seen_at = now() - interval '1 day' where user_id = ${userId}`;
    await db.sql`update sessions set last_seen_at = now() where id = ${used}`;
    await Promise.all(Array.from({ length: SESSIONS_MAX - 2 }, () => begin(userId)));
    expect(await findSession(db, first)).not.toBeNull();
    await db.sql`update sessions set last_seen_at = now() - interval '1 day' where id = ${first}`;
    const newest = await begin(userId);
    expect(await findSession(db, first)).toBeNull();
    for (const kept of [used, newest, untouched]) {
      expect(await findSession(db, kept)).not.toBeNull();
    }
    const begun = await Promise.all(Array.from({ length: 20 }, () => begin(userId)));
    for (const kept of begun) expect(await findSession(db, kept)).not.toBeNull();
    expect(await db.sql`select 1 from sessions where user_id = ${userId}`).toHaveLength(
      SESSIONS_MAX,
    );
  });

  it('do not start for a deleted user', async () => {
    const input = {
      userId: randomUUID(),
      sessionVersion: 0,
      lifetimeSeconds: 60,
      userAgent: null,
      ...BY_PASSWORD,
    };
    expect(await startSession(contextFrom(null), input)).toBeNull();
  });
});

describe('the limit of attempts', () => {
  const attempt = (email: string, address: string | null) =>
    chargeAttempt(contextFrom(address), email);

  it('permits ten per account and network in 15 minutes, in other networks further ones', async () => {
    const results = [];
    for (let count = 0; count < 11; count += 1) {
      results.push(await attempt('Owner@example.com ', '192.0.2.1'));
    }
    expect(results.slice(0, 10).every((result) => result.kind === 'admitted')).toBe(true);
    expect(results[10]).toMatchObject({ kind: 'limited' });
    expect(await attempt('owner@example.com', '192.0.2.1')).toMatchObject({ kind: 'limited' });
    expect(await attempt('owner@example.com', '198.51.100.1')).toEqual({ kind: 'admitted' });
    expect(await attempt('other@example.com', '192.0.2.1')).toEqual({ kind: 'admitted' });
  });

  it('counts every spelling under which Postgres finds an account as one', async () => {
    const results = [];
    for (let count = 0; count < 11; count += 1) {
      const email = `${['I', 'i', '\u0130'][count % 3]}da@example.com`;
      results.push(await attempt(email, '192.0.2.1'));
    }
    expect(results.filter((result) => result.kind === 'admitted')).toHaveLength(10);
  });

  it('never permits more than ten, however many are concurrent', async () => {
    const results = await Promise.all(
      Array.from({ length: 40 }, () => attempt('owner@example.com', '192.0.2.1')),
    );
    expect(results.filter((result) => result.kind === 'admitted')).toHaveLength(10);
  });

  it('permits a hundred per account from all unknown networks together', async () => {
    const results = await Promise.all(
      Array.from({ length: 120 }, (_, index) => attempt('owner@example.com', `192.0.2.${index}`)),
    );
    expect(results.filter((result) => result.kind === 'admitted')).toHaveLength(100);
  });

  it('takes from other networks only the ten attempts that a network has', async () => {
    await Promise.all(Array.from({ length: 120 }, () => attempt('owner@example.com', '192.0.2.1')));
    expect(await attempt('owner@example.com', '198.51.100.1')).toEqual({ kind: 'admitted' });
  });

  it('cannot be used by strangers to keep a user out of a network that the user knows', async () => {
    const home = '198.51.100.1';
    expect(await attempt('owner@example.com', home)).toEqual({ kind: 'admitted' });
    await forgiveAttempt(contextFrom(home), 'owner@example.com');
    await Promise.all(
      Array.from({ length: 120 }, (_, index) => attempt('owner@example.com', `192.0.2.${index}`)),
    );
    expect(await attempt('owner@example.com', '203.0.113.1')).toMatchObject({ kind: 'limited' });
    expect(await attempt('owner@example.com', home)).toEqual({ kind: 'admitted' });
    // What is known of one account is not known of another, and ends after a month.
    await db.sql`update sign_in_attempts set window_ends_at = now() - interval '1 second'
      where scope = 'known_network'`;
    expect(await attempt('owner@example.com', home)).toMatchObject({ kind: 'limited' });
  });

  it('counts an IPv6 network as one address', async () => {
    const results = await Promise.all(
      Array.from({ length: 301 }, (_, index) =>
        attempt(`user${index}@example.com`, `2001:db8:0:7::${index.toString(16)}`),
      ),
    );
    expect(results.filter((result) => result.kind === 'limited')).toHaveLength(1);
    expect(await attempt('else@example.com', '2001:db8:0:8::1')).toEqual({ kind: 'admitted' });
  });

  it('returns when the window ends, and permits attempts after that', async () => {
    for (let count = 0; count < 10; count += 1) await attempt('owner@example.com', '192.0.2.1');
    const refused = await attempt('owner@example.com', '192.0.2.1');
    if (refused.kind !== 'limited') throw new Error('not limited');
    expect(refused.retryAfterSeconds).toBeGreaterThan(850);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(900);
    await db.sql`update sign_in_attempts set window_ends_at = now() - interval '1 second'`;
    expect(await attempt('owner@example.com', '192.0.2.1')).toEqual({ kind: 'admitted' });
  });

  it('uncounts all attempts of an account after a success, and one of the address', async () => {
    for (let count = 0; count < 10; count += 1) await attempt('owner@example.com', '192.0.2.1');
    await forgiveAttempt(contextFrom('192.0.2.1'), 'owner@example.com');
    expect(await attempt('owner@example.com', '192.0.2.1')).toEqual({ kind: 'admitted' });
    const [address] = await db.sql`select count from sign_in_attempts where scope = 'address'`;
    expect(address?.count).toBe(10);
  });

  it('cannot be used by strangers to keep a signed-in user from changing the password', async () => {
    const owner = { userId: await createAccount('owner'), email: 'owner@example.com' };
    const here = contextFrom('192.0.2.1');
    for (let count = 0; count < 11; count += 1) await attempt(owner.email, '192.0.2.1');
    await db.sql`update sign_in_attempts set count = 1000`;
    expect(await chargePasswordChange(here, owner.userId)).toEqual({ kind: 'admitted' });
    await forgivePasswordChange(here, owner);
    expect(await attempt(owner.email, '198.51.100.1')).toEqual({ kind: 'admitted' });
  });

  it('permits ten password changes per user, until one of them succeeds', async () => {
    const owner = { userId: await createAccount('owner'), email: 'owner@example.com' };
    const other = await createAccount('other');
    const change = (userId: string) => chargePasswordChange(contextFrom('192.0.2.1'), userId);
    const results = await Promise.all(Array.from({ length: 20 }, () => change(owner.userId)));
    expect(results.filter((result) => result.kind === 'admitted')).toHaveLength(10);
    expect(await change(owner.userId)).toMatchObject({ kind: 'limited' });
    expect(await change(other)).toEqual({ kind: 'admitted' });
    await forgivePasswordChange(contextFrom('192.0.2.1'), owner);
    expect(await change(owner.userId)).toEqual({ kind: 'admitted' });
  });

  it('writes nothing for a refused attempt, whichever limit refuses it and whatever address it names', async () => {
    const stored = () => db.sql`select * from sign_in_attempts order by scope, subject`;
    const limits = [
      ['account_network', 10],
      ['account', 100],
      ['address', 300],
    ] as const;
    for (const [scope, count] of limits) {
      await db.sql`truncate sign_in_attempts`;
      await attempt('owner@example.com', '192.0.2.1');
      await db.sql`update sign_in_attempts set count = ${count} where scope = ${scope}`;
      const before = await stored();
      for (let tries = 0; tries < 3; tries += 1) {
        const email = scope === 'address' ? `someone${tries}@example.com` : 'owner@example.com';
        expect(await attempt(email, '192.0.2.1')).toMatchObject({ kind: 'limited' });
      }
      expect(await stored()).toEqual(before);
    }
  });

  it('stores at most two rows per admitted attempt of a network, and one for the network', async () => {
    await attempt('user@example.com', '192.0.2.1');
    await db.sql`update sign_in_attempts set count = 290 where scope = 'address'`;
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) => attempt(`user${index}@example.com`, '192.0.2.1')),
    );
    expect(results.filter((result) => result.kind === 'admitted')).toHaveLength(10);
    expect(await db.sql`select 1 from sign_in_attempts`).toHaveLength(2 * 11 + 1);
  });

  it('refuses without a row the mails, passkeys, codes and passwords over their limits too', async () => {
    const here = contextFrom('192.0.2.1');
    const userId = await createAccount('owner');
    const charges = [
      () => chargeAccountMail(here, 'owner@example.com'),
      () => chargePasskeySignIn(here),
      () => chargeSecondFactor(here, userId),
      () => chargePasswordChange(here, userId),
    ];
    for (const charge of charges) await charge();
    await db.sql`update sign_in_attempts set count = 1000`;
    const stored = () => db.sql`select * from sign_in_attempts order by scope, subject`;
    const before = await stored();
    for (const charge of charges) expect(await charge()).toMatchObject({ kind: 'limited' });
    expect(await stored()).toEqual(before);
  });

  it('stores no e-mail address', async () => {
    await attempt('owner@example.com', '192.0.2.1');
    const rows = await db.sql`select * from sign_in_attempts`;
    expect(JSON.stringify(rows)).not.toContain('owner');
  });
});
