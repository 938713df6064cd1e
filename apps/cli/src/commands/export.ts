import { exportFile, yamlOf } from '@ceiba/manage';
import { type Command, Option } from 'commander';
import { perform } from '../operate.ts';
import { uuid } from '../options.ts';
import { printJson, type World } from '../world.ts';

interface ExportOptions {
  project?: string;
  owner?: string;
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
    .action(async ({ json, project: projectId, owner }: ExportOptions) => {
      const file = await perform(world, exportFile, { projectId, owner });
      if (json) return printJson(world, file);
      world.stdout.write(yamlOf(file));
    });
}
