import { readSecondFactorRule, setSecondFactorRule } from '@ceiba/schema';
import { Argument, type Command } from 'commander';
import { changingDatabase } from '../database.ts';
import { printLines, type World } from '../world.ts';

/** Adds `ceiba require-second-factor`: also the way out for an operator without access to the console. */
export function requireSecondFactorCommand(program: Command, world: World): void {
  program
    .command('require-second-factor')
    .description('require a second factor of each account of the console, or no longer')
    .addArgument(new Argument('<state>', 'whether it is required').choices(['on', 'off']))
    .action(async (state: 'on' | 'off') => {
      const isRequired = state === 'on';
      const { without } = await changingDatabase(world, async (ctx) => {
        await setSecondFactorRule(ctx, { isRequired });
        return readSecondFactorRule(ctx.db);
      });
      printLines(world, [
        isRequired
          ? `A second factor is required. Accounts that have none: ${without}. Each can set one up in the console and do nothing else.`
          : 'A second factor is optional.',
      ]);
    });
}
