import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { applyCommand } from './commands/apply.ts';
import { doctorCommand } from './commands/doctor.ts';
import { keyCommands } from './commands/key.ts';
import { migrateCommand } from './commands/migrate.ts';
import { ownerCommands } from './commands/owner.ts';
import { projectCommands } from './commands/project.ts';
import { CliError } from './errors.ts';
import { newestMigration } from './migrations.ts';
import type { World } from './world.ts';

const AFTER_HELP = `
The database is that of DATABASE_URL, or else of the npm start that runs in this folder or above.
Begin with: npx ceiba migrate, then npx ceiba apply -f ceiba.yaml
Exit codes: 0 done, 1 could not be done, 2 the command line or the file has to change.`;

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
    world.stderr.write(`error: ${fault instanceof Error ? fault.message : String(fault)}\n`);
    return fault instanceof CliError ? fault.exitCode : 1;
  }
}

function programFor(world: World): Command {
  const program = new Command('ceiba')
    .description('Sets up and looks after a Ceiba installation.')
    .version(`ceiba ${manifest.version} (schema ${newestMigration().tag})`)
    .addHelpText('after', AFTER_HELP)
    .showHelpAfterError('What there is: npx ceiba --help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
    });
  migrateCommand(program, world);
  applyCommand(program, world);
  projectCommands(program, world);
  keyCommands(program, world);
  ownerCommands(program, world);
  doctorCommand(program, world);
  return program;
}
