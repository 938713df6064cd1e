import { randomBytes } from 'node:crypto';
import { mintSetupToken } from '@ceiba/domain';
import {
  chargeSetupToken,
  checkSetup,
  createSetupToken,
  createUser,
  findUserByIdentity,
  type SignUpPolicy,
  signUp,
} from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectKind, useBench } from '../support.ts';

const bench = useBench();

beforeEach(async () => {
  await bench.db.sql`truncate users, settings, audit_log, sign_in_attempts cascade`;
});

const newDigest = () => mintSetupToken(randomBytes).digest;

async function makeToken(): Promise<Buffer> {
  const tokenDigest = newDigest();
  expectKind(await createSetupToken(bench.ctx, { tokenDigest }), 'created');
  return tokenDigest;
}

const signUpWith = (
  name: string,
  setupTokenDigest: Buffer | null,
  policy: SignUpPolicy = 'open',
) => {
  const email = `${name}@example.com`;
  return signUp(bench.ctx, { email, passwordHash: null, policy, setupTokenDigest });
};

const administrators = () =>
  bench.db.sql<{ email: string }[]>`select email from users where is_administrator`;

describe.each(['open', 'first-user'] as const)('under SIGN_UP=%s', (policy) => {
  test('an installation without an administrator refuses every sign-up without its setup token', async () => {
    await makeToken();
    for (const digest of [null, newDigest()]) {
      expect(await signUpWith('stranger', digest, policy)).toEqual({ kind: 'setup_token' });
    }
    expect(await bench.db.sql`select 1 from users`).toHaveLength(0);
  });

  test('without a setup token in the database, none is right', async () => {
    expect(await signUpWith('stranger', newDigest(), policy)).toEqual({ kind: 'setup_token' });
    expect(await checkSetup(bench.db, null)).toBe('refused');
  });

  test('the setup token creates the administrator, and is then used up', async () => {
    const digest = await makeToken();
    const created = await signUpWith('first', digest, policy);
    expect(created).toMatchObject({ kind: 'created', isAdministrator: true });
    const [row] = await bench.db.sql`select setup_token_digest from settings`;
    expect(row).toEqual({ setup_token_digest: null });
  });

  test('of many who sign up with the setup token at once, exactly one is the administrator', async () => {
    const digest = await makeToken();
    const names = Array.from({ length: 10 }, (_, index) => `racer${index}`);
    const results = await Promise.all(names.map((name) => signUpWith(name, digest, policy)));
    expect(await administrators()).toHaveLength(1);
    const others = results.filter(
      (result) => !('isAdministrator' in result && result.isAdministrator),
    );
    expect(others).toHaveLength(9);
    const expected = policy === 'open' ? 'created' : 'closed';
    expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set([expected]));
  });
});

describe('the setup token', () => {
  test('does not open an installation whose sign-up is closed', async () => {
    expect(await signUpWith('first', await makeToken(), 'closed')).toEqual({ kind: 'closed' });
  });

  test('is kept if the sign-up fails', async () => {
    const digest = await makeToken();
    await bench.db.sql`insert into users (email) values ('taken@example.com')`;
    expect(await signUpWith('taken', digest)).toEqual({ kind: 'email_taken' });
    expect(await signUpWith('first', digest)).toMatchObject({ isAdministrator: true });
  });

  test('is replaced by the next one', async () => {
    const [old, current] = [await makeToken(), await makeToken()];
    expect(await signUpWith('first', old)).toEqual({ kind: 'setup_token' });
    expect(await signUpWith('first', current)).toMatchObject({ isAdministrator: true });
  });

  test('is not created once there is an administrator', async () => {
    await createUser(bench.ctx, { email: 'ops@example.com', passwordHash: null });
    const refused = await createSetupToken(bench.ctx, { tokenDigest: newDigest() });
    expect(refused).toEqual({ kind: 'has_administrator' });
  });

  test('ends when the administrator is created otherwise, also at the same moment', async () => {
    const digest = await makeToken();
    const user = { email: 'ops@example.com', passwordHash: null };
    const [, signedUp] = await Promise.all([
      createUser(bench.ctx, user),
      signUpWith('first', digest, 'first-user'),
    ]);
    expect(await administrators()).toHaveLength(1);
    expect(['created', 'closed']).toContain(signedUp.kind);
    expect(await signUpWith('second', digest)).toMatchObject({ isAdministrator: false });
  });

  test('is needed for an account by a provider too', async () => {
    const identity = { provider: 'https://issuer.example', subject: '1' };
    const input = {
      email: 'first@example.com',
      passwordHash: null,
      identity,
      policy: 'open',
    } as const;
    expect(await signUp(bench.ctx, { ...input, setupTokenDigest: null })).toEqual({
      kind: 'setup_token',
    });
    expect(await findUserByIdentity(bench.db, identity)).toBeNull();
    const setupTokenDigest = await makeToken();
    expect(await signUp(bench.ctx, { ...input, setupTokenDigest })).toMatchObject({
      isAdministrator: true,
    });
    expect(await findUserByIdentity(bench.db, identity)).not.toBeNull();
  });

  test('also makes an administrator where all users lost that role', async () => {
    await createUser(bench.ctx, { email: 'ops@example.com', passwordHash: null });
    await bench.db.sql`update users set is_administrator = false`;
    expect(await signUpWith('stranger', null)).toEqual({ kind: 'setup_token' });
    expect(await signUpWith('first', await makeToken())).toMatchObject({ isAdministrator: true });
  });

  test('is tried at most thirty times in 15 minutes from one network, without harm to others', async () => {
    const from = (clientAddress: string) => chargeSetupToken({ ...bench.ctx, clientAddress });
    for (let tried = 0; tried < 30; tried += 1) {
      expect(await from(`2001:db8::${tried}`)).toEqual({ kind: 'admitted' });
    }
    expect(await from('2001:db8::ffff')).toMatchObject({ kind: 'limited' });
    expect(await from('192.0.2.9')).toEqual({ kind: 'admitted' });
  });
});
