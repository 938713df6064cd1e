import { randomBytes, randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { digestOf, mintApiKey } from '@ceiba/domain';
import { verifyPassword } from '@ceiba/domain/password';
import { createApiKey, findUserByEmail, getSubscription, lookupMany } from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { everything, OWNER_PASSWORD, typing, useDesk } from './support.ts';

const desk = useDesk();
const EMAIL = 'ops@example.com';

let projectId: string;
let firstSecret: string;
beforeEach(async () => {
  ({ projectId, projectSecret: firstSecret } = await makeProject('reports'));
});

async function makeProject(name: string) {
  const yaml = `owner: { email: ${EMAIL} }\nprojects:\n  - name: ${name}\n`;
  const { stdout } = await desk.apply(yaml, { json: true });
  return JSON.parse(stdout).projects[0];
}

async function acceptedDigests(): Promise<(string | undefined)[]> {
  const [row] = await lookupMany(desk.db, [{ projectId, apiKeyDigest: null }]);
  const { secretDigest, previousSecretDigest } = row!.project!;
  return [secretDigest.toString('hex'), previousSecretDigest?.toString('hex')];
}

const hexOf = (secret: string) => digestOf(secret).toString('hex');

describe('ceiba project rotate-secret', () => {
  const rotate = (...more: string[]) =>
    desk.ceiba(['project', 'rotate-secret', '--project', projectId, ...more]);

  test('prints exactly three fields as JSON, and keeps both secrets valid', async () => {
    const { code, stdout, stderr } = await rotate('--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const printed = JSON.parse(stdout);
    expect(printed).toEqual({
      projectId,
      projectSecret: expect.stringMatching(/^ceiba_secret_[0-9A-Za-z]{49}$/),
      previousSecretExpiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const remaining = Date.parse(printed.previousSecretExpiresAt) - Date.now();
    expect(remaining / 3_600_000).toBeGreaterThan(23.9);
    expect(await acceptedDigests()).toEqual([hexOf(printed.projectSecret), hexOf(firstSecret)]);
  });

  test('refuses while a previous secret is valid, says until when, and changes nothing', async () => {
    const { previousSecretExpiresAt } = JSON.parse((await rotate('--json')).stdout);
    const before = await everything(desk.db);
    const { code, stdout, stderr } = await rotate('--json');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(previousSecretExpiresAt);
    expect(stderr).toContain('--yes');
    expect(await everything(desk.db)).toBe(before);
  });

  test('invalidates the oldest secret at once with --yes', async () => {
    const second = JSON.parse((await rotate('--json')).stdout).projectSecret;
    const third = JSON.parse((await rotate('--json', '--yes')).stdout).projectSecret;
    expect(await acceptedDigests()).toEqual([hexOf(third), hexOf(second)]);
  });

  test('prints the secret once, and until when the replaced one is valid', async () => {
    const { stdout } = await rotate();
    expect(stdout.match(/ceiba_secret_\w+/g)).toHaveLength(1);
    expect(stdout).toContain('shown only once');
    expect(stdout).toMatch(/The secret that it replaces is valid until \d{4}-/);
  });

  test('refuses the other of two concurrent runs', async () => {
    const ran = await Promise.all([rotate('--json', '--yes'), rotate('--json', '--yes')]);
    const done = ran.filter(({ code }) => code === 0);
    for (const { projectSecret } of done.map(({ stdout }) => JSON.parse(stdout))) {
      expect(await acceptedDigests()).toContain(hexOf(projectSecret));
    }
    for (const { stderr } of ran.filter(({ code }) => code !== 0)) {
      expect(stderr).toContain('Someone else has just rotated the secret');
    }
    expect(done.length).toBeGreaterThan(0);
  });
});

describe('ceiba project set-subscription', () => {
  const set = (...more: string[]) =>
    desk.ceiba(['project', 'set-subscription', '--project', projectId, ...more]);

  test('changes the given fields and keeps the others', async () => {
    expect(await set('--plan', 'Pro', '--status', 'trialing')).toMatchObject({ code: 0 });
    const { stdout } = await set('--current-period-end', '2099-01-31T12:00:00+02:00', '--json');
    expect(JSON.parse(stdout)).toEqual({
      projectId,
      plan: 'Pro',
      status: 'trialing',
      currentPeriodEnd: '2099-01-31T10:00:00.000Z',
      admits: true,
    });
    expect(JSON.parse((await set('--current-period-end', 'none', '--json')).stdout)).toMatchObject({
      plan: 'Pro',
      status: 'trialing',
      currentPeriodEnd: null,
    });
    expect(await getSubscription(desk.db, projectId)).toMatchObject({ currentPeriodEnd: null });
  });

  test('prints whether the subscription allows requests now', async () => {
    const lapsed = await set('--current-period-end', '2001-01-01T00:00:00Z');
    expect(lapsed.stdout).toMatch(/^allows requests +no$/m);
    const canceled = await set('--status', 'canceled', '--current-period-end', 'none', '--json');
    expect(JSON.parse(canceled.stdout)).toMatchObject({ status: 'canceled', admits: false });
  });

  test.each([
    ['nothing to change', [], /Nothing to change: give --plan, --status or --current-period-end/],
    [
      'an unknown plan',
      ['--plan', 'Gold'],
      /no plan "Gold"; the plans are Free, Starter, Pro, Scale/,
    ],
    [
      'an unknown status',
      ['--status', 'paused'],
      /must be one of active, trialing, past_due, canceled/,
    ],
    ['an end without offset', ['--current-period-end', '2027-01-31T12:00:00'], /RFC 3339/],
    ['an end on 30 February', ['--current-period-end', '2027-02-30T12:00:00Z'], /RFC 3339/],
    ['an end in the year 26', ['--current-period-end', '0026-11-21T10:00:00Z'], /RFC 3339/],
    ['an empty end', ['--current-period-end', ''], /RFC 3339/],
  ])('refuses %s and changes nothing', async (_, args, message) => {
    const before = await everything(desk.db);
    const { code, stderr } = await set(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(await everything(desk.db)).toBe(before);
  });
});

describe('ceiba key set-limits', () => {
  let apiKeyId: string;
  beforeEach(async () => {
    const minted = mintApiKey(randomBytes);
    const created = await createApiKey(desk.ctx, {
      projectId,
      displayName: 'Batch job',
      mint: () => minted,
    });
    if (created.kind !== 'created') throw new Error(created.kind);
    ({ apiKeyId } = created);
  });
  const set = (...more: string[]) =>
    desk.ceiba(['key', 'set-limits', '--project', projectId, '--key', apiKeyId, ...more]);

  test('sets one limit at a time, and removes it with none', async () => {
    const printed = async (...args: string[]) => JSON.parse((await set('--json', ...args)).stdout);
    const ids = { projectId, apiKeyId };
    expect(await printed('--rate', '5')).toEqual({
      ...ids,
      rateLimitPerMinute: 5,
      dailyQuota: null,
      monthlyQuota: null,
    });
    expect(await printed('--quota', '0')).toEqual({
      ...ids,
      rateLimitPerMinute: 5,
      dailyQuota: null,
      monthlyQuota: 0,
    });
    expect(await printed('--rate', 'none', '--quota', '1000000000000')).toEqual({
      ...ids,
      rateLimitPerMinute: null,
      dailyQuota: null,
      monthlyQuota: 1_000_000_000_000,
    });
  });

  test('prints the name of the key', async () => {
    const { stdout } = await set('--rate', '5');
    expect(stdout).toContain('Limits of Batch job');
    expect(stdout).toMatch(/requests per minute +5$/m);
    expect(stdout).toMatch(/requests per month +none$/m);
  });

  test.each([
    ['nothing to change', [], /Nothing to change: give --rate or --daily-quota or --quota/],
    ['a fraction', ['--rate', '1.5'], /whole number from 0 to 2147483647, or none/],
    ['a negative number', ['--rate=-1'], /whole number/],
    ['a quota beyond a million millions', ['--quota', '1000000000001'], /whole number/],
    ['a number in another notation', ['--quota', '0x10'], /whole number/],
    ['an empty number', ['--quota', ''], /whole number/],
  ])('refuses %s and changes nothing', async (_, args, message) => {
    const before = await everything(desk.db);
    const { code, stderr } = await set(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(await everything(desk.db)).toBe(before);
  });

  test.each([
    ['a key of another project', async () => [(await makeProject('other')).projectId, apiKeyId]],
    ['a key that does not exist', async () => [projectId, randomUUID()]],
  ])('does not find %s', async (_, ids) => {
    const [project = '', key = ''] = await ids();
    const args = ['key', 'set-limits', '--project', project, '--key', key, '--rate', '1'];
    const { code, stderr } = await desk.ceiba(args);
    expect(code).toBe(2);
    expect(stderr).toContain(`Project ${project} has no key ${key}.`);
  });
});

/** Gives the owner an authenticator app, a recovery code and two passkeys. */
async function addSecondFactors(): Promise<void> {
  const { userId } = (await findUserByEmail(desk.db, EMAIL))!;
  const { sql } = desk.db;
  await sql`insert into authenticators (user_id, sealed_secret, confirmed_at)
    values (${userId}, '\\x01', now())`;
  await sql`insert into recovery_codes (user_id, code_digest) values (${userId}, sha256('code'))`;
  await sql`insert into passkeys
    (user_id, credential_id, public_key, counter, transports, name, is_backed_up)
    values (${userId}, 'cli', '\\x01', 0, '{}', 'Laptop', false),
      (${userId}, 'cli2', '\\x01', 0, '{}', 'Phone', false)`;
}

const addToken = (userId: string) => desk.db.sql`insert into access_tokens
  (user_id, name, token_prefix, token_digest, access, expires_at)
  values (${userId}, 'CI', 'ceiba_token_x', sha256('token'), 'read', now() + interval '1 day')`;

/** How many apps, recovery codes and passkeys there are. */
async function secondFactors(): Promise<number[]> {
  const [left] = await desk.db.sql`
    select (select count(*)::int from authenticators) as apps,
      (select count(*)::int from recovery_codes) as codes,
      (select count(*)::int from passkeys) as passkeys`;
  return [left?.apps, left?.codes, left?.passkeys];
}

describe('ceiba owner remove-second-factor', () => {
  const remove = (email = EMAIL) => desk.ceiba(['owner', 'remove-second-factor', '--email', email]);

  test('removes app, recovery codes and passkeys, and keeps the password', async () => {
    const { passwordHash } = (await findUserByEmail(desk.db, EMAIL))!;
    await addSecondFactors();
    expect(await remove()).toMatchObject({
      code: 0,
      stdout: `${EMAIL} now signs in with the password alone.\n`,
    });
    expect(await secondFactors()).toEqual([0, 0, 0]);
    expect(await findUserByEmail(desk.db, EMAIL)).toMatchObject({ passwordHash });
    expect((await remove()).stdout).toContain('Nothing was changed');
  });

  test('names the access tokens that an account without a second factor keeps', async () => {
    await addToken((await findUserByEmail(desk.db, EMAIL))!.userId);
    const { stdout } = await remove();
    expect(stdout).toContain('Nothing was changed.\nIts access tokens still work: 1 (CI).');
  });

  test('reports a missing account', async () => {
    const { code, stderr } = await remove('missing@example.com');
    expect(code).toBe(2);
    expect(stderr).toContain('There is no account missing@example.com');
  });
});

describe('ceiba owner set-password', () => {
  const NEW_PASSWORD = 'a wholly new password';
  const setPassword = (options: Parameters<typeof desk.ceiba>[1] = {}, email = EMAIL) =>
    desk.ceiba(['owner', 'set-password', '--email', email], options);
  const owner = async () => (await findUserByEmail(desk.db, EMAIL))!;
  const opens = async (password: string) => verifyPassword((await owner()).passwordHash, password);

  test('takes the password from the environment and ends all sessions', async () => {
    const { sessionVersion } = await owner();
    const ran = await setPassword({ env: { CEIBA_OWNER_PASSWORD: NEW_PASSWORD } });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).not.toContain(NEW_PASSWORD);
    expect(await opens(NEW_PASSWORD)).toBe(true);
    expect(await opens(OWNER_PASSWORD)).toBe(false);
    expect((await owner()).sessionVersion).toBe(sessionVersion + 1);
  });

  describe('of an account with a second factor and passkeys', () => {
    const env = { CEIBA_OWNER_PASSWORD: NEW_PASSWORD };
    const set = (...more: string[]) =>
      desk.ceiba(['owner', 'set-password', '--email', EMAIL, ...more], { env });
    const removals = async () =>
      (
        await desk.db.sql`select action, actor_kind from audit_log
          where action like 'user.remove_%' order by id`
      ).map(({ action, actor_kind }) => `${actor_kind} ${action}`);
    beforeEach(addSecondFactors);

    test('keeps them, and says which there are and how to remove them', async () => {
      const { code, stdout } = await set();
      expect(code).toBe(0);
      expect(stdout).toContain('passkeys still sign in without the password: 2 (Laptop, Phone).');
      expect(stdout).toContain('with --remove-passkeys');
      expect(stdout).toContain('second factor is still on');
      expect(stdout).toContain('with --remove-second-factor');
      expect(await secondFactors()).toEqual([1, 1, 2]);
      expect(await removals()).toEqual([]);
    });

    test('removes the passkeys alone with --remove-passkeys', async () => {
      const { code, stdout } = await set('--remove-passkeys');
      expect(code).toBe(0);
      expect(stdout).toContain('Removed passkeys: 2 (Laptop, Phone).');
      expect(stdout).toContain('second factor is still on');
      expect(await secondFactors()).toEqual([1, 1, 0]);
      expect(await removals()).toEqual(['cli user.remove_passkey', 'cli user.remove_passkey']);
    });

    test('removes all of them with --remove-second-factor', async () => {
      const { code, stdout } = await set('--remove-second-factor');
      expect(code).toBe(0);
      expect(stdout).toContain('Its second factor and its passkeys are removed.');
      expect(stdout).toContain('Its access tokens are revoked.');
      expect(stdout).not.toContain('still work');
      expect(await secondFactors()).toEqual([0, 0, 0]);
      expect(await removals()).toEqual(['cli user.remove_second_factor']);
      expect((await set('--remove-second-factor')).stdout).toContain('no second factor');
    });

    test('keeps them when the password is refused', async () => {
      const refused = { env: { CEIBA_OWNER_PASSWORD: 'short' } };
      const args = ['owner', 'set-password', '--email', EMAIL, '--remove-passkeys'];
      expect(await desk.ceiba(args, refused)).toMatchObject({ code: 2 });
      expect(await secondFactors()).toEqual([1, 1, 2]);
    });
  });

  test('names the access tokens that still work, and revokes them with --revoke-access-tokens', async () => {
    const env = { CEIBA_OWNER_PASSWORD: NEW_PASSWORD };
    await addToken((await owner()).userId);
    const kept = await setPassword({ env });
    expect(kept.stdout).toContain('Its access tokens still work: 1 (CI).');
    const args = ['owner', 'set-password', '--email', EMAIL, '--revoke-access-tokens'];
    const { stdout } = await desk.ceiba(args, { env });
    expect(stdout).toContain('Revoked access tokens: 1 (CI).');
    expect(await desk.db.sql`select 1 from access_tokens`).toHaveLength(0);
  });

  test('prompts twice at a terminal without echo', async () => {
    const ran = await setPassword({ stdin: typing(NEW_PASSWORD, NEW_PASSWORD) });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`New password for ${EMAIL}: `);
    expect(ran.stderr).toContain('Repeat the password: ');
    expect(ran.stdout + ran.stderr).not.toContain(NEW_PASSWORD);
    expect(await opens(NEW_PASSWORD)).toBe(true);
  });

  test.each([
    ['two passwords that differ', typing(NEW_PASSWORD, 'something else entirely'), /differ/],
    ['a password that is too short', typing('short', 'short'), /at least 12 characters/],
    [
      'a password that attackers try first',
      typing('password1234', 'password1234'),
      /close to one that attackers try first/,
    ],
    [
      'a terminal that is closed',
      Object.assign(new PassThrough().end(), { isTTY: true }),
      /Cancelled/,
    ],
    ['no terminal and no variable', `${NEW_PASSWORD}\n`, /Set CEIBA_OWNER_PASSWORD instead/],
  ])('refuses %s, and keeps the old password', async (_, stdin, message) => {
    const { code, stderr } = await setPassword({ stdin });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(message);
    expect(await opens(OWNER_PASSWORD)).toBe(true);
  });

  test('reports a missing account before it prompts', async () => {
    const { code, stderr } = await setPassword({ stdin: typing('x', 'x') }, 'missing@example.com');
    expect(code).toBe(2);
    expect(stderr).toContain('There is no account missing@example.com');
    expect(stderr).not.toContain('New password');
  });

  test('takes no password as an argument', async () => {
    const args = ['owner', 'set-password', '--email', EMAIL, '--password', NEW_PASSWORD];
    const { code, stderr } = await desk.ceiba(args);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--password'");
  });
});

describe('every command', () => {
  test.each([
    ['project rotate-secret', []],
    ['project set-subscription', ['--status', 'active']],
    ['key create', ['--name', 'a']],
    ['key list', []],
    ['requests', []],
    ['usage', []],
  ])('reports a project that does not exist: ceiba %s', async (command, options) => {
    const missing = randomUUID();
    const args = [...command.split(' '), '--project', missing, ...options];
    const { code, stdout, stderr } = await desk.ceiba(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`There is no project ${missing}.`);
  });

  test('has the CLI as the actor in the audit log', async () => {
    await desk.ceiba(['project', 'rotate-secret', '--project', projectId]);
    await desk.ceiba(['project', 'set-subscription', '--project', projectId, '--plan', 'Pro']);
    const rows = await desk.db.sql`
      select distinct actor_kind, actor_label from audit_log`;
    expect(rows).toEqual([{ actor_kind: 'cli', actor_label: 'ceiba CLI' }]);
  });

  test('refuses an id that is not a UUID before it connects', async () => {
    const env = { DATABASE_URL: 'postgres://ceiba@127.0.0.1:1/ceiba' };
    for (const args of [
      ['project', 'rotate-secret', '--project', 'reports'],
      ['project', 'set-subscription', '--project', 'reports', '--plan', 'Pro'],
      ['key', 'set-limits', '--project', projectId, '--key', 'ceiba_abc', '--rate', '1'],
    ]) {
      const { code, stderr } = await desk.ceiba(args, { env });
      expect(code).toBe(2);
      expect(stderr).toContain('It must be a UUID');
    }
  });
});
