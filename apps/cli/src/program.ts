import { Refusal } from '@ceiba/manage';
import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { applyCommand } from './commands/apply.ts';
import { completionCommand } from './commands/completion.ts';
import { customerCommands } from './commands/customer/commands.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { keyCommands } from './commands/key/commands.ts';
import { migrateCommand } from './commands/migrate.ts';
import { ownerCommands } from './commands/owner.ts';
import { projectCommands } from './commands/project/commands.ts';
import { requestsCommand } from './commands/requests.ts';
import { requireSecondFactorCommand } from './commands/require-second-factor.ts';
import { schemaCommand } from './commands/schema.ts';
import { setupTokenCommand } from './commands/setup-token.ts';
import { usageCommand } from './commands/usage.ts';
import { exitCodeOf, forPrograms } from './errors.ts';
import { inOptions } from './flags.ts';
import { newestMigration } from './migrations.ts';
import { consoleUrl } from './options.ts';
import { jsonText, printAdvice, type World } from './world.ts';

const AFTER_HELP = `
The database is that of DATABASE_URL, or else of the npm start that runs in this folder or above.
With --server or CEIBA_SERVER a console runs the command, with the access token in CEIBA_TOKEN.
Start with: ceiba migrate, then ceiba apply -f ceiba.yaml, or ceiba setup-token to sign up
Exit codes: 0 success, 1 failure, 2 an error in the command line or the file.`;

/**
 * Runs one command line.
 *
 * @param args what follows the program's name
 * @returns the exit code: 0 success, 1 failure, 2 an error in the command line, a setting or a file
 */
export async function run(args: readonly string[], world: World): Promise<number> {
  const isForProgram = args.includes('--json');
  try {
    await programFor(world, isForProgram).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (thrown) {
    const error = thrown instanceof Refusal ? inOptions(thrown) : thrown;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (isForProgram) {
      world.stderr.write(`${jsonText({ error: forPrograms(error) })}\n`);
    } else if (!(error instanceof CommanderError)) {
      printAdvice(world, `error: ${error instanceof Error ? error.message : String(error)}`);
    }
    return exitCodeOf(error);
  }
}

/** @param isForProgram whether errors are printed as JSON, instead of by commander */
function programFor(given: World, isForProgram: boolean): Command {
  const world: World = { ...given };
  const program = new Command('ceiba')
    .description('Sets up and manages a Ceiba installation.')
    .version(`ceiba ${manifest.version} (schema ${newestMigration().tag})`)
    .option(
      '--server <url>',
      'run it through this console, with the token in CEIBA_TOKEN',
      consoleUrl,
    )
    .hook('preAction', (root) => {
      Object.assign(world, root.opts<{ server?: string }>());
    })
    .addHelpText('after', AFTER_HELP)
    .showHelpAfterError('For help, run: ceiba --help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => {
        if (!isForProgram) printAdvice(world, text.trimEnd());
      },
    });
  migrateCommand(program, world);
  setupTokenCommand(program, world);
  applyCommand(program, world);
  exportCommand(program, world);
  schemaCommand(program, world);
  projectCommands(program, world);
  keyCommands(program, world);
  customerCommands(program, world);
  ownerCommands(program, world);
  requireSecondFactorCommand(program, world);
  requestsCommand(program, world);
  usageCommand(program, world);
  doctorCommand(program, world);
  completionCommand(program, world);
  return program;
}
