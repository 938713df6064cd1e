import { hashPassword } from '@ceiba/domain/password';
import { checkedPassword } from '@ceiba/manage';
import {
  allOrNothing,
  createUser,
  findAuthenticator,
  findUserByEmail,
  listAccessTokens,
  listPasskeys,
  removePasskeys,
  removeSecondFactors,
  revokeAccessTokens,
  setPassword,
  type User,
  type VerbContext,
} from '@ceiba/schema';
import { type Command, Option } from 'commander';
import { changingDatabase } from '../database.ts';
import { readSettings } from '../env.ts';
import { badInput } from '../errors.ts';
import { emailAddress } from '../options.ts';
import { askForNewPassword } from '../prompt.ts';
import { printLines, type World } from '../world.ts';

/** `ceiba owner …`. Passwords come from the environment or a prompt: arguments are visible to others. */
export function ownerCommands(program: Command, world: World): void {
  const owner = program.command('owner').description("manage a project owner's account");
  createCommand(owner, world);
  setPasswordCommand(owner, world);
  removeSecondFactorCommand(owner, world);
}

function createCommand(owner: Command, world: World): void {
  owner
    .command('create')
    .description('create an account with a password; the first one is the administrator')
    .requiredOption('--email <address>', 'the address of the account', emailAddress)
    .addHelpText('after', PASSWORD_SOURCE)
    .action(async ({ email }: { email: string }) => {
      const created = await changingDatabase(world, async (ctx) => {
        if ((await findUserByEmail(ctx.db, email)) !== null) throw emailTaken(email);
        const passwordHash = await hashPassword(await newPassword(world, email));
        return createUser(ctx, { email, passwordHash });
      });
      if (created.kind === 'email_taken') throw emailTaken(email);
      const role = created.isAdministrator ? ' It is an administrator.' : '';
      printLines(world, [`The account ${email} is created.${role}`]);
    });
}

const emailTaken = (email: string) =>
  badInput(`There is an account ${email} already. Nothing was changed.`, { field: '--email' });

const PASSWORD_SOURCE =
  '\nThe command prompts for the password unless CEIBA_OWNER_PASSWORD is set.';

interface SetPasswordOptions {
  email: string;
  removePasskeys?: true;
  removeSecondFactor?: true;
  revokeAccessTokens?: true;
}

function setPasswordCommand(owner: Command, world: World): void {
  owner
    .command('set-password')
    .description('set the console password and end all sessions of the owner')
    .requiredOption('--email <address>', 'the account')
    .option('--remove-passkeys', 'remove the passkeys too, which sign in without the password')
    .addOption(
      new Option(
        '--remove-second-factor',
        'remove the authenticator app, the recovery codes and the passkeys too; if it had any, revoke the access tokens',
      ).conflicts('removePasskeys'),
    )
    .option(
      '--revoke-access-tokens',
      'revoke the access tokens too, which work without the password',
    )
    .addHelpText('after', PASSWORD_SOURCE)
    .action(async (options: SetPasswordOptions) => {
      const lines = await changingDatabase(world, async (ctx) => {
        const user = await findAccount(ctx, options.email);
        const passwordHash = await hashPassword(await newPassword(world, user.email));
        return allOrNothing(ctx, (tx) => replacePassword(tx, user, passwordHash, options));
      });
      printLines(world, lines);
    });
}

async function replacePassword(
  tx: VerbContext,
  { userId, email }: User,
  passwordHash: string,
  options: SetPasswordOptions,
): Promise<string[]> {
  const { kind } = await setPassword(tx, { userId, passwordHash });
  if (kind === 'not_found') throw noAccount(email);
  const lines = [`The password of ${email} is set, and all its sessions are ended.`];
  const tokens = await accessTokensOf(tx, userId, options);
  if (options.removeSecondFactor) {
    if ((await removeSecondFactors(tx, { userId })).kind !== 'removed') {
      return [...lines, ...tokens, NOTHING_ELSE];
    }
    if (options.revokeAccessTokens) lines.push(...tokens);
    return [
      ...lines,
      'Its second factor and its passkeys are removed. Its access tokens are revoked.',
    ];
  }
  lines.push(...tokens);
  if (options.removePasskeys) {
    const { removed } = await removePasskeys(tx, { userId });
    lines.push(`Removed passkeys: ${listed(removed)}.`);
  }
  return [...lines, ...(await otherWaysIn(tx, userId))];
}

