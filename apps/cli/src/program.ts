import { Command, CommanderError } from 'commander';
import { applyCommand } from './commands/apply.ts';
import { migrateCommand } from './commands/migrate.ts';
import { CliError } from './errors.ts';
import { newestMigration } from './migrations.ts';
import type { World } from './world.ts';

/**
 * Runs one command line.
 *
 * @param args what follows the program's name
 * @returns the exit code: 0 done, 1 could not be done, 2 the command line or a file has to change
 */
export async function run(args: readonly string[], world: World): Promise<number> {
  try {
    await programFor(world).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (fault) {
    if (fault instanceof CommanderError) return fault.exitCode === 0 ? 0 : 2;
    world.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
    return fault instanceof CliError ? fault.exitCode : 1;
  }
}

function programFor(world: World): Command {
  const program = new Command('ceiba')
    .description('Sets up and looks after a Ceiba installation.')
    .version(`ceiba 0.1.0 (schema ${newestMigration().tag})`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
    });
  migrateCommand(program, world);
  applyCommand(program, world);
  return program;
}
