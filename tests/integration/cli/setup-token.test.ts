import { digestOf } from '@ceiba/domain';
import { verifyPassword } from '@ceiba/domain/password';
import { checkSetup, findUserByEmail } from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { everything, OWNER_PASSWORD, typing, useDesk } from './support.ts';

const desk = useDesk();
const EMAIL = 'ops@example.com';

beforeEach(async () => {
  await desk.db.sql`delete from settings`;
});

describe('ceiba setup-token', () => {
  const print = (...more: string[]) => desk.ceiba(['setup-token', ...more], { isTerminal: false });
  const accepted = (token: string) => checkSetup(desk.db, digestOf(token));

  test('prints the token alone to standard output, also without a terminal, and stores its digest', async () => {
    const { code, stdout, stderr } = await print();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ceiba_setup_[0-9A-Za-z]{49}\n$/);
    expect(stderr).toContain('sign-up page');
    expect(await accepted(stdout.trim())).toBe('permitted');
    expect(await everything(desk.db)).not.toContain(stdout.trim());
  });

  test('replaces the previous token, and prints JSON for programs', async () => {
    const first = JSON.parse((await print('--json')).stdout).setupToken;
    const second = JSON.parse((await print('--json')).stdout).setupToken;
    expect(await accepted(first)).toBe('refused');
    expect(await accepted(second)).toBe('permitted');
  });

  test('is refused once there is an administrator, and changes nothing', async () => {
    await desk.apply(`owner: { email: ${EMAIL} }`);
    const before = await everything(desk.db);
    const { code, stdout, stderr } = await print();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('There is an administrator already');
    expect(await everything(desk.db)).toBe(before);
  });
});

describe('ceiba owner create', () => {
  const create = (email: string, options = {}) =>
    desk.ceiba(['owner', 'create', '--email', email], {
      env: { CEIBA_OWNER_PASSWORD: OWNER_PASSWORD },
      ...options,
    });

  test('creates the administrator first, then accounts without that role, and ends the setup token', async () => {
    const token = (await desk.ceiba(['setup-token'])).stdout.trim();
    const first = await create(EMAIL);
    expect(first).toMatchObject({
      code: 0,
      stdout: `The account ${EMAIL} is created. It is an administrator.\n`,
      stderr: '',
    });
    expect((await create('second@example.com')).stdout).toBe(
      'The account second@example.com is created.\n',
    );
    expect(await findUserByEmail(desk.db, EMAIL)).toMatchObject({ isAdministrator: true });
    expect(await findUserByEmail(desk.db, 'second@example.com')).toMatchObject({
      isAdministrator: false,
    });
    await desk.db.sql`update users set is_administrator = false`;
    expect(await checkSetup(desk.db, digestOf(token))).toBe('refused');
  });

  test('prompts for the password without CEIBA_OWNER_PASSWORD', async () => {
    const stdin = typing(OWNER_PASSWORD, OWNER_PASSWORD);
    const { code, output } = await create(EMAIL, { env: {}, stdin });
    expect(code).toBe(0);
    expect(output).not.toContain(OWNER_PASSWORD);
    const user = await findUserByEmail(desk.db, EMAIL);
    expect(await verifyPassword(user?.passwordHash ?? null, OWNER_PASSWORD)).toBe(true);
  });

  test.each([
    ['an address that has an account', EMAIL, OWNER_PASSWORD, 'There is an account'],
    ['what is no address', 'ops', OWNER_PASSWORD, 'It must be an e-mail address.'],
    ['a password that is easily guessed', 'new@example.com', 'passwordpassword', 'The password'],
  ])('refuses %s, and changes nothing', async (_, email, password, message) => {
    await create(EMAIL);
    const before = await everything(desk.db);
    const refused = await create(email, { env: { CEIBA_OWNER_PASSWORD: password } });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
    expect(await everything(desk.db)).toBe(before);
  });
});
