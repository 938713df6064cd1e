import { hashPassword } from '@ceiba/domain/password';
import { findUserByEmail, removeSecondFactors, setPassword } from '@ceiba/schema';
import type { Command } from 'commander';
import { withDatabase } from '../database.ts';
import { readSettings } from '../env.ts';
import { badInput } from '../errors.ts';
import { checkedPassword } from '../password.ts';
import { askForNewPassword } from '../prompt.ts';
import { printLines, type World } from '../world.ts';

/** `ceiba owner …`. Passwords come from the environment or a prompt: arguments are visible to others. */
export function ownerCommands(program: Command, world: World): void {
  const owner = program.command('owner').description("manage a project owner's account");
  owner
    .command('set-password')
    .description('set the console password and end all sessions of the owner')
    .requiredOption('--email <address>', 'the account')
    .addHelpText(
      'after',
      '\nThe command prompts for the password unless CEIBA_OWNER_PASSWORD is set.',
    )
    .action(async ({ email }: { email: string }) => {
      const address = await withDatabase(world, async (ctx) => {
        const user = await findUserByEmail(ctx.db, email);
        if (user === null) throw noAccount(email);
        const passwordHash = await hashPassword(await newPassword(world, user.email));
        const { kind } = await setPassword(ctx, { userId: user.userId, passwordHash });
        if (kind === 'not_found') throw noAccount(email);
        return user.email;
      });
      printLines(world, [`The password of ${address} is set, and all its sessions are ended.`]);
    });
  owner
    .command('remove-second-factor')
    .description('remove the authenticator app, the recovery codes and the passkeys of an account')
    .requiredOption('--email <address>', 'the account')
    .action(async ({ email }: { email: string }) => {
      const line = await withDatabase(world, async (ctx) => {
        const user = await findUserByEmail(ctx.db, email);
        if (user === null) throw noAccount(email);
        const { kind } = await removeSecondFactors(ctx, { userId: user.userId });
        if (kind === 'not_found') throw noAccount(email);
        return kind === 'nothing'
          ? `${user.email} has no second factor and no passkey. Nothing was changed.`
          : `${user.email} now signs in with the password alone.`;
      });
      printLines(world, [line]);
    });
}

async function newPassword(world: World, email: string): Promise<string> {
  const { ownerPassword } = readSettings(world.env, world.cwd);
  if (ownerPassword !== undefined) {
    return checkedPassword(ownerPassword, { email, source: 'CEIBA_OWNER_PASSWORD' });
  }
  return checkedPassword(await askForNewPassword(world, email), { email, source: 'as typed' });
}

const noAccount = (email: string) =>
  badInput(`There is no account ${email}. ceiba apply creates the owner in its file.`);