async function accessTokensOf(
  tx: VerbContext,
  userId: string,
  { revokeAccessTokens: isRevoked }: Pick<SetPasswordOptions, 'revokeAccessTokens'> = {},
): Promise<string[]> {
  if (isRevoked) {
    const { revoked } = await revokeAccessTokens(tx, { userId });
    return [`Revoked access tokens: ${listed(revoked)}.`];
  }
  const tokens = (await listAccessTokens(tx.db, userId)).filter(({ isExpired }) => !isExpired);
  if (tokens.length === 0) return [];
  const names = listed(tokens.map(({ name }) => name));
  return [
    `Its access tokens still work: ${names}. If one may be someone else's, run: ceiba owner set-password --revoke-access-tokens`,
  ];
}

const NOTHING_ELSE = 'It has no second factor and no passkey.';

/** What the password does not decide: a locked-out owner needs it, and a thief may have added it. */
async function otherWaysIn(tx: VerbContext, userId: string): Promise<string[]> {
  const names = (await listPasskeys(tx.db, userId)).map(({ name }) => name);
  const hasApp = (await findAuthenticator(tx.db, userId))?.isConfirmed === true;
  if (names.length === 0 && !hasApp) return [NOTHING_ELSE];
  return [
    names.length === 0
      ? 'It has no passkey.'
      : `Its passkeys still sign in without the password: ${listed(names)}. If one may be someone else's, run this again with --remove-passkeys.`,
    hasApp
      ? 'Its second factor is still on: sign-in asks for a code of the authenticator app, or for a recovery code. If both are lost, run this again with --remove-second-factor.'
      : 'It has no second factor.',
  ];
}

const listed = (names: readonly string[]) =>
  names.length === 0 ? 'none' : `${names.length} (${[...names].sort().join(', ')})`;

function removeSecondFactorCommand(owner: Command, world: World): void {
  owner
    .command('remove-second-factor')
    .description(
      'remove the authenticator app, the recovery codes and the passkeys of an account; if it had any, end its sessions and revoke its access tokens',
    )
    .requiredOption('--email <address>', 'the account')
    .action(async ({ email }: { email: string }) => {
      const lines = await changingDatabase(world, async (ctx) => {
        const user = await findAccount(ctx, email);
        const { kind } = await removeSecondFactors(ctx, { userId: user.userId });
        if (kind === 'not_found') throw noAccount(email);
        if (kind === 'removed') return [`${user.email} now signs in with the password alone.`];
        return [
          `${user.email} has no second factor and no passkey. Nothing was changed.`,
          ...(await accessTokensOf(ctx, user.userId)),
        ];
      });
      printLines(world, lines);
    });
}

async function newPassword(world: World, email: string): Promise<string> {
  const { ownerPassword } = readSettings(world.env, world.cwd);
  if (ownerPassword !== undefined) {
    return checkedPassword(ownerPassword, { email, variable: 'CEIBA_OWNER_PASSWORD' });
  }
  return checkedPassword(await askForNewPassword(world, email), { email });
}

async function findAccount(ctx: VerbContext, email: string): Promise<User> {
  const user = await findUserByEmail(ctx.db, email);
  if (user === null) throw noAccount(email);
  return user;
}

const noAccount = (email: string) =>
  badInput(`There is no account ${email}. Create it with: ceiba owner create`, {
    field: '--email',
  });
