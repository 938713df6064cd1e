import { mintSetupToken } from '@ceiba/domain';
import { createSetupToken } from '@ceiba/schema';
import type { Command } from 'commander';
import { changingDatabase } from '../database.ts';
import { failure, withRemedy } from '../errors.ts';
import { printAdvice, printJson, printLines, type World } from '../world.ts';

/**
 * Adds `ceiba setup-token`. The token is all that the command is for, so that it is printed anywhere,
 * also without a terminal (`kubectl exec`); the first sign-up uses it up.
 */
export function setupTokenCommand(program: Command, world: World): void {
  program
    .command('setup-token')
    .description('print a token with which the first account, the administrator, signs up')
    .option('--json', 'print the token as JSON')
    .action(async ({ json }: { json?: true }) => {
      const token = mintSetupToken(world.random);
      const tokenDigest = token.digest;
      const { kind } = await withRemedy(
        changingDatabase(world, (ctx) => createSetupToken(ctx, { tokenDigest })),
        LOST,
      );
      if (kind === 'has_administrator') throw failure(HAS_ADMINISTRATOR);
      world.onSecret(LOST);
      if (json) return printJson(world, { setupToken: token.plaintext });
      printLines(world, [token.plaintext]);
      printAdvice(world, NEXT);
    });
}

const HAS_ADMINISTRATOR =
  'There is an administrator already, so no setup token is needed. Nothing was changed. ' +
  'If the password is lost, run: ceiba owner set-password';
const LOST = 'the setup token is lost: run the command again, which replaces it.';
const NEXT =
  'Enter this token on the sign-up page of the console, to create the first account, which is the ' +
  'administrator. It works once, and until this command runs again.';
