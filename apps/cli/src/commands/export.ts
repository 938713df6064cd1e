import { type Command, Option } from 'commander';
import { withDatabase } from '../database.ts';
import { type ExportChoice, readInstallation } from '../export/installation.ts';
import { requireApplicable, yamlOf } from '../export/yaml.ts';
import { uuid } from '../options.ts';
import { printJson, type World } from '../world.ts';

interface ExportOptions extends ExportChoice {
  json?: true;
}

/** `ceiba export`: an installation as a file that `apply` accepts. */
export function exportCommand(program: Command, world: World): void {
  program
    .command('export')
    .description('print projects, plans and policies as a file for apply, without any secret')
    .option('--project <id>', 'only this project', uuid)
    .addOption(
      new Option('--owner <address>', 'only the projects of this owner').conflicts('project'),
    )
    .option('--json', 'print JSON, which apply accepts too')
    .addHelpText('after', '\nTo keep it: ceiba export > ceiba.yaml')
    .action(async ({ json, ...choice }: ExportOptions) => {
      const file = await withDatabase(world, (_, db) => readInstallation(db, choice));
      const text = yamlOf(file);
      requireApplicable(text);
      if (json) return printJson(world, file);
      world.stdout.write(text);
    });
}
